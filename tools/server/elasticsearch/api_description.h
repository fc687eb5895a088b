// Describes the endpoints of the table as paths of an OpenAPI 3.0 document, so that the document
// names every path, method and parameter that the API knows. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace pmdex {

// The document `own` with the paths of ApiEndpoints() behind its own paths, as JSON.
// Requires a JSON object that has "paths" and the "parameters", "responses" and "schemas" of
// "components".
std::string DescribeApi(std::string_view own);

}  // namespace pmdex
