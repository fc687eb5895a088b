// Files of the server that are compiled into the program. The build makes the definitions from
// tools/server/page/.
#pragma once

#include <string_view>

namespace pmdex {

extern const std::string_view kSearchPageHtml;  // with @NONCE@ where each answer has its own
// The server's own API as OpenAPI. /openapi.json also has the other one (api_description.h).
extern const std::string_view kOpenApiJson;

}  // namespace pmdex
