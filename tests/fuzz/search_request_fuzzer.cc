// Takes any text as the configuration of the server, as the body of POST /search and as the
// parameters of GET /search. Each must give a value or an error of the caller.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "pmem/check.h"
#include "tools/server/search_request.h"
#include "tools/server/serve_config.h"

namespace {

void ParseRequest(const pmdex::HttpRequest& request) {
  const pmdex::SearchRequestLimits limits;
  const auto parsed = pmdex::ParseSearchRequests(request, limits);
  PMDEX_CHECK(parsed.ok() || absl::IsInvalidArgument(parsed.status()));
  if (!parsed.ok()) return;
  PMDEX_CHECK(parsed->requests.size() <= limits.queries);
  for (const pmdex::SearchRequest& one : parsed->requests) {
    PMDEX_CHECK(one.options.k <= limits.k && one.query.size() <= limits.query_bytes);
  }
}

// "name=value&name=value", as they are after decoding.
pmdex::HttpRequest WithParameters(std::string_view text) {
  pmdex::HttpRequest request;
  request.method = "GET";
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(pair.size() + 1, text.size()));
    const size_t equal = std::min(pair.find('='), pair.size());
    const std::string_view value = pair.substr(std::min(equal + 1, pair.size()));
    request.parameters.emplace_back(std::string(pair.substr(0, equal)), std::string(value));
  }
  return request;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = pmdex::ParseServeConfig(text);
  PMDEX_CHECK(config.ok() || absl::IsInvalidArgument(config.status()));
  pmdex::HttpRequest request;
  request.method = "POST";
  request.body = std::string(text);
  ParseRequest(request);
  ParseRequest(WithParameters(text));
  return 0;
}
