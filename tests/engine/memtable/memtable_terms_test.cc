#include "engine/memtable/memtable_terms.h"

#include "gtest/gtest.h"

#include "engine/memtable/memtable_postings.h"
#include "engine/memtable/terms/term_sort.h"
#include "tests/support/readable_term.h"

namespace pmdex {
namespace memtable_terms_test {

TEST(MemtableTermStream, EndsWithTheLastPostingAfterAFullBlock) {
  Arena arena;
  PostingSlices slices(arena);
  TermTable table(arena);
  TermEntry& entry = table.FindOrInsert(table.MakeKey(0, ReadableTerm("t")));
  for (uint32_t doc = 0; doc < kBlockPostings; ++doc) {
    AddOccurrence<false>(slices, entry, 3 * doc, 0);
  }
  for (int i = 0; i < 2; ++i) AddOccurrence<false>(slices, entry, 5000, 0);
  const std::vector<TermHandle> terms = SortTerms(table);
  const auto stream =
      NewMemtableTermStream(table, slices, terms, {}, false, PostingKernelsOf(BestSimdLevel()));
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

TEST(MemtableTermStream, GivesTheOneOccurrenceOfATermThatHasNoEntry) {
  for (const bool positions : {false, true}) {
    Arena arena;
    PostingSlices slices(arena);
    TermTable table(arena);
    const std::string last(40, 'z');
    table.Note(table.MakeKey(3, ReadableTerm(last)), {8, 5});
    TermEntry& entry = table.FindOrInsert(table.MakeKey(2, ReadableTerm("entry")));
    AddOccurrence<true>(slices, entry, 4, 1);
    table.Note(table.MakeKey(1, ReadableTerm("first")), {0, 0});
    const std::vector<TermHandle> terms = SortTerms(table);
    const auto stream = NewMemtableTermStream(table, slices, terms, {}, positions,
                                              PostingKernelsOf(BestSimdLevel()));
    PostingBlock block;
    ASSERT_TRUE(stream->Next());
    EXPECT_EQ(stream->term(), "first");
    ASSERT_TRUE(stream->Next());
    EXPECT_EQ(stream->term(), "entry");
    ASSERT_TRUE(stream->Next());
    EXPECT_EQ(stream->field(), 3u);
    EXPECT_EQ(stream->term(), last);
    EXPECT_EQ(stream->df(), 1u);
    EXPECT_EQ(stream->cf(), 1u);
    ASSERT_TRUE(stream->NextBlock(block));
    ASSERT_EQ(block.count, 1u);
    EXPECT_EQ(block.docids[0], 8u);
    EXPECT_EQ(block.freqs[0], 1u);
    ASSERT_EQ(block.positions.size(), positions ? 1u : 0u);
    if (positions) {
      EXPECT_EQ(block.positions[0], 5u);
    }
    EXPECT_FALSE(stream->NextBlock(block));
    EXPECT_FALSE(stream->Next());
  }
}

TEST(MemtableTermStream, ReadsTheNextTermWhenTheOneBeforeWasLeftInItsMiddle) {
  Arena arena;
  PostingSlices slices(arena);
  TermTable table(arena);
  for (const char* term : {"a", "b"}) {
    TermEntry& entry = table.FindOrInsert(table.MakeKey(0, ReadableTerm(term)));
    for (uint32_t doc = 0; doc < 2 * kBlockPostings; ++doc) {
      AddOccurrence<true>(slices, entry, doc, doc + static_cast<uint32_t>(*term));
    }
  }
  const std::vector<TermHandle> terms = SortTerms(table);
  const auto stream =
      NewMemtableTermStream(table, slices, terms, {}, true, PostingKernelsOf(BestSimdLevel()));
  PostingBlock block;
  ASSERT_TRUE(stream->Next());
  ASSERT_TRUE(stream->NextBlock(block));
  ASSERT_TRUE(stream->Next());
  ASSERT_TRUE(stream->NextBlock(block));
  EXPECT_EQ(block.docids[0], 0u);
  ASSERT_EQ(block.positions.size(), kBlockPostings);
  EXPECT_EQ(block.positions[0], uint32_t{'b'});
}

}  // namespace memtable_terms_test
}  // namespace pmdex
