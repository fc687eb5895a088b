#include "engine/memtable/posting_kernels.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "pmem/check.h"

namespace pmdex {
namespace {

// The value that begins at `bytes`, of which `left` are there; returns its size, 0 when it goes on.
size_t DecodeOne(const uint8_t* bytes, size_t left, uint32_t& value) {
  value = 0;
  for (size_t i = 0; i < left; ++i) {
    value |= static_cast<uint32_t>(bytes[i] & 0x7f) << (7 * i);
    if (bytes[i] < 0x80) return i + 1;
  }
  return 0;
}

// Values of one byte come in runs; else one byte or two, without a branch on which.
VByteRun Decode(std::span<const uint8_t> bytes, std::span<uint32_t> values) {
  constexpr size_t kRun = 8;
  VByteRun run;
  while (run.values < values.size()) {
    const size_t left = bytes.size() - run.bytes;
    const uint8_t* const next = bytes.data() + run.bytes;
    uint64_t word = 0x80;
    if (left >= kRun && values.size() - run.values >= kRun) std::memcpy(&word, next, kRun);
    if ((word & 0x8080808080808080) == 0) {
      for (size_t i = 0; i < kRun; ++i) values[run.values + i] = next[i];
      run.values += kRun;
      run.bytes += kRun;
      continue;
    }
    uint16_t pair = 0x8080;
    if (left >= sizeof(pair)) std::memcpy(&pair, next, sizeof(pair));
    if ((pair & 0x8080) == 0x8080) [[unlikely]] {
      const size_t size = DecodeOne(next, left, values[run.values]);
      if (size == 0) return run;
      run.bytes += size;
    } else {
      const uint32_t is_two_bytes = pair >> 7 & 1;
      values[run.values] = (pair & 0x7fu) | (pair >> 1 & 0x3f80u & (0 - is_two_bytes));
      run.bytes += 1 + is_two_bytes;
    }
    ++run.values;
  }
  return run;
}

// Without a branch on whether a value begins a posting: terms of every frequency come in turn, and
// the CPU could only guess.
template <typename Position>
size_t SplitValues(std::span<const uint32_t> values, uint32_t count, PostingSplit& at,
                   const SplitPostings<Position>& out) {
  PostingSplit now = at;  // a copy that no store can change
  size_t taken = 0;
  for (; taken < values.size(); ++taken) {
    const uint32_t begins = values[taken] & 1;
    const uint32_t delta = values[taken] >> 1;
    if (now.postings + begins > count) {
      now.at_next = true;
      break;
    }
    now.postings += begins;
    now.doc += delta & (0 - begins);
    out.docids[now.postings - 1] = now.doc;
    now.position = (now.position + delta) & (begins - 1);
    now.has_wide |= now.position >= kPositionPage;
    out.positions[now.positions] = static_cast<Position>(now.position);
    now.positions += 1 - begins;
    out.ends[now.postings - 1] = now.positions;
  }
  at = now;
  return taken;
}

template <typename Position>
VByteRun Split(std::span<const uint8_t> bytes, uint64_t values, uint32_t count, PostingSplit& at,
               const SplitPostings<Position>& out) {
  std::array<uint32_t, 64> decoded;
  VByteRun run;
  while (!at.at_next && run.values < values) {
    const size_t most = std::min<uint64_t>(decoded.size(), values - run.values);
    VByteRun piece = Decode(bytes.subspan(run.bytes), std::span(decoded).first(most));
    if (piece.values == 0) break;
    const size_t taken =
        SplitValues(std::span<const uint32_t>(decoded).first(piece.values), count, at, out);
    if (taken < piece.values)
      piece = Decode(bytes.subspan(run.bytes), std::span(decoded).first(taken));
    run.bytes += piece.bytes;
    run.values += piece.values;
  }
  return run;
}

}  // namespace

const PostingKernels& ScalarPostingKernels() {
  static constexpr PostingKernels kKernels = {Decode, Split<uint16_t>, Split<uint32_t>};
  return kKernels;
}

const PostingKernels& PostingKernelsOf(SimdLevel level) {
  PMDEX_CHECK(IsUsable(level));
  return level == SimdLevel::kAvx512 ? Avx512PostingKernels() : ScalarPostingKernels();
}

}  // namespace pmdex
