// Reads any bytes as a log. The times of its lines must be the same for every size of the blocks,
// and those that a pass over the lines finds. The first byte selects the size of the blocks.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/ingest/formats/lines.h"
#include "engine/ingest/ingest_options.h"
#include "engine/ingest/logs/log_clock.h"
#include "tests/fuzz/read_blocks.h"

namespace {

constexpr int64_t kMtime = int64_t{1'800'000'000} * 1'000'000'000;

const pmdex::LogClock& Clock() {
  static const pmdex::LogClock clock = *pmdex::LogClock::Open("+01:00");
  return clock;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const size_t block_bytes = 128 + data[0];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  // A line that fits into no block counts as well.
  std::optional<int64_t> last;
  for (std::string_view rest = text; !rest.empty();) {
    if (const auto time = Clock().TimeOf(pmdex::TakeLine(rest), kMtime)) last = time;
  }
  PMDEX_CHECK(Clock().LastTimeIn(text, kMtime) == last);
  const auto parse = [&](size_t blocks_of) {
    return pmdex::ParseBlocks(
        text, pmdex::InputFormat::kLines, blocks_of, size + 128,
        [](pmdex::ProblemLog&) { return pmdex::NewLinesParser(&Clock()); }, &Clock());
  };
  PMDEX_CHECK(parse(block_bytes) == parse(size + 128));
  return 0;
}
