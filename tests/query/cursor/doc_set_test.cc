#include "query/cursor/doc_set.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "gtest/gtest.h"

#include "tests/query/cursor_support.h"
#include "tests/support/bitset_list.h"

namespace pmdex {
namespace doc_set_test {

DocumentsView ListOf(const std::vector<DocId>& docs) {
  DocumentsView list;
  list.df = static_cast<uint32_t>(docs.size());
  list.docids = docs.data();
  return list;
}

DocumentsView Bits(const BitsetList& bits) {
  return {.df = bits.df, .bits = bits.words.data(), .mapped = {}};
}

TEST(DocSet, IsAUnionWhetherSparseOrDense) {
  const std::vector<DocId> a = {3, 64, 65};
  const std::vector<DocId> b = {0, 3, 127};
  // A set of six documents is dense among 128 documents and sparse among 30,000.
  for (const uint32_t doc_count : {128u, 30000u}) {
    CursorContext context{doc_count, "segment", absl::OkStatus()};
    const auto make = [&] {
      DocSet set(doc_count);
      set.Add(ListOf(a), context);
      set.Add(ListOf(b), context);
      set.Finish();
      return std::make_unique<DocSetCursor>(std::move(set), 2.0f);
    };
    ExpectKeepsPromises(make, {0, 3, 64, 65, 127}, 140);
    EXPECT_EQ(make()->Score(), 2.0f);
    EXPECT_TRUE(context.damage.ok());
  }
}

TEST(DocSet, KnowsItsMembers) {
  const std::vector<DocId> docs = {0, 3, 64, 65, 127};
  for (const uint32_t doc_count : {128u, 30000u}) {
    CursorContext context{doc_count, "segment", absl::OkStatus()};
    DocSet set(doc_count);
    set.Add(ListOf(docs), context);
    set.Finish();
    for (DocId doc = 0; doc < doc_count; ++doc) {
      EXPECT_EQ(set.Contains(doc), std::binary_search(docs.begin(), docs.end(), doc)) << doc;
    }
  }
}

TEST(DocSet, ReportsDocidsOutOfRange) {
  for (const uint32_t doc_count : {20u, 20000u}) {
    for (const DocId beyond : {doc_count, DocId{50000}}) {
      const std::vector<DocId> docs = {1, doc_count - 1, beyond, 2};
      CursorContext context{doc_count, "segment", absl::OkStatus()};
      DocSet set(doc_count);
      set.Add(ListOf(docs), context);
      set.Finish();
      EXPECT_EQ(context.damage.code(), absl::StatusCode::kDataLoss);
      DocSetCursor cursor(std::move(set), 1.0f);
      EXPECT_EQ(Walk(cursor), (std::vector<DocId>{1, doc_count - 1}));
    }
  }
}

TEST(DocSet, TakesBitsetsWhole) {
  const std::vector<DocId> docids = {2, 700};
  for (const uint32_t doc_count : {1000u, 1024u}) {
    const BitsetList bits({0, 63, 64, 511, 512, 999}, doc_count);
    CursorContext context{doc_count, "segment", absl::OkStatus()};
    const auto make = [&] {
      DocSet set(doc_count);
      set.Add(ListOf(docids), context);
      set.Add(Bits(bits), context);
      set.Add(ListOf(docids), context);
      set.Finish();
      return std::make_unique<DocSetCursor>(std::move(set), 2.0f);
    };
    ExpectKeepsPromises(make, {0, 2, 63, 64, 511, 512, 700, 999}, 1030);
    EXPECT_EQ(make()->Cost(), 10u);
    EXPECT_TRUE(context.damage.ok());
  }
}

TEST(DocSet, LeavesOutBitsBehindTheLastDocument) {
  for (const DocId behind : {1000u, 1023u}) {
    BitsetList bits({5, 990}, 1000);
    bits.words[behind / 64] |= uint64_t{1} << (behind % 64);
    CursorContext context{1000, "segment", absl::OkStatus()};
    DocSet set(1000);
    set.Add(Bits(bits), context);
    set.Finish();
    EXPECT_EQ(context.damage.code(), absl::StatusCode::kDataLoss);
    DocSetCursor cursor(std::move(set), 1.0f);
    EXPECT_EQ(Walk(cursor), (std::vector<DocId>{5, 990}));
  }
}

TEST(DocSet, IsEmptyWithoutLists) {
  DocSet set(0);
  set.Finish();
  DocSetCursor cursor(std::move(set), 1.0f);
  EXPECT_EQ(cursor.doc(), kEndOfDocs);
}

}  // namespace doc_set_test
}  // namespace pmdex
