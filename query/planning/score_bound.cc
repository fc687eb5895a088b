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

// How many words' scores a leaf may add up.
size_t WordsOf(const Query& query) {
  switch (query.kind) {
    case QueryKind::kFuzzy:
      return kMaxFuzzyTerms;
    case QueryKind::kPhrase:
      return std::max<size_t>(1, query.terms.size());
    case QueryKind::kPhrasePrefix:
      return query.terms.size() + query.max_expansions;
    default:
      return 1;
  }
}

// The upper bound of the scores of the query and of the products of boosts above its leaves.
double BoundOf(const Query& query) {
  double sum = 0;
  for (const Clause& clause : query.clauses) sum += BoundOf(*clause.query);
  const double own = kMostPerTerm * static_cast<double>(WordsOf(query));
  return (sum <= own ? own : sum) * std::abs(double{query.boost});  // a NaN stays one
}

}  // namespace

bool HasFiniteScores(const Query& query) {
  return BoundOf(query) <= kScoreLimit;  // false for NaN
}

}  // namespace pmdex
