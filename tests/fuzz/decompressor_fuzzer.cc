// Feeds any bytes to the decompressors. They must give a text or an error within the memory that
// decoders may use, and the same text in pieces of any size. The first byte selects the compression
// and the size of the pieces.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "engine/ingest/memory_plan.h"
#include "engine/ingest/reading/compressed_input.h"
#include "pmem/check.h"
#include "pmem/file_descriptor.h"

namespace pmdex {
namespace {

// Decompression bombs are very long; a finding shows up before this limit.
constexpr size_t kMostTextBytes = size_t{4} << 20;
constexpr size_t kMemoryBytes = size_t{6} << 20;

std::pair<std::string, CompressedInput::End> ReadAll(std::string_view bytes,
                                                     Compression compression, size_t piece_bytes) {
  MemoryPlan plan;
  plan.block_bytes = 65536;
  plan.decoders_bytes = kMemoryBytes;
  IngestContext context({.memory = plan});
  OpenedFile opened;
  opened.owned = FileDescriptor(memfd_create("fuzzed", MFD_CLOEXEC));
  opened.fd = opened.owned.get();
  opened.size_bytes = bytes.size();
  PMDEX_CHECK(write(opened.fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  std::string text;
  CompressedInput::End end = CompressedInput::End::kNotYet;
  {
    CompressedInput input(context, opened, compression);
    std::string piece(piece_bytes, '\0');
    while (input.end() == CompressedInput::End::kNotYet && text.size() < kMostTextBytes) {
      text.append(piece, 0, input.Read(piece.data(), piece.size()));
      PMDEX_CHECK(context.decoders.free_bytes() <= kMemoryBytes);
    }
    end = input.end();
  }
  PMDEX_CHECK(context.decoders.free_bytes() == kMemoryBytes);
  PMDEX_CHECK(context.counters.bytes_done == bytes.size());
  text.resize(std::min(text.size(), kMostTextBytes));
  return {std::move(text), end};
}

}  // namespace
}  // namespace pmdex

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const auto compression = static_cast<pmdex::Compression>(1 + data[0] % 4);
  const size_t piece_bytes = 1000 + size_t{data[0]} / 4 * 1000;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto whole = pmdex::ReadAll(bytes, compression, pmdex::kMostTextBytes + 1);
  const auto pieces = pmdex::ReadAll(bytes, compression, piece_bytes);
  // The end of a text that was cut off at the limit is not known.
  PMDEX_CHECK(whole.first == pieces.first);
  PMDEX_CHECK(whole.second == pieces.second || whole.first.size() == pmdex::kMostTextBytes);
  return 0;
}
