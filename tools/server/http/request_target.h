// Splits the target of a request, "/a%20b/_search?q=x+y", into the decoded parts of its path and
// its decoded parameters. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pmem/status.h"

namespace pmdex {

struct RequestTarget {
  std::vector<std::string> path;                                // an empty last part is left out
  std::vector<std::pair<std::string, std::string>> parameters;  // in order; "a" is {"a", ""}
};

// Takes the form of a path and the absolute form (http://host/path). kInvalidArgument for another
// form, for a wrong percent-encoding, and for an encoded NUL.
absl::StatusOr<RequestTarget> ParseRequestTarget(std::string_view target);

// Decodes %XX, and '+' as a space if `plus_is_space`. The same errors.
absl::StatusOr<std::string> PercentDecode(std::string_view text, bool plus_is_space);

// Encodes all but letters, digits and "-_.~".
std::string PercentEncode(std::string_view text);

}  // namespace pmdex
