#include "engine/memtable/memtable_terms.h"

#include "gtest/gtest.h"

namespace pmdex {
namespace {

TEST(MemtableTermStream, EndsWithTheOpenPostingAfterAFullBlock) {
  Arena slices;
  TermTable table(slices);
  TermEntry& entry = table.FindOrInsert(table.MakeKey(0, "t"));
  for (uint32_t doc = 0; doc < kBlockPostings; ++doc) {
    AppendVByte(slices, entry.postings, (doc == 0 ? 0 : 3) << 1 | 1);
    ++entry.df;
    ++entry.cf;
  }
  entry.last_doc = 5000;
  entry.freq = 2;
  const std::vector<SortedTerm> terms = SortTerms(table);
  const auto stream = NewMemtableTermStream(table, slices, terms, false);
  ASSERT_TRUE(stream->Next());
  EXPECT_EQ(stream->df(), kBlockPostings + 1);
  EXPECT_EQ(stream->cf(), kBlockPostings + 2);
  PostingBlock block;
  ASSERT_TRUE(stream->NextBlock(block));
  ASSERT_EQ(block.count, kBlockPostings);
  EXPECT_EQ(block.docids[kBlockPostings - 1], 3 * (kBlockPostings - 1));
  ASSERT_TRUE(stream->NextBlock(block));
  ASSERT_EQ(block.count, 1u);
  EXPECT_EQ(block.docids[0], 5000u);
  EXPECT_EQ(block.freqs[0], 2u);
  EXPECT_FALSE(stream->NextBlock(block));
  EXPECT_FALSE(stream->Next());
}

}  // namespace
}  // namespace pmdex
