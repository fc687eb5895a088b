// Loops over positions: the reference's walk over two runs, and the loop of the vector levels over
// blocks of their width. Internal linkage on purpose, as in score_loops.h.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "engine/segment/postings/posting_list.h"
#include "query/kernel/kernel_types.h"

namespace pmdex {
namespace {

// The amounts that are added to the positions of a and b before they are compared. One of them is
// 0, so that none is negative.
struct Shifts {
  explicit Shifts(int32_t distance)
      : of_a(static_cast<uint16_t>(std::clamp(distance, 0, 0xffff))),
        of_b(static_cast<uint16_t>(std::clamp(-distance, 0, 0xffff))) {}
  uint16_t of_a, of_b;
};

// Matches two ascending runs in one walk, without branches on the values.
template <bool kWrites>
uint32_t MergeRuns(PositionRun a, PositionRun b, Shifts shifts, uint16_t* out) {
  uint32_t count = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const uint32_t left = uint32_t{a[i]} + shifts.of_a;
    const uint32_t right = uint32_t{b[j]} + shifts.of_b;
    if constexpr (kWrites) out[count] = a[i];
    count += left == right ? 1 : 0;
    i += left <= right ? 1 : 0;
    j += right <= left ? 1 : 0;
  }
  return count;
}

// How one side is changed before a comparison. `shift` is added with saturation, so that no
// position overflows. SIMD lanes without a position get `none`, a value that the other side does
// not have.
struct Change {
  uint16_t shift = 0;
  uint16_t none = 0xffff;
};

// Says which side provides the few positions that are compared with many of the other side.
struct FewAndMany {
  FewAndMany(Shifts shifts, bool a_is_few)
      : few{a_is_few ? shifts.of_a : shifts.of_b, 0xffff},
        many_shift(a_is_few ? shifts.of_b : shifts.of_a),
        back(shifts.of_a) {
    if (many_shift != 0) few.none = 0;
  }
  Change few;
  uint16_t many_shift;
  uint16_t back;  // is subtracted from a common value to get the position in a
};

// Matches two runs block by block: Block::Match compares at most kFew positions with at most kMany,
// and counts and writes the positions of a that match.
template <typename Block, bool kWrites>
uint32_t MatchBlocks(PositionRun few, PositionRun many, const FewAndMany& sides, uint16_t* out) {
  uint32_t count = 0;
  for (size_t i = 0, j = 0; i < few.size();) {
    const PositionRun some = few.subspan(i, std::min(Block::kFew, few.size() - i));
    const PositionRun others = many.subspan(j, std::min(Block::kMany, many.size() - j));
    count += Block::template Match<kWrites>(some, others, sides, out + (kWrites ? count : 0));
    const bool is_last = j + others.size() == many.size();
    if (is_last && i + some.size() == few.size()) break;
    const uint32_t some_end = uint32_t{some.back()} + sides.few.shift;
    const uint32_t others_end = uint32_t{others.back()} + sides.many_shift;
    if (is_last && others_end <= some_end) break;
    i += some_end <= others_end ? some.size() : 0;
    j += others_end <= some_end ? others.size() : 0;
  }
  return count;
}

// Writes the runs of the postings first + i for every bit i of the mask, from run `count` on,
// without vectors. Returns the new count.
[[maybe_unused]] uint32_t SelectRunsOneByOne(const PostingListView& list, uint32_t first,
                                             uint64_t mask, uint32_t count, const RunArrays& out) {
  for (; mask != 0; mask &= mask - 1, ++count) {
    const uint32_t posting = first + static_cast<uint32_t>(std::countr_zero(mask));
    if (posting >= list.df) {
      out.Set(count, {});
      continue;
    }
    out.Set(count, list.EntriesInPlace(posting));
    if (out.codes != nullptr) out.codes[count] = list.codes[posting];
  }
  return count;
}

// The positions that are near a position p: [p + below, p + above], without those that do not
// exist.
struct NearRange {
  NearRange(int32_t distance, uint32_t slack)
      : below(Clamped(int64_t{distance} - slack)), above(Clamped(int64_t{distance} + slack)) {}
  static int32_t Clamped(int64_t value) {
    return static_cast<int32_t>(std::clamp<int64_t>(value, -0x10000, 0x10000));
  }
  int32_t below, above;
};

// Finds which positions of a are near one of b. A Block holds at most Block::kPositions ascending
// positions. Of the first block that does not end too early, the first position that is not too
// small is the only one to look at.
template <typename Block>
uint32_t FindNear(PositionRun a, PositionRun b, const NearRange& range, uint16_t* out) {
  uint32_t count = 0;
  PositionRun rest = b.subspan(std::min(b.size(), Block::kPositions));
  Block block(b.first(b.size() - rest.size()));
  for (const uint16_t position : a) {
    const int32_t least = std::max(position + range.below, 0);
    const int32_t most = std::min(position + range.above, 0xffff);
    while (block.last() < least && !rest.empty()) {
      const size_t next = std::min(rest.size(), Block::kPositions);
      block = Block(rest.first(next));
      rest = rest.subspan(next);
    }
    out[count] = position;
    count += least <= most &&
                     block.HasAny(static_cast<uint16_t>(least), static_cast<uint16_t>(most - least))
                 ? 1
                 : 0;
  }
  return count;
}

template <typename Block>
void FindNearRuns(const RunArrays& a, const RunArrays& b, uint32_t n, int32_t distance,
                  uint32_t slack, uint16_t* matches, const RunArrays& out) {
  const NearRange range(distance, slack);
  uint32_t begin = 0;
  for (uint32_t i = 0; i < n; ++i) {
    const PositionRun others = b[i];
    const uint32_t count =
        others.empty() ? 0 : FindNear<Block>(a[i], others, range, matches + begin);
    out.begins[i] = begin;
    out.counts[i] = static_cast<uint16_t>(count);
    begin += count;
  }
}

// Matches n pairs of runs. Most runs are so short that one SmallBlock is enough; longer ones are
// matched block by block.
template <typename SmallBlock, typename Block, bool kWrites>
void MatchRunsOf(const RunArrays& a, const RunArrays& b, uint32_t n, int32_t distance,
                 uint16_t* matches, const RunArrays& out) {
  const Shifts shifts(distance);
  const FewAndMany a_few(shifts, true);
  const FewAndMany b_few(shifts, false);
  uint32_t begin = 0;
  for (uint32_t i = 0; i < n; ++i) {
    const PositionRun left = a[i];
    const PositionRun right = b[i];
    uint16_t* const here = matches + (kWrites ? begin : 0);
    uint32_t count;
    if (left.size() <= SmallBlock::kFew && right.size() <= SmallBlock::kMany) {
      count = SmallBlock::template Match<kWrites>(left, right, a_few, here);
    } else if (right.size() <= SmallBlock::kFew && left.size() <= SmallBlock::kMany) {
      count = SmallBlock::template Match<kWrites>(right, left, b_few, here);
    } else if (left.size() <= right.size()) {
      count = MatchBlocks<Block, kWrites>(left, right, a_few, here);
    } else {
      count = MatchBlocks<Block, kWrites>(right, left, b_few, here);
    }
    out.begins[i] = begin;
    out.counts[i] = static_cast<uint16_t>(count);
    begin += count;
  }
}

template <typename SmallBlock, typename Block>
void MatchRunsIn(const RunArrays& a, const RunArrays& b, uint32_t n, int32_t distance,
                 uint16_t* matches, const RunArrays& out) {
  if (matches != nullptr) {
    MatchRunsOf<SmallBlock, Block, true>(a, b, n, distance, matches, out);
  } else {
    MatchRunsOf<SmallBlock, Block, false>(a, b, n, distance, nullptr, out);
  }
}

}  // namespace
}  // namespace pmdex
