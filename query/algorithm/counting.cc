#include "query/algorithm/counting.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "query/algorithm/scoring/open_query.h"
#include "query/planning/flat_query.h"

namespace pmdex {
namespace {

// The clauses of one segment, ordered for counting: what is required, cheapest first; what is
// excluded. Optional ones only count where nothing is required.
class Counter {
 public:
  Counter(std::span<const OpenClause> clauses, CursorContext& context, const Deadline& deadline)
      : context_(context), deadline_(deadline) {
    for (const OpenClause& clause : clauses) {
      if (clause.occur == Occur::kMust) required_.push_back(&clause);
      if (clause.occur == Occur::kShould) optional_.push_back(&clause);
      if (clause.occur == Occur::kMustNot) excluded_.push_back(&clause);
    }
    std::stable_sort(
        required_.begin(), required_.end(),
        [](const OpenClause* a, const OpenClause* b) { return a->Cost() < b->Cost(); });
  }

  MatchCount Count() {
    MatchCount result;
    const uint32_t windows = WindowCount(context_.doc_count);
    for (uint32_t window = First(0); window < windows; window = First(window + 1)) {
      result.timed_out = context_.timed_out || IsPast(deadline_);
      if (result.timed_out || !context_.damage.ok()) break;
      const uint32_t count = CountWindow(window);
      if (!context_.timed_out) result.count += count;
    }
    result.timed_out = result.timed_out || context_.timed_out;
    return result;
  }

 private:
  // The first window from `window` on in which there may be a match.
  uint32_t First(uint32_t window) const {
    const auto first_of = [&](const OpenClause& clause) {
      uint32_t first = 0xffffffff;
      for (const auto& leaf : clause.leaves) first = std::min(first, leaf->FirstWindowFrom(window));
      return first;
    };
    if (!required_.empty()) return first_of(*required_[0]);
    uint32_t first = 0xffffffff;
    for (const OpenClause* clause : optional_) first = std::min(first, first_of(*clause));
    return first;
  }

  // Before a clause is asked about a window: what has been combined by then means nothing.
  bool IsOver(const OpenClause& clause) {
    constexpr uint64_t kLeafWork = 64;
    return context_.IsOver(kLeafWork * clause.leaves.size());
  }

  uint32_t CountWindow(uint32_t window) {
    WindowBits bits;
    if (!required_.empty()) {
      required_[0]->Fill(window, bits);
      for (size_t i = 1; i < required_.size() && !IsOver(*required_[i]); ++i) {
        required_[i]->Retain(window, bits);
      }
    } else {
      for (const OpenClause* clause : optional_) {
        if (!IsOver(*clause)) clause->Fill(window, bits);
      }
    }
    for (const OpenClause* clause : excluded_) {
      if (IsOver(*clause)) break;
      WindowBits docs;
      clause->Fill(window, docs);
      bits.AndNot(docs);
    }
    return bits.Count();
  }

  std::vector<const OpenClause*> required_, optional_, excluded_;
  CursorContext& context_;
  const Deadline& deadline_;
};

// What a term or everything matches is written down.
std::optional<uint64_t> KnownCount(const BoundQuery& query, const Segment& segment, size_t index) {
  if (query.kind == BoundKind::kAll) return segment.doc_count();
  if (query.kind != BoundKind::kTerm) return std::nullopt;
  const DictionaryEntry* entry = query.terms[0].entries[index];
  return entry == nullptr ? 0 : entry->df;
}

absl::StatusOr<MatchCount> CountSegment(const Plan& plan, size_t index,
                                        std::span<const FlatClause> flat,
                                        const QueryKernels& kernels, const Deadline& deadline) {
  const Segment& segment = *plan.snapshot->segments()[index];
  if (const auto known = KnownCount(*plan.root, segment, index)) return MatchCount{*known, false};
  CursorContext context{segment.doc_count(), segment.file_name(), absl::OkStatus(), deadline};
  LeafContext leaves{segment, index, kernels, context, *plan.expansions};
  PMDEX_ASSIGN_OR_RETURN(const std::vector<OpenClause> clauses, OpenClauses(flat, leaves));
  const MatchCount result = CountOpen(clauses, context, deadline);
  PMDEX_RETURN_IF_ERROR(context.damage);
  return result;
}

}  // namespace

MatchCount CountOpen(std::span<const OpenClause> clauses, CursorContext& context,
                     const Deadline& deadline) {
  if (clauses.empty() || context.timed_out) return {0, context.timed_out};
  return Counter(clauses, context, deadline).Count();
}

absl::StatusOr<MatchCount> CountMatches(const Plan& plan, const QueryKernels& kernels,
                                        Deadline deadline) {
  MatchCount result;
  const auto flat = Flatten(*plan.root);
  if (!flat.has_value()) return result;
  const auto segments = plan.snapshot->segments();
  for (size_t i = 0; i < segments.size() && !result.timed_out; ++i) {
    PMDEX_ASSIGN_OR_RETURN(const MatchCount here,
                           segments[i]->Checked(CountSegment(plan, i, *flat, kernels, deadline)));
    PMDEX_RETURN_IF_ERROR(segments[i]->Health());
    result.count += here.count;
    result.timed_out = here.timed_out;
  }
  return result;
}

}  // namespace pmdex
