#include "query/planning/score_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "query/expansion/fuzzy_expansion.h"

namespace pmdex {
namespace {

// The upper bound of a term's score with a boost of 1: an idf is at most 24, the square root of a
// frequency 65,536, and a norm 1.
constexpr double kMostPerTerm = 24.0 * 65536.0;
// Leaves room, because upper bounds of scores are widened by a few percent.
constexpr double kScoreLimit = std::numeric_limits<float>::max() / 4;

// The upper bound of the scores of the query and of the products of boosts above its leaves.
double BoundOf(const Query& query) {
  double bound = kMostPerTerm * static_cast<double>(std::max<size_t>(1, query.terms.size()));
  if (query.kind == QueryKind::kFuzzy) bound *= static_cast<double>(kMaxFuzzyTerms);
  if (query.kind == QueryKind::kBoolean) {
    double sum = 0;
    for (const Clause& clause : query.clauses) sum += BoundOf(*clause.query);
    bound = std::max(bound, sum);
  }
  return bound * std::abs(double{query.boost});
}

}  // namespace

bool HasFiniteScores(const Query& query) {
  return BoundOf(query) <= kScoreLimit;  // false for NaN
}

}  // namespace pmdex
