#include "engine/memtable/posting_kernels.h"

#include <bit>
#include <cstring>

#include "pmem/cpu_features.h"

namespace pmdex {
namespace {

VByteRun Decode(std::span<const uint8_t> bytes, std::span<uint32_t> values) {
  constexpr size_t kWord = 8;
  constexpr uint64_t kHighBits = 0x8080808080808080;
  VByteRun run;
  while (run.values < values.size()) {
    uint64_t word = 0;
    if (bytes.size() - run.bytes >= kWord) [[likely]] {
      std::memcpy(&word, bytes.data() + run.bytes, kWord);
    } else {
      std::memcpy(&word, bytes.data() + run.bytes, bytes.size() - run.bytes);
      // Behind the end nothing ends.
      word |= ~uint64_t{0} << 8 * (bytes.size() - run.bytes);
    }
    const uint64_t last_bytes = ~word & kHighBits;
    if (last_bytes == 0) return run;
    const int size_bits = std::countr_zero(last_bytes) + 1;  // 8 to 40
    word &= (uint64_t{1} << size_bits) - 1;
    const uint64_t value = (word & 0x7f) | (word >> 1 & 0x3f80) | (word >> 2 & 0x1fc000) |
                           (word >> 3 & 0xfe00000) | (word >> 4 & 0xf0000000);
    values[run.values++] = static_cast<uint32_t>(value);
    run.bytes += static_cast<size_t>(size_bits) / 8;
  }
  return run;
}

// Without a branch on whether a value begins a posting: terms of every frequency come in turn, and
// the CPU could only guess.
size_t Split(std::span<const uint32_t> values, uint32_t count, PostingSplit& at,
             const SplitPostings& out) {
  PostingSplit now = at;  // a copy that no store can change
  size_t taken = 0;
  for (; taken < values.size(); ++taken) {
    const uint32_t begins = values[taken] & 1;
    const uint32_t delta = values[taken] >> 1;
    if (now.postings + begins > count) break;
    now.postings += begins;
    now.doc += delta & (0 - begins);
    out.docids[now.postings - 1] = now.doc;
    now.position = (now.position + delta) & (begins - 1);
    out.positions[now.positions] = now.position;
    now.positions += 1 - begins;
    out.ends[now.postings - 1] = now.positions;
  }
  at = now;
  return taken;
}

}  // namespace

const PostingKernels& ScalarPostingKernels() {
  static constexpr PostingKernels kKernels = {Decode, Split};
  return kKernels;
}

const PostingKernels& BestPostingKernels() {
  return GetCpuFeatures().avx512_vbmi2 ? Avx512PostingKernels() : ScalarPostingKernels();
}

}  // namespace pmdex
