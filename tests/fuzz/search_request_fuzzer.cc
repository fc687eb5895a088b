// Takes any text as the configuration of the server and as the body of POST /search. Each must give
// a value or an error of the caller.
#include <cstdint>
#include <string>
#include <string_view>

#include "pmem/check.h"
#include "tools/server/search_request.h"
#include "tools/server/serve_config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = pmdex::ParseServeConfig(text);
  PMDEX_CHECK(config.ok() || absl::IsInvalidArgument(config.status()));
  pmdex::HttpRequest request;
  request.method = "POST";
  request.body = std::string(text);
  const pmdex::SearchRequestLimits limits;
  const auto parsed = pmdex::ParseSearchRequests(request, limits);
  PMDEX_CHECK(parsed.ok() || absl::IsInvalidArgument(parsed.status()));
  if (!parsed.ok()) return 0;
  PMDEX_CHECK(parsed->requests.size() <= limits.queries);
  for (const pmdex::SearchRequest& one : parsed->requests) {
    PMDEX_CHECK(one.options.k <= limits.k && one.query.size() <= limits.query_bytes);
  }
  return 0;
}
