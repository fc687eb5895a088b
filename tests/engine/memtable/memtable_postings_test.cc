#include "engine/memtable/memtable_postings.h"

#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace memtable_postings_test {

struct Posting {
  DocId doc = 0;
  std::vector<uint32_t> positions;
};

std::vector<Posting> RandomPostings(std::mt19937& random, size_t count) {
  std::vector<Posting> postings(count);
  uint64_t doc = random() % 3;
  for (Posting& posting : postings) {
    posting.doc = static_cast<DocId>(doc);
    doc += 1 + (random() % 4 == 0 ? random() % 100000 : random() % 3);
    uint32_t position = random() % 1000;
    for (size_t n = 1 + random() % (1 + random() % 9); n > 0; --n) {
      posting.positions.push_back(position);
      position += 1 + (random() % 50 == 0 ? random() % (1u << 31) / 32 : random() % 200);
    }
  }
  return postings;
}

class MemtablePostings : public testing::TestWithParam<std::tuple<bool, SimdLevel>> {
 protected:
  void Add(const Posting& posting) {
    bool began = true;
    for (const uint32_t position : posting.positions) {
      const bool begins = positions_ ? AddOccurrence<true>(slices_, entry_, posting.doc, position)
                                     : AddOccurrence<false>(slices_, entry_, posting.doc, position);
      ASSERT_EQ(begins, began);
      began = false;
    }
  }

  void Start() {
    entry_ = {};
    entry_.postings = PostingSlices::Start(entry_.first);
  }

  // Reads in blocks of random sizes and compares with the first `count` of them.
  void ExpectRead(const std::vector<Posting>& postings, size_t count, std::mt19937& random) {
    ASSERT_EQ(entry_.df, count);
    PostingReader& reader = reader_;
    reader.Open(entry_);
    std::vector<DocId> docids(count + 1);
    std::vector<uint32_t> freqs(count + 1), positions, expected;
    BlockPositions block;
    size_t read = 0;
    while (read < count) {
      const uint32_t wanted = 1 + random() % (random() % 2 == 0 ? 7 : 100);
      const uint32_t got =
          positions_ ? reader.ReadWithPositions(wanted, &docids[read], &freqs[read], block)
                     : reader.Read(wanted, &docids[read], &freqs[read]);
      ASSERT_EQ(got, std::min<size_t>(wanted, count - read));
      read += got;
      for (size_t i = 0; i < block.size(); ++i) positions.push_back(block[i]);
    }
    EXPECT_EQ(reader.postings_left(), 0u);
    for (size_t i = 0; i < count; ++i) {
      ASSERT_EQ(docids[i], postings[i].doc);
      ASSERT_EQ(freqs[i], postings[i].positions.size());
      expected.insert(expected.end(), postings[i].positions.begin(), postings[i].positions.end());
    }
    if (positions_) {
      EXPECT_EQ(positions, expected);
    }
    EXPECT_EQ(entry_.cf, expected.size());
  }

  const bool positions_ = std::get<0>(GetParam());
  Arena arena_;
  PostingSlices slices_{arena_};
  PostingReader reader_{slices_, PostingKernelsOf(std::get<1>(GetParam()))};
  TermEntry entry_{};
};

TEST_P(MemtablePostings, ComeBackAsTheyWentIn) {
  std::mt19937 random(5);
  for (size_t count = 1; count < 400; count += 1 + count / 8) {
    Start();
    const std::vector<Posting> postings = RandomPostings(random, count);
    for (const Posting& posting : postings) Add(posting);
    ExpectRead(postings, count, random);
  }
}

TEST_P(MemtablePostings, AreReadWithoutTheLastOneWhenItWasTakenBack) {
  std::mt19937 random(6);
  for (size_t count = 2; count < 60; ++count) {
    Start();
    const std::vector<Posting> postings = RandomPostings(random, count);
    for (const Posting& posting : postings) Add(posting);
    RemoveLastPosting(entry_);
    ExpectRead(postings, count - 1, random);
  }
}

TEST_P(MemtablePostings, OfTheFirstAndTheLargestDocidAreNoSpecialCase) {
  std::mt19937 random(7);
  Start();
  const std::vector<Posting> postings = {{0, {0, 1}}, {0x7fffffff, {0x7fffffff}}};
  for (const Posting& posting : postings) Add(posting);
  ExpectRead(postings, 2, random);
}

TEST(MemtablePosting, OfARareTermTouchesNothingButItsEntry) {
  Arena arena;
  PostingSlices slices(arena);
  const size_t before = arena.used_bytes();
  TermEntry entry{};
  entry.postings = PostingSlices::Start(entry.first);
  AddOccurrence<true>(slices, entry, 200000, 300);
  AddOccurrence<true>(slices, entry, 200000, 310);
  AddOccurrence<true>(slices, entry, 200900, 20);
  EXPECT_EQ(arena.used_bytes(), before);
}

TEST(MemtablePosting, OfATermOfOneDocumentHasOneValueWithoutPositions) {
  Arena arena;
  PostingSlices slices(arena);
  TermEntry entry{};
  entry.postings = PostingSlices::Start(entry.first);
  for (uint32_t i = 0; i < 1000; ++i) AddOccurrence<false>(slices, entry, 100, i);
  EXPECT_EQ(entry.postings.next, entry.first + 1);
  DocId docid = 0;
  uint32_t freq = 0;
  PostingReader reader(slices);
  reader.Open(entry);
  EXPECT_EQ(reader.Read(2, &docid, &freq), 1u);
  EXPECT_EQ(docid, 100u);
  EXPECT_EQ(freq, 1000u);
}

TEST(MemtablePosting, OfDenseTermsAreReadRightAcrossSlicesAndGaps) {
  Arena arena;
  PostingSlices slices(arena);
  TermEntry entry{};
  entry.postings = PostingSlices::Start(entry.first);
  std::vector<DocId> expected;
  for (DocId doc = 0; doc < 3000; doc += doc % 50 == 49 ? 70 : doc % 3 + 1) {
    AddOccurrence<false>(slices, entry, doc, 0);
    if (doc % 37 == 5) AddOccurrence<false>(slices, entry, doc, 1);
    expected.push_back(doc);
  }
  std::vector<DocId> docids(expected.size());
  std::vector<uint32_t> freqs(expected.size());
  PostingReader reader(slices);
  reader.Open(entry);
  ASSERT_EQ(reader.Read(entry.df, docids.data(), freqs.data()), expected.size());
  EXPECT_EQ(docids, expected);
  for (size_t i = 0; i < freqs.size(); ++i) ASSERT_EQ(freqs[i], docids[i] % 37 == 5 ? 2u : 1u);
}

std::string NameOf(const testing::TestParamInfo<MemtablePostings::ParamType>& info) {
  return std::string(std::get<0>(info.param) ? "WithPositions" : "WithoutPositions") +
         std::string(ToString(std::get<1>(info.param)));
}

INSTANTIATE_TEST_SUITE_P(All, MemtablePostings,
                         testing::Combine(testing::Bool(), testing::ValuesIn(UsableSimdLevels())),
                         NameOf);

}  // namespace memtable_postings_test
}  // namespace pmdex
