#include "query/cursor/posting_cursor.h"

#include <memory>
#include <vector>

#include "gtest/gtest.h"

#include "tests/query/cursor_support.h"
#include "tests/support/bitset_list.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace posting_cursor_test {

PostingListView ListOf(const std::vector<DocId>& docs) {
  PostingListView list;
  list.df = static_cast<uint32_t>(docs.size());
  list.docids = docs.data();
  return list;
}

TEST(PostingCursor, KeepsThePromisesOfCursors) {
  const std::vector<DocId> docs = {0, 1, 3, 7, 8, 20, 21, 22, 39};
  CursorContext context{40, "segment", absl::OkStatus()};
  ExpectKeepsPromises([&] { return std::make_unique<PostingCursor>(ListOf(docs), context); }, docs,
                      45);
  EXPECT_TRUE(context.damage.ok());
}

TEST(PostingCursor, KnowsTheIndexOfThePosting) {
  std::vector<DocId> docs;
  for (DocId doc = 0; doc < 3000; doc += 3) docs.push_back(doc);
  CursorContext context{3000, "segment", absl::OkStatus()};
  for (DocId target = 1; target < 2990; target += 17) {
    PostingCursor cursor(ListOf(docs), context);
    cursor.Seek(target);
    EXPECT_EQ(cursor.index(), (target + 2) / 3);
  }
}

TEST(PostingCursor, KeepsThePromisesOfCursorsOverBits) {
  const std::vector<DocId> docs = {0, 1, 3, 63, 64, 511, 512, 513, 1023};
  for (const uint32_t doc_count : {1024u, 1030u}) {
    const BitsetList bits(docs, doc_count);
    CursorContext context{doc_count, "segment", absl::OkStatus()};
    ExpectKeepsPromises([&] { return std::make_unique<PostingCursor>(bits.view(), context); }, docs,
                        1040);
    EXPECT_TRUE(context.damage.ok());
  }
}

TEST(PostingCursor, WalksBitsAsTheLaneOfDocids) {
  SeededRandom random(71);
  constexpr uint32_t kDocs = 5000;
  for (const uint32_t one_in : {1u, 3u, 20u, 600u}) {
    std::vector<DocId> docs;
    for (DocId doc = 0; doc < kDocs; ++doc) {
      if (random.OneIn(one_in)) docs.push_back(doc);
    }
    const BitsetList bits(docs, kDocs);
    CursorContext context{kDocs, "segment", absl::OkStatus()};
    for (int round = 0; round < 50; ++round) {
      PostingCursor list(ListOf(docs), context);
      PostingCursor bit(bits.view(), context);
      const DocId step = static_cast<DocId>(1 + random.Below(1 + random.Below(1000)));
      while (list.doc() != kEndOfDocs) {
        ASSERT_EQ(bit.doc(), list.doc());
        ASSERT_EQ(bit.index(), list.index());
        const DocId target = list.doc() + static_cast<DocId>(random.Below(step));
        if (random.OneIn(3)) {
          ASSERT_EQ(bit.Next(), list.Next());
        } else {
          ASSERT_EQ(bit.Seek(target), list.Seek(target));
        }
        if (target == 0) list.Next(), bit.Next();
      }
      ASSERT_EQ(bit.doc(), kEndOfDocs);
      ASSERT_EQ(bit.index(), list.index());
    }
    EXPECT_TRUE(context.damage.ok()) << context.damage;
  }
}

TEST(PostingCursor, EndsWhereBitsAndRanksDisagree) {
  const std::vector<DocId> docs = {1, 600, 601, 1200};
  const auto end_of = [&](BitsetList& bits, DocId target) {
    CursorContext context{1300, "segment", absl::OkStatus()};
    PostingListView list = bits.view();
    list.df = 4;
    PostingCursor cursor(list, context);
    if (target != 0) cursor.Seek(target);
    while (cursor.doc() != kEndOfDocs) cursor.Next();
    return context.damage;
  };
  for (const DocId target : {0u, 600u, 1200u}) {
    BitsetList sound(docs, 1300);
    EXPECT_TRUE(end_of(sound, target).ok());
    BitsetList behind(docs, 1300);  // document 1200 becomes 1300
    behind.words[1200 / 64] = 0;
    behind.words[1300 / 64] |= uint64_t{1} << (1300 % 64);
    EXPECT_TRUE(absl::IsDataLoss(end_of(behind, target)));
  }
  BitsetList few({1, 600, 601}, 1300);
  EXPECT_TRUE(absl::IsDataLoss(end_of(few, 0)));
  for (const uint32_t rank : {0u, 4u, 0xffffffffu}) {
    BitsetList ranks(docs, 1300);
    ranks.ranks[1] = rank;
    EXPECT_TRUE(absl::IsDataLoss(end_of(ranks, 600)));
    CursorContext context{1300, "segment", absl::OkStatus()};
    PostingCursor cursor(ranks.view(), context);
    EXPECT_EQ(cursor.Seek(600), kEndOfDocs);  // not a posting later
  }
}

TEST(PostingCursor, EndsAtADocidThatIsOutOfRange) {
  const std::vector<DocId> docs = {1, 2, 99, 3};
  CursorContext context{10, "segment-7", absl::OkStatus()};
  PostingCursor cursor(ListOf(docs), context);
  EXPECT_EQ(Walk(cursor), (std::vector<DocId>{1, 2}));
  EXPECT_EQ(context.damage.code(), absl::StatusCode::kDataLoss);
  EXPECT_NE(Message(context.damage).find("segment-7: posting 2 of 4"), std::string_view::npos);
  EXPECT_EQ(cursor.Next(), kEndOfDocs);
}

TEST(PostingCursor, EndsAtDocidsOutOfOrderWhateverTheTarget) {
  const std::vector<DocId> docs = {5, 4, 9, 0, 0xffffffff, 2, 8};
  for (DocId target = 0; target < 12; ++target) {
    CursorContext context{10, "segment", absl::OkStatus()};
    PostingCursor cursor(ListOf(docs), context);
    DocId last = cursor.Seek(target);
    for (int i = 0; i < 10 && cursor.doc() != kEndOfDocs; ++i) {
      const DocId next = cursor.Next();
      EXPECT_GT(next, last);
      last = next;
    }
    EXPECT_EQ(cursor.doc(), kEndOfDocs);
  }
}

}  // namespace posting_cursor_test
}  // namespace pmdex
