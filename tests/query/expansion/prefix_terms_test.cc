#include "query/expansion/prefix_terms.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/random_corpus.h"
#include "tests/support/reference_index.h"

namespace pmdex {
namespace prefix_terms_test {

TEST(PrefixTerms, AreTheFirstOfAllSegmentsInByteOrderWithWholeDocumentFrequencies) {
  SeededRandom random(5);
  ReferenceIndex reference(AnalyzerKind::kWhitespace);
  std::map<std::string, uint64_t> df;
  for (int i = 0; i < 90; ++i) {
    const std::string word = "a" + std::string(1, static_cast<char>('a' + random.Below(26)));
    ++df[word];
    reference.Add({"d", {{"body", word + " other"}}});
  }
  for (const size_t per_segment : {7, 100}) {
    const auto snapshot = reference.BuildSnapshot(per_segment, true, false);
    for (const size_t most : {0, 1, 3, 20, 500}) {
      DeadlineWatch watch(kNoDeadline);
      const auto found = ExpandPrefix("body", "a", most, *snapshot, watch);
      ASSERT_TRUE(found.ok()) << found.status();
      ASSERT_EQ(found->size(), std::min(most, df.size()));
      auto expected = df.begin();
      for (const BoundTerm& term : *found) {
        EXPECT_EQ(term.text, expected->first);
        EXPECT_EQ(term.df, expected->second);
        EXPECT_EQ(term.entries.size(), snapshot->segments().size());
        ++expected;
      }
    }
  }
}

TEST(PrefixTerms, AreNoneWhereNoTermOrNoFieldMatches) {
  ReferenceIndex reference(AnalyzerKind::kWhitespace);
  reference.Add({"d", {{"body", "ab"}}});
  const auto snapshot = reference.BuildSnapshot(1, true, false);
  DeadlineWatch watch(kNoDeadline);
  EXPECT_TRUE(ExpandPrefix("body", "b", 9, *snapshot, watch)->empty());
  EXPECT_TRUE(ExpandPrefix("title", "a", 9, *snapshot, watch)->empty());
  EXPECT_EQ(ExpandPrefix("body", "", 9, *snapshot, watch)->size(), 1u);
}

}  // namespace prefix_terms_test
}  // namespace pmdex
