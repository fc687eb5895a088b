#include "query/cursor/conjunction_cursor.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"

#include "tests/query/cursor_support.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace conjunction_cursor_test {

CursorPointer AllOf(const std::vector<std::vector<DocId>>& lists) {
  std::vector<ConjunctionCursor::Clause> clauses;
  for (const std::vector<DocId>& list : lists) clauses.push_back({true, Docs(list)});
  return std::make_unique<ConjunctionCursor>(std::move(clauses));
}

TEST(ConjunctionCursor, KeepsThePromisesOfCursors) {
  ExpectKeepsPromises(
      [] {
        return AllOf({{1, 3, 4, 7, 9}, {0, 1, 4, 5, 9}, {1, 2, 4, 9, 11}});
      },
      {1, 4, 9}, 13);
  ExpectKeepsPromises([] { return AllOf({{1, 2}, {}}); }, {}, 3);
}

TEST(ConjunctionCursor, EqualsAnIntersectionOnRandomLists) {
  SeededRandom random(6);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::vector<DocId>> lists(1 + random.Below(4));
    for (std::vector<DocId>& list : lists) {
      for (DocId doc = 0; doc < 80; ++doc) {
        if (!random.OneIn(3)) list.push_back(doc);
      }
    }
    std::vector<DocId> expected;
    for (DocId doc = 0; doc < 80; ++doc) {
      if (std::all_of(lists.begin(), lists.end(), [&](const auto& list) {
            return std::binary_search(list.begin(), list.end(), doc);
          })) {
        expected.push_back(doc);
      }
    }
    const auto cursor = AllOf(lists);
    EXPECT_EQ(Walk(*cursor), expected);
  }
}

TEST(ConjunctionCursor, AddsOptionalScoresWhereTheyMatch) {
  std::vector<ConjunctionCursor::Clause> clauses;
  clauses.push_back({false, Docs({2, 6}, 10)});
  clauses.push_back({true, Docs({2, 4, 6, 8}, 1)});
  clauses.push_back({false, Docs({1, 4, 6}, 100)});
  ConjunctionCursor cursor(std::move(clauses));
  std::vector<float> scores;
  for (; cursor.doc() != kEndOfDocs; cursor.Next()) {
    scores.push_back(cursor.Score());
    EXPECT_EQ(cursor.Score(), scores.back());
  }
  EXPECT_EQ(scores, (std::vector<float>{11, 101, 111, 1}));
}

}  // namespace conjunction_cursor_test
}  // namespace pmdex
