#include "query/algorithm/segment_order.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "query/algorithm/leaf/rounding_margin.h"

namespace pmdex {
namespace {

constexpr float kNoBound = std::numeric_limits<float>::infinity();

float InlineBound(const DictionaryEntry& entry, const TermScorer& scorer) {
  const InlinePostings& inlined = entry.inlined;
  float bound = 0;
  for (uint32_t i = 0; i < std::min(entry.df, kMaxInlinePostings); ++i) {
    bound = std::max(bound, scorer.Score(inlined.freqs[i], inlined.codes[i]));
  }
  return bound;
}

// The greatest score in the list of an entry.
float EntryBound(const DictionaryEntry& entry, const SearchContext& context,
                 const TermScorer& scorer) {
  if (IsInline(entry.representation)) return InlineBound(entry, scorer);
  // The frequency of an escaped posting is in the segment, which is not read here.
  if (entry.lanes.overflow_start != kNoOverflow) return kNoBound;
  float bound = 0;
  context.kernels.block_bounds(&entry.lanes.bounds, 1, scorer, kFreqEscape, &bound);
  return bound;
}

float SegmentBound(const SearchContext& context, size_t segment) {
  double bound = 0;
  size_t leaves = 0;
  for (const FlatClause& clause : context.plan.clauses) {
    if (!IsScored(clause.occur)) continue;
    for (const FlatLeaf& leaf : clause.leaves) {
      ++leaves;
      if (leaf.query->kind != BoundKind::kTerm) return kNoBound;
      const DictionaryEntry* const entry = leaf.query->terms[0].entries[segment];
      if (entry != nullptr) bound += EntryBound(*entry, context, leaf.query->scorer);
    }
  }
  // Added in another order than a score.
  bound *= 1 + RoundingMarginOf(leaves);
  return std::nextafter(static_cast<float>(bound), kNoBound);
}

}  // namespace

std::vector<OrderedSegment> OrderSegments(const SearchContext& context) {
  const size_t count = context.binding.snapshot->segments().size();
  const bool is_known = count > 1 && context.plan.algorithm != Algorithm::kConstantScore;
  std::vector<OrderedSegment> order;
  order.reserve(count);
  context.plan.segments.ForEach([&](size_t i) {
    order.push_back({i, is_known ? SegmentBound(context, i) : kNoBound});
  });
  if (order.size() < 2) return order;  // stable_sort would allocate memory
  std::stable_sort(
      order.begin(), order.end(),
      [](const OrderedSegment& a, const OrderedSegment& b) { return a.bound > b.bound; });
  return order;
}

}  // namespace pmdex
