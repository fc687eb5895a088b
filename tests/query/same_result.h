// Compares two answers, for tests that search the same documents in different forms. It has a
// namespace of its own, because other tests of the same binary have functions with these names.
#pragma once

#include "gtest/gtest.h"

#include "query/searcher.h"

namespace pmdex {
namespace same_result {

inline void ExpectSameExplanation(const Explanation& found, const Explanation& expected) {
  ASSERT_EQ(found.value, expected.value);
  ASSERT_EQ(found.description, expected.description);
  ASSERT_EQ(found.details.size(), expected.details.size());
  for (size_t i = 0; i < found.details.size(); ++i) {
    ExpectSameExplanation(found.details[i], expected.details[i]);
  }
}

inline void ExpectSameResult(const SearchResult& found, const SearchResult& expected) {
  ASSERT_TRUE(found.missing.empty()) << found.missing[0].reason;
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

}  // namespace same_result
}  // namespace pmdex
