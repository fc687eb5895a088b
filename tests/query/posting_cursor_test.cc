#include "query/posting_cursor.h"

#include <memory>
#include <vector>

#include "gtest/gtest.h"

#include "tests/query/cursor_support.h"

namespace pmdex {
namespace {

PostingListView Lane(const std::vector<DocId>& docs) {
  PostingListView list;
  list.df = static_cast<uint32_t>(docs.size());
  list.docids = docs.data();
  return list;
}

TEST(PostingCursor, KeepsThePromisesOfCursors) {
  const std::vector<DocId> docs = {0, 1, 3, 7, 8, 20, 21, 22, 39};
  CursorContext context{40, "segment", absl::OkStatus()};
  ExpectKeepsPromises([&] { return std::make_unique<PostingCursor>(Lane(docs), context); }, docs,
                      45);
  EXPECT_TRUE(context.damage.ok());
}

TEST(PostingCursor, KnowsTheIndexOfThePosting) {
  std::vector<DocId> docs;
  for (DocId doc = 0; doc < 3000; doc += 3) docs.push_back(doc);
  CursorContext context{3000, "segment", absl::OkStatus()};
  for (DocId target = 1; target < 2990; target += 17) {
    PostingCursor cursor(Lane(docs), context);
    cursor.Seek(target);
    EXPECT_EQ(cursor.index(), (target + 2) / 3);
  }
}

TEST(PostingCursor, EndsAtADocidThatIsOutOfRange) {
  const std::vector<DocId> docs = {1, 2, 99, 3};
  CursorContext context{10, "segment-7", absl::OkStatus()};
  PostingCursor cursor(Lane(docs), context);
  EXPECT_EQ(Walk(cursor), (std::vector<DocId>{1, 2}));
  EXPECT_EQ(context.damage.code(), absl::StatusCode::kDataLoss);
  EXPECT_NE(Message(context.damage).find("segment-7: posting 2 of 4"), std::string_view::npos);
  EXPECT_EQ(cursor.Next(), kEndOfDocs);
}

TEST(PostingCursor, EndsAtDocidsOutOfOrderWhateverTheTarget) {
  const std::vector<DocId> docs = {5, 4, 9, 0, 0xffffffff, 2, 8};
  for (DocId target = 0; target < 12; ++target) {
    CursorContext context{10, "segment", absl::OkStatus()};
    PostingCursor cursor(Lane(docs), context);
    DocId last = cursor.Seek(target);
    for (int i = 0; i < 10 && cursor.doc() != kEndOfDocs; ++i) {
      const DocId next = cursor.Next();
      EXPECT_GT(next, last);
      last = next;
    }
    EXPECT_EQ(cursor.doc(), kEndOfDocs);
  }
}

}  // namespace
}  // namespace pmdex
