// Compressed lists, read in any order of blocks and postings, against the uncompressed ones.
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "engine/segment/compressed/compressed_list_reader.h"
#include "engine/segment/compressed/decoded_list.h"
#include "engine/segment/compressed/position_unit_writer.h"
#include "engine/segment/compressed/position_units.h"
#include "engine/segment/compressed/unit_writer.h"
#include "engine/segment/file/segment_file_writer.h"
#include "engine/segment/segment.h"
#include "tests/support/compressed_snapshot.h"
#include "tests/support/random_corpus.h"
#include "tests/support/segment_bytes.h"

namespace pmdex {
namespace compressed_list_test {

constexpr uint32_t kDocs = 30'000;

// Terms "t0", in half of the documents, to "t9".
std::shared_ptr<const Segment> WriteRandomSegment() {
  SeededRandom random(3);
  VectorSegmentInput input({.positions = true});
  const FieldId body = input.AddField("body");
  for (uint32_t i = 0; i < kDocs; ++i) input.AddDocument("");
  for (uint32_t term = 0; term < 10; ++term) {
    for (DocId doc = 0; doc < kDocs; ++doc) {
      if (!random.OneIn(uint64_t{2} << term)) continue;
      VectorPosting posting{doc, 0, {}};
      posting.freq = static_cast<uint32_t>(random.OneIn(500)  ? 280
                                           : random.OneIn(50) ? 200 + random.Below(60)
                                           : term % 2 == 0    ? 1 + random.Below(4)
                                                              : 1);
      uint32_t position = static_cast<uint32_t>(random.Below(2000));
      for (uint32_t i = 0; i < posting.freq; ++i) {
        posting.positions.push_back(position += 1 + static_cast<uint32_t>(random.Below(300)));
      }
      input.AddPosting(body, "t" + std::to_string(term), posting);
    }
  }
  input.Finish();
  return SegmentBytes(input).Open().value();
}

class CompressedList : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    raw_ = WriteRandomSegment();
    compressed_ = CompressSegment(*raw_);
  }
  static void TearDownTestSuite() {
    raw_.reset();
    compressed_.reset();
  }
  static PostingListView Open(const Segment& segment, uint32_t term, ListLoading loading) {
    const DictionaryEntry entry = segment.Find(0, "t" + std::to_string(term)).value().value();
    return segment.Postings(entry, ListParts::kAll, loading).value();
  }

  inline static std::shared_ptr<const Segment> raw_;
  inline static std::shared_ptr<const Segment> compressed_;
};

TEST_F(CompressedList, HasTheSameLanesInWhateverOrderBlocksAreLoaded) {
  SeededRandom random(5);
  for (uint32_t term = 0; term < 10; ++term) {
    const PostingListView raw = Open(*raw_, term, ListLoading::kWhole);
    const PostingListView list = Open(*compressed_, term, ListLoading::kByBlock);
    ASSERT_NE(list.decoded, nullptr);
    ASSERT_EQ(list.df, raw.df);
    for (int round = 0; round < 60; ++round) {
      const auto begin = static_cast<uint32_t>(random.Below(list.df));
      const auto end =
          begin + 1 + static_cast<uint32_t>(random.Below(std::min(list.df - begin, 900u)));
      list.Load(begin, end);
      for (uint32_t i = begin; i < end; ++i) {
        if (list.docids != nullptr) {
          ASSERT_EQ(list.docids[i], raw.Doc(i));
        }
        ASSERT_EQ(list.freqs[i], raw.freqs[i]);
        ASSERT_EQ(list.codes[i], raw.codes[i]);
        if (i % kPositionGroup == 0 && i > 0) {
          ASSERT_EQ(list.groups[i / kPositionGroup - 1], raw.groups[i / kPositionGroup - 1]);
        }
      }
    }
    EXPECT_TRUE(list.decoded->status().ok());
  }
}

TEST_F(CompressedList, HasTheSamePositionsInWhateverOrderTheyAreRead) {
  SeededRandom random(7);
  std::vector<uint32_t> found, expected;
  for (uint32_t term = 0; term < 10; ++term) {
    const PostingListView raw = Open(*raw_, term, ListLoading::kWhole);
    const PostingListView list = Open(*compressed_, term, ListLoading::kByBlock);
    for (int round = 0; round < 300; ++round) {
      const auto i = static_cast<uint32_t>(random.Below(list.df));
      ASSERT_TRUE(list.ReadPositions(i, found).ok());
      ASSERT_TRUE(raw.ReadPositions(i, expected).ok());
      ASSERT_EQ(found, expected);
      const auto place = list.PositionsInPlace(i);
      const auto raw_place = raw.PositionsInPlace(i);
      ASSERT_EQ(std::vector(place.begin(), place.end()),
                std::vector(raw_place.begin(), raw_place.end()));
    }
  }
}

TEST_F(CompressedList, GivesTheDocumentsAlone) {
  for (uint32_t term = 0; term < 10; ++term) {
    const PostingListView raw = Open(*raw_, term, ListLoading::kWhole);
    TermIterator terms(compressed_->dictionary(), 0);
    ASSERT_TRUE(terms.Seek("t" + std::to_string(term)));
    const auto documents = compressed_->LocateDocuments(terms.documents()).value();
    ASSERT_EQ(documents.df, raw.df);
    ASSERT_EQ(documents.bits != nullptr, raw.bits != nullptr);
    if (documents.bits != nullptr) {
      ASSERT_TRUE(compressed_->VerifyDocuments(documents).ok());
      EXPECT_TRUE(std::equal(raw.bits, raw.bits + BitsetWords(kDocs), documents.bits));
      continue;
    }
    UnitDocuments units = compressed_->CompressedDocuments(documents);
    std::vector<DocId> docids;
    for (auto some = units.Next().value(); !some.empty(); some = units.Next().value()) {
      docids.insert(docids.end(), some.begin(), some.end());
    }
    ASSERT_EQ(docids.size(), raw.df);
    for (uint32_t i = 0; i < raw.df; ++i) ASSERT_EQ(docids[i], raw.Doc(i));
  }
}

// A block whose unit is another one becomes zeros, and the segment says so; other blocks stay
// right.
TEST_F(CompressedList, ClearsBlocksWhoseUnitsAreDamaged) {
  SegmentBytes bytes(*compressed_);
  const DictionaryEntry entry = compressed_->Find(0, "t5").value().value();
  ASSERT_EQ(entry.representation, Representation::kCompressed);
  const uint64_t unit = entry.lanes.postings_offset;
  bytes.section(SectionKind::kCompressedUnits)[unit + offsetof(UnitHeader, last)] ^= std::byte{1};
  bytes.Reseal();
  const auto segment = bytes.Open().value();
  EXPECT_TRUE(absl::IsDataLoss(segment->Postings(entry).status()));
  const auto again = bytes.Open().value();
  const auto list = again->Postings(entry, ListParts::kAll, ListLoading::kByBlock).value();
  const PostingListView raw = Open(*raw_, 5, ListLoading::kWhole);
  ASSERT_GT(list.df, kBlockPostings);
  list.Load(list.df - 1, list.df);
  EXPECT_EQ(list.docids[list.df - 1], raw.docids[list.df - 1]);
  EXPECT_TRUE(again->Health().ok());
  list.Load(0, 1);
  EXPECT_EQ(list.docids[0], 0u);
  EXPECT_EQ(list.freqs[0], 0u);
  EXPECT_TRUE(absl::IsDataLoss(list.decoded->status()));
  EXPECT_TRUE(absl::IsDataLoss(again->Health()));
}

TEST(UnitWriter, RefusesListsThatCannotBeEncoded) {
  const auto directory = NewDramDirectory("units");
  const auto file = directory->Create("file", 1 << 20).value();
  SectionStream stream(*file, SectionKind::kCompressedUnits, 4096, 1 << 16);
  UnitWriter writer(stream, 0);
  std::vector<DocId> docids = {3, 5, 9};
  std::vector<uint8_t> freqs = {1, 2, 1};
  const std::vector<uint8_t> codes = {7, 7, 8};
  PostingListView list;
  list.df = 3;
  list.cf = 4;
  list.doc_count = 10;
  list.docids = docids.data();
  list.freqs = freqs.data();
  list.codes = codes.data();
  EXPECT_EQ(writer.Write(list).value(), 0u);
  freqs[1] = 0;
  EXPECT_TRUE(absl::IsDataLoss(writer.Write(list).status()));
  freqs[1] = 2;
  docids[1] = 9;
  EXPECT_TRUE(absl::IsDataLoss(writer.Write(list).status()));
  docids = {3, 5, 10};
  EXPECT_TRUE(absl::IsDataLoss(writer.Write(list).status()));
  EXPECT_TRUE(writer.places().empty());
}

// Runs of every length, on several pages, over many units.
TEST(PositionUnits, GivesBackWhatWasWrittenInAnyOrder) {
  SeededRandom random(11);
  std::vector<std::vector<uint16_t>> runs;
  std::vector<uint64_t> begins;
  const auto directory = NewDramDirectory("positions");
  auto file = directory->Create("file", 8 << 20).value();
  SegmentFileWriter writer(*file);
  SectionStream stream = writer.Start(SectionKind::kPositionUnits, 4 << 20).value();
  PositionUnitWriter units(stream, 1000);
  for (int i = 0; i < 3000; ++i) {
    std::vector<uint16_t> run(1 + (random.OneIn(50) ? random.Below(2000) : random.Below(5)));
    for (uint16_t& entry : run) entry = static_cast<uint16_t>(random.Next() >> random.Below(40));
    runs.push_back(std::move(run));
  }
  for (size_t first = 0; first < runs.size();) {
    const size_t last = std::min(runs.size(), first + random.Below(40));  // sometimes none
    std::vector<uint16_t> entries;
    std::vector<uint32_t> counts;
    for (size_t n = first; n < last; ++n) {
      if (random.OneIn(9)) counts.push_back(0);
      begins.push_back(units.entries() + entries.size());
      counts.push_back(static_cast<uint32_t>(runs[n].size()));
      entries.insert(entries.end(), runs[n].begin(), runs[n].end());
    }
    units.Append(entries, counts);
    first = last;
  }
  const uint64_t entries = units.entries();
  units.Finish();
  ASSERT_TRUE(writer.Finish(stream).ok());
  ASSERT_TRUE(writer.WriteArray(SectionKind::kPositionUnitStarts, units.starts()).ok());
  ASSERT_TRUE(writer.Close({}).ok());
  ASSERT_TRUE(file->Seal(writer.file_bytes()).ok());
  file.reset();
  const auto view = SegmentView::Open(directory->Open("file").value(), "file").value();
  EXPECT_GE(PositionUnits::MostEntries(view), entries);
  PositionUnits reader(view);
  for (int i = 0; i < 5000; ++i) {
    const size_t n = i < 3000 ? static_cast<size_t>(i) : random.Below(runs.size());
    std::vector<uint16_t> found(runs[n].size());
    ASSERT_TRUE(reader.ReadRun(begins[n], begins[n] + found.size(), found.data()).ok());
    ASSERT_EQ(found, runs[n]);
  }
  for (int i = 0; i < 500; ++i) {
    const size_t n = random.Below(runs.size());
    const size_t last = std::min(runs.size(), n + 1 + random.Below(64));
    uint64_t wanted = random.Below(~uint64_t{0}) >> random.Below(64);
    if (i % 3 == 0) wanted = ~uint64_t{0};
    if (i % 3 == 1) wanted &= random.Below(~uint64_t{0}) & random.Below(~uint64_t{0});
    wanted &= ~uint64_t{0} >> (64 - (last - n));
    std::vector<uint32_t> counts;
    size_t size = 0;
    for (size_t j = n; j < last; ++j) {
      counts.push_back(static_cast<uint32_t>(runs[j].size()));
      size += runs[j].size();
    }
    std::vector<uint16_t> found(size);
    ASSERT_TRUE(reader.ReadRuns(begins[n], counts, wanted, found.data()).ok());
    for (size_t j = n; j < last; ++j) {
      if ((wanted >> (j - n) & 1) == 0) continue;
      const auto run = std::span(found).subspan(begins[j] - begins[n], runs[j].size());
      ASSERT_TRUE(std::equal(run.begin(), run.end(), runs[j].begin(), runs[j].end()));
    }
  }
  std::vector<uint16_t> beyond(300);
  // Only what is wanted is read: here the last entry of all, and what lies behind it.
  const std::vector<uint32_t> ones(64, 1);
  EXPECT_TRUE(reader.ReadRuns(entries - 1, ones, 0, beyond.data()).ok());
  EXPECT_TRUE(reader.ReadRuns(entries - 1, ones, 1, beyond.data()).ok());
  EXPECT_TRUE(absl::IsDataLoss(reader.ReadRuns(entries - 1, ones, 2, beyond.data())));
  EXPECT_TRUE(absl::IsDataLoss(reader.ReadRun(entries - 1, entries + 290, beyond.data())));
  EXPECT_TRUE(absl::IsDataLoss(reader.ReadRun(~uint64_t{0} - 300, ~uint64_t{0}, beyond.data())));
}

}  // namespace compressed_list_test
}  // namespace pmdex
