// Reads any bytes as JSON lines. Each line must give a document or a problem. The documents must be
// the same for every size of the blocks, and a limit on the length of lines may only leave
// documents out. The first byte selects the size of the blocks.
#include <cstdint>
#include <string_view>

#include "engine/ingest/formats/jsonl.h"
#include "engine/ingest/ingest_options.h"
#include "tests/fuzz/read_blocks.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const size_t block_bytes = 128 + data[0];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto parse = [&](size_t blocks_of, size_t limit_bytes) {
    return pmdex::ParseBlocks(
        text, pmdex::InputFormat::kJsonl, blocks_of, limit_bytes,
        [](pmdex::ProblemLog& problems) { return pmdex::NewJsonlParser({}, problems); });
  };
  // Documents without an id get one from path and line. The path is the same in each run, because
  // the file gets the same descriptor.
  const auto whole = parse(size + 128, size + 128);
  PMDEX_CHECK(parse(block_bytes, size + 128) == whole);
  PMDEX_CHECK(pmdex::IsSubsequence(parse(block_bytes, 2 * block_bytes), whole));
  return 0;
}
