// Random queries for the indexes of windowed_index.h, random options, and the comparison of two
// answers, for tests that search the same documents in different forms. They have a namespace of
// their own, because other tests of the same binary have functions with these names.
#pragma once

#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/searcher.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace random_search {

inline void ExpectSameExplanation(const Explanation& found, const Explanation& expected) {
  ASSERT_EQ(found.value, expected.value);
  ASSERT_EQ(found.description, expected.description);
  ASSERT_EQ(found.details.size(), expected.details.size());
  for (size_t i = 0; i < found.details.size(); ++i) {
    ExpectSameExplanation(found.details[i], expected.details[i]);
  }
}

inline void ExpectSameResult(const SearchResult& found, const SearchResult& expected) {
  ASSERT_TRUE(found.missing.empty());
  ASSERT_EQ(found.total_exact, expected.total_exact);
  // Otherwise it is what was scored, which depends on the time that each thread took.
  if (expected.total_exact) {
    ASSERT_EQ(found.total, expected.total);
  }
  ASSERT_EQ(found.hits.size(), expected.hits.size());
  for (size_t i = 0; i < found.hits.size(); ++i) {
    ASSERT_EQ(found.hits[i].doc, expected.hits[i].doc) << i;
    ASSERT_EQ(found.hits[i].score, expected.hits[i].score) << i;
    ASSERT_EQ(found.hits[i].id, expected.hits[i].id) << i;
  }
  ASSERT_EQ(found.snippets, expected.snippets);
  ASSERT_EQ(found.explanations.size(), expected.explanations.size());
  for (size_t i = 0; i < found.explanations.size(); ++i) {
    ExpectSameExplanation(found.explanations[i], expected.explanations[i]);
  }
}

inline SearchOptions RandomOptions(SeededRandom& random) {
  SearchOptions options;
  const size_t ks[] = {1, 10, 137, 3000};
  options.k = ks[random.Below(4)];
  options.similarity = random.OneIn(3) ? SimilarityKind::kTfidf : SimilarityKind::kBm25;
  options.exhaustive = random.OneIn(4);
  options.count = random.OneIn(3);
  if (random.OneIn(8)) options.min_score = 0.5f;
  if (random.OneIn(5)) {
    options.threads = 3;
    options.least_parallel_postings = 0;
  }
  const std::vector<SimdLevel> levels = UsableSimdLevels();
  options.kernels = &QueryKernelsOf(levels[random.Below(levels.size())]);
  return options;
}

inline std::string RandomLeaf(SeededRandom& random) {
  const auto term = [&] { return "t" + std::to_string(random.Below(13)); };
  const std::string field = random.OneIn(4) ? "title:" : random.OneIn(6) ? "" : "body:";
  if (random.OneIn(5)) {
    std::string text = "body:\"" + term();
    for (size_t words = 1 + random.Below(3); words > 0; --words) text += " " + term();
    return text + (random.OneIn(3) ? "\"~2" : "\"");
  }
  if (random.OneIn(15)) return field + "t1*";
  if (random.OneIn(20)) return field + "t?";
  if (random.OneIn(20)) return "title:*";
  return field + term() + (random.OneIn(6) ? "^2" : "");
}

inline std::string RandomQuery(SeededRandom& random, int depth) {
  std::string text;
  const size_t clauses = 1 + random.Below(4);
  for (size_t i = 0; i < clauses; ++i) {
    const char* occur[] = {"", "", "+", "+", "-"};
    text += (i ? " " : "") + std::string(occur[random.Below(5)]);
    text += depth > 0 && random.OneIn(3) ? "(" + RandomQuery(random, depth - 1) + ")"
                                         : RandomLeaf(random);
  }
  return text;
}

}  // namespace random_search
}  // namespace pmdex
