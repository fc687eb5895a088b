#include "query/algorithm/block_max.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "query/algorithm/term_search.h"
#include "query/algorithm/window_search.h"

namespace pmdex {
namespace {

constexpr size_t kWindowsPerSeed = 16;
constexpr float kAnything = -std::numeric_limits<float>::infinity();

bool IsNotNegative(const BoundQuery& leaf) {
  const bool scores = leaf.kind == BoundKind::kTerm || leaf.kind == BoundKind::kPhrase;
  return (scores ? leaf.scorer.weight : leaf.boost) >= 0;
}

// The windows of one segment: the most promising first, until there are k documents; then in order.
class SegmentSearch {
 public:
  // asked_once: finding candidates costs so much that it is not done again for less.
  SegmentSearch(std::vector<OpenClause> clauses, uint64_t doc_base, const CursorContext& context,
                const BlockMaxOptions& options, bool asked_once, TopK& top)
      : search_(std::move(clauses), doc_base, context.doc_count, *options.kernels,
                options.score_all, top),
        context_(context),
        options_(options),
        asked_once_(asked_once),
        top_(top) {}

  void Run() {
    const std::span<const float> bounds = search_.bounds();
    std::vector<uint32_t> seeds;
    if (!top_.full() && !options_.score_all) seeds = Seeds(bounds);
    Seed(bounds, seeds);
    for (uint32_t window = 0; window < bounds.size() && context_.damage.ok(); ++window) {
      if (bounds[window] < 0 || IsDone(window, seeds)) continue;
      if (IsLate()) return;
      search_.Search(window, search_.Needed(window), nullptr);
    }
  }

  uint64_t scored() const { return search_.scored(); }
  bool timed_out() const { return timed_out_; }

 private:
  // Some windows of the greatest bounds, more for more documents.
  std::vector<uint32_t> Seeds(std::span<const float> bounds) const {
    std::vector<uint32_t> windows;
    for (uint32_t i = 0; i < bounds.size(); ++i) {
      if (bounds[i] >= 0) windows.push_back(i);
    }
    const size_t most = std::min<size_t>(4 + options_.k / 64, 32);
    const size_t count = std::min(most, (windows.size() + kWindowsPerSeed - 1) / kWindowsPerSeed);
    std::partial_sort(windows.begin(), windows.begin() + static_cast<ptrdiff_t>(count),
                      windows.end(), [&](uint32_t a, uint32_t b) {
                        return bounds[a] != bounds[b] ? bounds[a] > bounds[b] : a < b;
                      });
    windows.resize(count);
    return windows;
  }

  // Asks for less and less until there are enough documents and none that was not asked for can
  // still belong to them. Each window remembers what it has given.
  void Seed(std::span<const float> bounds, std::span<const uint32_t> seeds) {
    if (seeds.empty()) return;
    std::vector<WindowBits> given(seeds.size());
    for (const float part : {0.9f, 0.75f, 0.6f, 0.4f, 0.2f, 0.0f}) {
      if (asked_once_ && part > 0) continue;
      const float asked = part > 0 ? part * bounds[seeds[0]] : kAnything;
      for (size_t i = 0; i < seeds.size(); ++i) {
        if (!context_.damage.ok() || IsLate()) return;
        search_.Search(seeds[i], std::max(asked, search_.Needed(seeds[i])), &given[i]);
      }
      seeded_ = part == 0 || (top_.full() && top_.threshold() >= asked);
      if (seeded_) return;
    }
  }

  bool IsDone(uint32_t window, std::span<const uint32_t> seeds) const {
    return seeded_ && std::find(seeds.begin(), seeds.end(), window) != seeds.end();
  }

  bool IsLate() {
    timed_out_ = timed_out_ || IsPast(options_.deadline);
    return timed_out_;
  }

  WindowSearch search_;
  const CursorContext& context_;
  const BlockMaxOptions& options_;
  bool asked_once_;
  TopK& top_;
  bool seeded_ = false;  // the seeds need not be looked at again
  bool timed_out_ = false;
};

// The one term that is all of the query.
absl::Status SearchTerm(const Plan& plan, LeafContext& context, TopK& top, PrunedDocs& result) {
  const TermSlot* slot = plan.root->terms[0].slots[context.segment_index];
  if (slot == nullptr) return absl::OkStatus();
  PMDEX_ASSIGN_OR_RETURN(const PostingListView list, context.segment.Postings(*slot));
  result.scored += SearchPostings(list, plan.root->scorer,
                                  plan.snapshot->doc_base(context.segment_index), context, top);
  return context.cursor.damage;
}

bool HasPhrase(std::span<const FlatClause> flat) {
  return std::any_of(flat.begin(), flat.end(), [](const FlatClause& clause) {
    return clause.occur != Occur::kMustNot &&
           std::any_of(clause.leaves.begin(), clause.leaves.end(),
                       [](const BoundQuery* leaf) { return leaf->kind == BoundKind::kPhrase; });
  });
}

absl::Status SearchSegment(const Plan& plan, size_t index, std::span<const FlatClause> flat,
                           const BlockMaxOptions& options, TopK& top, PrunedDocs& result) {
  const Segment& segment = *plan.snapshot->segments()[index];
  CursorContext context{segment.doc_count(), segment.file_name(), absl::OkStatus()};
  LeafContext leaves{segment, index, *options.kernels, context};
  if (plan.root->kind == BoundKind::kTerm) return SearchTerm(plan, leaves, top, result);
  PMDEX_ASSIGN_OR_RETURN(std::vector<OpenClause> clauses, OpenClauses(flat, leaves));
  PMDEX_RETURN_IF_ERROR(context.damage);
  if (clauses.empty()) return absl::OkStatus();
  SegmentSearch search(std::move(clauses), plan.snapshot->doc_base(index), context, options,
                       HasPhrase(flat), top);
  search.Run();
  result.scored += search.scored();
  result.timed_out = result.timed_out || search.timed_out();
  return context.damage;
}

}  // namespace

bool IsPrunable(const Plan& plan, const std::optional<std::vector<FlatClause>>& flat) {
  if (plan.root->kind == BoundKind::kNone || !flat.has_value()) return false;
  for (const FlatClause& clause : *flat) {
    if (clause.occur == Occur::kMustNot) continue;
    for (const BoundQuery* leaf : clause.leaves) {
      if (!IsNotNegative(*leaf)) return false;
    }
  }
  return true;
}

absl::StatusOr<PrunedDocs> SearchBlockMax(const Plan& plan, std::span<const FlatClause> flat,
                                          const BlockMaxOptions& options) {
  PrunedDocs result;
  TopK top(options.k);
  const auto segments = plan.snapshot->segments();
  for (size_t i = 0; i < segments.size() && !result.timed_out; ++i) {
    PMDEX_RETURN_IF_ERROR(segments[i]->Checked(SearchSegment(plan, i, flat, options, top, result)));
    PMDEX_RETURN_IF_ERROR(segments[i]->Health());
  }
  result.docs = top.Take();
  return result;
}

}  // namespace pmdex
