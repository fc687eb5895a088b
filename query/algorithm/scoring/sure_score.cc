#include "query/algorithm/scoring/sure_score.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace pmdex {
namespace {

constexpr float kNotKnown = -std::numeric_limits<float>::infinity();

// The terms each of whose documents is a hit, if it scores enough.
std::vector<const BoundQuery*> SufficientTerms(const SearchPlan& plan) {
  std::vector<const BoundQuery*> terms;
  size_t required = 0;
  for (const FlatClause& clause : plan.clauses) {
    if (clause.occur == Occur::kMustNot) return terms;
    required += IsRequired(clause.occur) ? 1 : 0;
  }
  if (plan.minimum_should_match != 0 || required > 1) return terms;
  for (const FlatClause& clause : plan.clauses) {
    if (!IsScored(clause.occur) || IsRequired(clause.occur) != (required == 1)) continue;
    for (const FlatLeaf& leaf : clause.leaves) {
      if (leaf.query->kind == BoundKind::kTerm) terms.push_back(leaf.query);
    }
  }
  return terms;
}

// The index of the first of the best points that at least so many postings reach.
std::optional<size_t> KindFor(uint64_t postings) {
  for (size_t kind = 0; kind < kBestPointKinds; ++kind) {
    if (kBestPointCounts[kind] >= postings) return kind;
  }
  return std::nullopt;
}

float PointScore(const BoundQuery& term, const BestPoints& best, size_t kind) {
  return best.tf[kind] == 0 ? kNotKnown : term.scorer.Score(best.tf[kind], best.length_code[kind]);
}

// Among how many of the best postings of a list there are probably k that are not deleted: the mean
// and three standard deviations, if each is deleted by chance (a negative binomial distribution).
double LikelyRank(size_t k, const LiveDocs& live_docs) {
  const auto wanted = static_cast<double>(k);
  const double deleted_per_live =
      static_cast<double>(live_docs.deleted_count()) / live_docs.live_count();
  const double deleted = wanted * deleted_per_live;
  return wanted + deleted + 3 * std::sqrt(deleted * (1 + deleted_per_live)) + 1;
}

// About the score of the posting of this rank, from the points before and behind it: scores fall
// about as the logarithm of the rank rises. Not known if so many postings are half the list, or far
// more than the last point counts.
float ScoreOfRank(const BoundQuery& term, const BestPoints& best, uint64_t df, double rank) {
  constexpr size_t kLast = kBestPointKinds - 1;
  constexpr double kMostBehind = 4;
  if (rank * 2 > static_cast<double>(df) || rank > kBestPointCounts[kLast] * kMostBehind) {
    return kNotKnown;
  }
  size_t behind = 1;
  while (behind < kLast && kBestPointCounts[behind] < rank) ++behind;
  const float low = PointScore(term, best, behind);
  const float high = PointScore(term, best, behind - 1);
  if (low == kNotKnown || high == kNotKnown) return kNotKnown;
  const double first = kBestPointCounts[behind - 1];
  double part = std::log(rank / first) / std::log(kBestPointCounts[behind] / first);
  if (part > 1) part = 1 + 2 * (part - 1);  // to be safe, as nothing is known behind the last point
  return high - (high - low) * static_cast<float>(part);
}

// Calls score_in(term, best points, df, segment) for the long lists of sufficient terms. Returns
// the greatest of the scores.
template <typename ScoreIn>
absl::StatusOr<float> GreatestScore(const SearchContext& context, const ScoreIn& score_in) {
  float greatest = kNotKnown;
  const SearchPlan& plan = context.plan;
  if (plan.algorithm == Algorithm::kConstantScore || plan.limits.after.has_value()) return greatest;
  const std::vector<const BoundQuery*> terms = SufficientTerms(plan);
  const auto segments = context.binding.snapshot->segments();
  for (size_t i = 0; i < segments.size() && !terms.empty(); ++i) {
    for (const BoundQuery* const term : terms) {
      const DictionaryEntry* const entry = term->terms[0].entries[i];
      if (entry == nullptr || entry->df <= kBlockPostings) continue;
      PMDEX_ASSIGN_OR_RETURN(const BestPoints best,
                             segments[i]->Checked(segments[i]->BestOf(*entry)));
      greatest = std::max(greatest, score_in(*term, best, entry->df, i));
    }
  }
  return greatest;
}

uint64_t DeletedOf(const LiveDocs* live_docs) {
  return live_docs == nullptr ? 0 : live_docs->deleted_count();
}

}  // namespace

absl::StatusOr<float> FindSureScore(const SearchContext& context) {
  const Snapshot& snapshot = *context.binding.snapshot;
  const auto score_in = [&](const BoundQuery& term, const BestPoints& best, uint64_t, size_t i) {
    const std::optional<size_t> kind = KindFor(context.plan.k + DeletedOf(snapshot.live_docs(i)));
    return kind.has_value() ? PointScore(term, best, *kind) : kNotKnown;
  };
  return GreatestScore(context, score_in);
}

absl::StatusOr<float> FindLikelyScore(const SearchContext& context) {
  const Snapshot& snapshot = *context.binding.snapshot;
  const auto score_in = [&](const BoundQuery& term, const BestPoints& best, uint64_t df, size_t i) {
    const LiveDocs* const live_docs = snapshot.live_docs(i);
    if (DeletedOf(live_docs) == 0 || live_docs->live_count() == 0) return kNotKnown;
    return ScoreOfRank(term, best, df, LikelyRank(context.plan.k, *live_docs));
  };
  return GreatestScore(context, score_in);
}

}  // namespace pmdex
