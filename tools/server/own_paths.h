// The first parts of the paths of the server's own API (search_service.cc). An index with such a
// name could not be made, read or removed by its path, so no new index gets one.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace pmdex {

inline constexpr std::array<std::string_view, 7> kOwnPaths = {
    "search", "documents", "stats", "metrics", "healthz", "readyz", "openapi.json"};

inline bool IsOwnPath(std::string_view part) {
  return std::find(kOwnPaths.begin(), kOwnPaths.end(), part) != kOwnPaths.end();
}

}  // namespace pmdex
