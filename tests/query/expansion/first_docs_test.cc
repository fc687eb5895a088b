#include "query/expansion/first_docs.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "engine/segment/live_docs.h"
#include "tests/support/random_corpus.h"
#include "tests/support/segment_bytes.h"
#include "tests/support/vector_segment_input.h"

namespace pmdex {
namespace first_docs_test {

constexpr uint32_t kDocCount = 3000;

// A segment without terms: the lists of these tests lie outside it, as inline lists do.
std::shared_ptr<const Segment> SegmentOfDocuments() {
  VectorSegmentInput input({.positions = false});
  const FieldId field = input.AddField("field");
  for (DocId doc = 0; doc < kDocCount; ++doc) input.AddDocument("doc" + std::to_string(doc));
  input.AddPosting(field, "term", {0, 1, {}});
  input.Finish();
  return SegmentBytes(input).Open().value();
}

DocumentsView ListOf(const std::vector<DocId>& docs) {
  DocumentsView list;
  list.df = static_cast<uint32_t>(docs.size());
  list.docids = docs.data();
  return list;
}

TEST(FirstDocs, AreTheLeastOfTheUnionThatAreNotDeleted) {
  const auto segment = SegmentOfDocuments();
  SeededRandom random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<DocId> deleted;
    for (DocId doc = 0; doc < kDocCount && round % 2 == 1; ++doc) {
      if (random.OneIn(3)) deleted.push_back(doc);
    }
    const LiveDocs live = LiveDocs::Without(kDocCount, deleted);
    CursorContext context{kDocCount, "segment", absl::OkStatus()};
    if (!deleted.empty()) context.live_docs = &live;
    const size_t most = 1 + random.Below(round % 3 == 0 ? 3 : 60);
    FirstDocs docs(*segment, most, context);
    std::set<DocId> expected;
    for (size_t lists = random.Below(40); lists > 0; --lists) {
      std::set<DocId> list;
      for (size_t i = random.Below(50); i > 0; --i) {
        list.insert(static_cast<DocId>(random.Below(kDocCount)));
      }
      ASSERT_TRUE(docs.Add(ListOf({list.begin(), list.end()})).ok());
      for (const DocId doc : list) {
        if (live.IsLive(doc)) expected.insert(doc);
      }
    }
    while (expected.size() > most) expected.erase(std::prev(expected.end()));
    ASSERT_EQ(docs.Take(), std::vector<DocId>(expected.begin(), expected.end()));
    ASSERT_TRUE(context.damage.ok());
  }
}

TEST(FirstDocs, ReportADocidOutOfRangeThatTheyCameTo) {
  const auto segment = SegmentOfDocuments();
  CursorContext context{kDocCount, "segment", absl::OkStatus()};
  FirstDocs docs(*segment, 2, context);
  ASSERT_TRUE(docs.Add(ListOf({1, kDocCount})).ok());
  EXPECT_EQ(context.damage.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(docs.Take(), std::vector<DocId>{1});
}

TEST(FirstDocs, DoNotLookBehindTheLastThatTheyNeed) {
  const auto segment = SegmentOfDocuments();
  CursorContext context{kDocCount, "segment", absl::OkStatus()};
  FirstDocs docs(*segment, 2, context);
  ASSERT_TRUE(docs.Add(ListOf({1, 2, kDocCount})).ok());
  EXPECT_TRUE(context.damage.ok());
  EXPECT_EQ(docs.Take(), (std::vector<DocId>{1, 2}));
}

}  // namespace first_docs_test
}  // namespace pmdex
