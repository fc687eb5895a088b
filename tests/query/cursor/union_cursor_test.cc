#include "query/cursor/union_cursor.h"

#include <set>
#include <vector>

#include "gtest/gtest.h"

#include "query/cursor/all_cursor.h"
#include "query/cursor/exclusion_cursor.h"
#include "tests/query/cursor_support.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace union_cursor_test {

CursorPointer UnionOf(const std::vector<std::vector<DocId>>& lists) {
  std::vector<CursorPointer> clauses;
  for (const std::vector<DocId>& list : lists) clauses.push_back(Docs(list));
  return std::make_unique<UnionCursor>(std::move(clauses));
}

TEST(UnionCursor, KeepsThePromisesOfCursors) {
  const auto make = [] { return UnionOf({{1, 4, 9}, {}, {0, 4, 12}, {9, 10}}); };
  ExpectKeepsPromises(make, {0, 1, 4, 9, 10, 12}, 15);
  ExpectKeepsPromises([] { return UnionOf({}); }, {}, 3);
}

TEST(UnionCursor, EqualsASetOnRandomLists) {
  SeededRandom random(5);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::vector<DocId>> lists(1 + random.Below(9));
    std::set<DocId> expected;
    for (std::vector<DocId>& list : lists) {
      for (DocId doc = 0; doc < 60; ++doc) {
        if (random.OneIn(6)) list.push_back(doc);
      }
      expected.insert(list.begin(), list.end());
    }
    const auto cursor = UnionOf(lists);
    EXPECT_EQ(Walk(*cursor), std::vector<DocId>(expected.begin(), expected.end()));
  }
}

TEST(UnionCursor, AddsScoresInClauseOrderAndRoundsOnce) {
  std::vector<CursorPointer> clauses;
  clauses.push_back(Docs({3}, 1e8f));
  clauses.push_back(Docs({3}, 3.0f));
  clauses.push_back(Docs({3, 5}, 3.0f));
  UnionCursor cursor(std::move(clauses));
  // In float, 1e8 + 3 would stay 1e8.
  EXPECT_EQ(cursor.Score(), static_cast<float>(100000006.0));
  EXPECT_EQ(cursor.Score(), static_cast<float>(100000006.0));
  EXPECT_EQ(cursor.Next(), 5u);
  EXPECT_EQ(cursor.Score(), 3.0f);
}

TEST(ExclusionCursor, KeepsThePromisesOfCursors) {
  const auto make = [] {
    return std::make_unique<ExclusionCursor>(Docs({0, 2, 3, 5, 8, 9}, 4), Docs({2, 4, 8}));
  };
  ExpectKeepsPromises(make, {0, 3, 5, 9}, 12);
  EXPECT_EQ(make()->Score(), 4.0f);
}

TEST(AllCursors, KeepThePromisesOfCursors) {
  ExpectKeepsPromises([] { return std::make_unique<AllCursor>(4, 1.0f); }, {0, 1, 2, 3}, 6);
  ExpectKeepsPromises([] { return std::make_unique<AllCursor>(0, 1.0f); }, {}, 2);
  ExpectKeepsPromises([] { return std::make_unique<EmptyCursor>(); }, {}, 2);
  const std::vector<uint8_t> norms = {0, 3, 0, 0, 1, 0};
  ExpectKeepsPromises([&] { return std::make_unique<FieldCursor>(norms, 2.0f); }, {1, 4}, 8);
}

}  // namespace union_cursor_test
}  // namespace pmdex
