// Files of the server that are compiled into the program. The build makes the definition from
// tools/server/page/search.html.
#pragma once

#include <string_view>

namespace pmdex {

extern const std::string_view kSearchPageHtml;  // with @NONCE@ where each answer has its own

}  // namespace pmdex
