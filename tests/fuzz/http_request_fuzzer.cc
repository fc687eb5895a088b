// Parses any bytes as what a client of the server sends. The requests and the end must be the same
// however the bytes are cut, and what is refused must have a status of an error.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pmem/check.h"
#include "tools/server/http/request_parser.h"

namespace {

struct Outcome {
  std::vector<pmdex::HttpRequest> requests;
  pmdex::RequestParser::State state = pmdex::RequestParser::State::kHead;
  int status = 0;
  size_t kept_bytes = 0;  // that wait for more
};

Outcome ParseInSteps(std::string_view bytes, size_t step) {
  const pmdex::HttpLimits limits;
  pmdex::RequestParser parser(limits);
  Outcome outcome;
  std::string kept;
  while (!bytes.empty() && parser.state() != pmdex::RequestParser::State::kFailed) {
    kept += bytes.substr(0, step);
    bytes.remove_prefix(bytes.size() < step ? bytes.size() : step);
    for (size_t used = 1; used > 0 && !kept.empty();) {
      used = parser.Parse(kept);
      PMDEX_CHECK(used <= kept.size());
      kept.erase(0, used);
      if (parser.state() != pmdex::RequestParser::State::kDone) continue;
      outcome.requests.push_back(parser.TakeRequest());
    }
  }
  outcome.state = parser.state();
  outcome.kept_bytes = kept.size();
  if (outcome.state == pmdex::RequestParser::State::kFailed) {
    outcome.status = parser.failure().status;
    PMDEX_CHECK(outcome.status >= 400 && outcome.status < 600);
    PMDEX_CHECK(!parser.failure().reason.empty());
  }
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Outcome whole = ParseInSteps(bytes, size + 1);
  for (const size_t step : {size_t{1}, size_t{7}}) {
    const Outcome cut = ParseInSteps(bytes, step);
    // The parser may look at the last bytes of a body only when some more have come.
    const bool waits = whole.state == pmdex::RequestParser::State::kFailed &&
                       cut.state == pmdex::RequestParser::State::kBody && cut.kept_bytes < 5;
    PMDEX_CHECK(waits || (cut.state == whole.state && cut.status == whole.status));
    PMDEX_CHECK(cut.requests.size() == whole.requests.size());
    for (size_t i = 0; i < cut.requests.size(); ++i) {
      PMDEX_CHECK(cut.requests[i].method == whole.requests[i].method);
      PMDEX_CHECK(cut.requests[i].path == whole.requests[i].path);
      PMDEX_CHECK(cut.requests[i].headers == whole.requests[i].headers);
      PMDEX_CHECK(cut.requests[i].body == whole.requests[i].body);
    }
  }
  return 0;
}
