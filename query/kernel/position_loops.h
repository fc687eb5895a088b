// Loops over positions: the reference's walk over two runs, and what the vector levels do with
// blocks of their width. Internal linkage on purpose, as score_loops.h.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "query/kernel/kernels.h"

namespace pmdex {
namespace {

// What is added to the positions of either side before they are compared: to one of them nothing.
struct Shifts {
  explicit Shifts(int32_t distance)
      : of_a(static_cast<uint16_t>(std::clamp(distance, 0, 0xffff))),
        of_b(static_cast<uint16_t>(std::clamp(-distance, 0, 0xffff))) {}
  uint16_t of_a, of_b;
};

// Both ascend: one walk over them, without branches on the values.
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

// How one side of a comparison is changed before. Sums saturate, so that none passes the last
// position; places without a position get a number that the other side does not have.
struct Change {
  uint16_t shift = 0;
  uint16_t none = 0xffff;
};

// Which side gives the few positions that are compared with many of the other.
struct FewAndMany {
  FewAndMany(Shifts shifts, bool a_is_few)
      : few{a_is_few ? shifts.of_a : shifts.of_b, 0xffff},
        many_shift(a_is_few ? shifts.of_b : shifts.of_a),
        back(shifts.of_a) {
    if (many_shift != 0) few.none = 0;
  }
  Change few;
  uint16_t many_shift;
  uint16_t back;  // from what both sides have to the position in a
};

// A few positions with many at a time: Block::Match compares at most kFew with at most kMany and
// writes and counts those of a that are in both.
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

// What is not worth vectors: the runs of one group of postings, by bit of the mask.
[[maybe_unused]] uint32_t SelectRunsOneByOne(const PostingListView& list, uint32_t first,
                                             uint64_t mask, uint32_t count, const RunLanes& out) {
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

// Most runs are so short that one SmallBlock settles them; the others go block by block.
template <typename SmallBlock, typename Block, bool kWrites>
void MatchRunsOf(const RunLanes& a, const RunLanes& b, uint32_t n, int32_t distance,
                 uint16_t* matches, const RunLanes& out) {
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
void MatchRunsIn(const RunLanes& a, const RunLanes& b, uint32_t n, int32_t distance,
                 uint16_t* matches, const RunLanes& out) {
  if (matches != nullptr) {
    MatchRunsOf<SmallBlock, Block, true>(a, b, n, distance, matches, out);
  } else {
    MatchRunsOf<SmallBlock, Block, false>(a, b, n, distance, nullptr, out);
  }
}

}  // namespace
}  // namespace pmdex
