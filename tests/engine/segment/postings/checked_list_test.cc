#include "engine/segment/postings/checked_list.h"

#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/vector_segment_input.h"

namespace pmdex {
namespace checked_list_test {

struct Filled {
  bool fits = false;
  DictionaryEntry entry{};
};

// Of one list, all of whose documents have norm 7.
Filled Fill(const std::vector<VectorPosting>& postings, bool positions) {
  VectorSegmentInput input({.positions = positions});
  const FieldId body = input.AddField("body");
  for (int i = 0; i < 20; ++i) input.AddDocument(std::to_string(i));
  for (const VectorPosting& posting : postings) input.AddPosting(body, "term", posting);
  input.Finish();
  const std::vector<uint8_t> norms(20, 7);
  const auto terms = input.OpenTerms();
  EXPECT_TRUE(terms->Next());
  CheckedList list(20, positions);
  EXPECT_TRUE(list.ReadFirst(*terms).ok());
  EXPECT_FALSE(list.has_more(terms->df()));
  Filled filled;
  DictionaryEntry before;
  std::memset(&before, 0x5a, sizeof(before));
  DictionaryEntry entry = before;
  filled.fits = list.FillInline(norms, entry);
  EXPECT_TRUE(filled.fits || std::memcmp(&entry, &before, sizeof(entry)) == 0) << "unchanged";
  filled.entry = entry;
  EXPECT_TRUE(list.Finish(*terms).ok());
  return filled;
}

TEST(CheckedList, PutsFourPostingsIntoAnEntryAndNotFive) {
  std::vector<VectorPosting> postings = {{1, 1, {}}, {5, 254, {}}, {6, 2, {}}, {19, 3, {}}};
  const Filled four = Fill(postings, false);
  EXPECT_TRUE(four.fits);
  EXPECT_EQ(four.entry.representation, Representation::kInline);
  EXPECT_EQ(four.entry.df, 4u);
  EXPECT_EQ(four.entry.cf, 260u);
  EXPECT_EQ(four.entry.inlined.docids[3], 19u);
  EXPECT_EQ(four.entry.inlined.freqs[1], 254);
  EXPECT_EQ(four.entry.inlined.codes[3], 7);
  EXPECT_EQ(four.entry.inlined.position_start, 0u);
  postings.insert(postings.begin(), {0, 1, {}});
  EXPECT_FALSE(Fill(postings, false).fits);
}

TEST(CheckedList, LeavesLargeFrequenciesToTheLanes) {
  const Filled filled = Fill({{1, 255, {}}}, false);
  EXPECT_FALSE(filled.fits);
}

TEST(CheckedList, PutsFourPositionsOfTheFirstPageIntoAnEntry) {
  const Filled four = Fill({{1, 1, {65534}}, {2, 3, {0, 4, 9}}}, true);
  EXPECT_TRUE(four.fits);
  EXPECT_EQ(four.entry.representation, Representation::kInlineWithPositions);
  EXPECT_EQ(four.entry.inlined.positions[0], 65534);
  EXPECT_EQ(four.entry.inlined.positions[3], 9);
  const Filled five = Fill({{1, 2, {1, 2}}, {2, 3, {0, 4, 9}}}, true);
  EXPECT_TRUE(five.fits);
  EXPECT_EQ(five.entry.representation, Representation::kInline) << "its positions do not fit";
  EXPECT_FALSE(Fill({{1, 1, {65535}}}, true).fits);
}

TEST(CheckedList, SaysWhichBlocksFollow) {
  VectorSegmentInput input({.positions = false});
  const FieldId body = input.AddField("body");
  for (uint32_t doc = 0; doc < 600; ++doc) {
    input.AddPosting(body, "term", {input.AddDocument(std::to_string(doc)), 1 + doc % 3, {}});
  }
  input.Finish();
  const auto terms = input.OpenTerms();
  ASSERT_TRUE(terms->Next());
  CheckedList list(600, false);
  ASSERT_TRUE(list.ReadFirst(*terms).ok());
  uint64_t postings = 0;
  for (;;) {
    EXPECT_EQ(list.postings_before(), postings);
    EXPECT_EQ(list.greatest_freq(), 3u);
    postings += list.block().count;
    EXPECT_EQ(list.last_doc(), postings - 1);
    if (!list.has_more(600)) break;
    ASSERT_TRUE(list.ReadNext(*terms).ok());
  }
  EXPECT_EQ(postings, 600u);
  EXPECT_TRUE(list.Finish(*terms).ok());
}

}  // namespace checked_list_test
}  // namespace pmdex
