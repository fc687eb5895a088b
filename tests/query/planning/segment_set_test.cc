#include "query/planning/segment_set.h"

#include <set>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/random_corpus.h"

namespace pmdex {
namespace segment_set_test {

std::vector<size_t> Listed(const SegmentSet& set) {
  std::vector<size_t> segments;
  set.ForEach([&](size_t segment) { segments.push_back(segment); });
  return segments;
}

std::vector<size_t> Listed(const std::set<size_t>& set) {
  return {set.begin(), set.end()};
}

TEST(SegmentSet, HasAllSegmentsBelowANumber) {
  for (const size_t segments : {0, 1, 63, 64, 65, 128, 1000}) {
    std::vector<size_t> expected(segments);
    for (size_t i = 0; i < segments; ++i) expected[i] = i;
    EXPECT_EQ(Listed(SegmentSet::All(segments)), expected);
  }
}

TEST(SegmentSet, EqualsSetsOfNumbers) {
  SeededRandom random(3);
  for (int round = 0; round < 200; ++round) {
    SegmentSet sets[2];
    std::set<size_t> expected[2];
    for (int n = 0; n < 2; ++n) {
      const size_t segments = random.Below(200);
      sets[n].Resize(segments / 2);
      for (size_t i = 0; i < segments; ++i) {
        const size_t segment = random.Below(segments);
        if (segment >= segments / 2) sets[n].Resize(segments);  // those of the set stay
        sets[n].Add(segment);
        expected[n].insert(segment);
      }
      sets[n].Resize(segments);
      for (size_t i = 0; i < segments; ++i) ASSERT_EQ(sets[n].Has(i), expected[n].contains(i));
      ASSERT_EQ(Listed(sets[n]), Listed(expected[n]));
    }
    SegmentSet both = sets[0], any = sets[0];
    both.And(sets[1]);
    any.Or(sets[1]);
    std::set<size_t> in_both, in_any = expected[0];
    for (const size_t segment : expected[1]) {
      if (expected[0].contains(segment)) in_both.insert(segment);
      in_any.insert(segment);
    }
    ASSERT_EQ(Listed(both), Listed(in_both));
    ASSERT_EQ(Listed(any), Listed(in_any));
  }
}

}  // namespace segment_set_test
}  // namespace pmdex
