// The requests that a load generator sends, as the bytes of HTTP. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pmem/status.h"

namespace pmdex {

// Where the server is: "http://HOST:PORT[/PATH]", "HOST:PORT[/PATH]" or "unix:PATH".
struct LoadTarget {
  bool is_unix = false;
  std::string host;    // or the path of the socket
  std::string port;    // empty for a Unix socket
  std::string prefix;  // "/PATH", which goes before the path of each request; may be empty
};
absl::StatusOr<LoadTarget> ParseLoadTarget(std::string_view url);

// A request for each line of `text` that is not blank: "METHOD /PATH", or "METHOD /PATH BODY" where
// the body is JSON. Any other line is a query for GET /search of pmdex. headers: whole lines
// ("Authorization: Bearer x") for each request. kInvalidArgument if there are none.
absl::StatusOr<std::vector<std::string>> MakeLoadRequests(std::string_view text,
                                                          const LoadTarget& target,
                                                          const std::vector<std::string>& headers);

}  // namespace pmdex
