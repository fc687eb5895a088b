#include "engine/segment/postings/posting_list_reader.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "engine/segment/segment.h"
#include "tests/support/random_corpus.h"
#include "tests/support/recording_file.h"
#include "tests/support/segment_bytes.h"

namespace pmdex {
namespace posting_list_reader_test {

// Lists of some pages each: bits, lanes of many blocks and of one, and inline ones.
class PostingListReaderTest : public testing::Test {
 protected:
  PostingListReaderTest() : sound_(Bytes()) {}

  static SegmentBytes Bytes() {
    VectorSegmentInput input({.positions = true});
    const FieldId field = input.AddField("body");
    SeededRandom random(3);
    for (DocId doc = 0; doc < 60'000; ++doc) {
      input.AddDocument("doc" + std::to_string(doc));
      for (uint32_t word = 0; word < 8; ++word) {
        const size_t one_in = word < 5 ? 2 + 7 * word : 400;
        if (word > 5 ? doc % 20'000 != word : !random.OneIn(one_in)) continue;
        const auto freq = static_cast<uint32_t>(1 + random.Below(4));
        VectorPosting posting{doc, freq, {}};
        for (uint32_t i = 0; i < freq; ++i) posting.positions.push_back(10 * i + word);
        input.AddPosting(field, "w" + std::to_string(word), std::move(posting));
      }
    }
    input.Finish();
    return SegmentBytes(input);
  }

  std::shared_ptr<const Segment> Open() {
    log_.clear();
    return Segment::Open(std::make_unique<RecordingFile>(sound_.bytes(), log_), "segment",
                         std::nullopt)
        .value();
  }
  static DictionaryEntry Find(const Segment& segment, uint32_t word) {
    return segment.Find(0, "w" + std::to_string(word)).value().value();
  }
  static DocumentsPlace PlaceOf(const Segment& segment, uint32_t word) {
    TermIterator terms(segment.dictionary(), 0);
    EXPECT_TRUE(terms.Seek("w" + std::to_string(word)));
    return terms.documents();
  }
  static uint64_t VerifiedPages(const SegmentView& view, SectionKind kind, uint64_t begin,
                                uint64_t end) {
    uint64_t count = 0;
    for (uint64_t at = begin / kPageBytes * kPageBytes; at < end; at += kPageBytes) {
      count += view.WasVerified(kind, at, 1) ? 1 : 0;
    }
    return count;
  }

  SegmentBytes sound_;
  PrefetchLog log_;
};

TEST_F(PostingListReaderTest, AsksEarlyForAllThatReadingTakes) {
  for (uint32_t word = 0; word < 8; ++word) {
    const auto segment = Open();
    const DictionaryEntry entry = Find(*segment, word);
    log_.clear();
    PrefetchPostingList(segment->view(), entry, ListParts::kAll);
    PrefetchPositions(segment->view(), entry);
    EXPECT_EQ(log_.empty(), entry.representation == Representation::kInlineWithPositions) << word;
    log_.clear();
    const auto list = ReadPostingList(segment->view(), entry, ListParts::kAll);
    ASSERT_TRUE(list.ok()) << list.status();
    EXPECT_TRUE(list->VerifyPositions(0, list->df));
    EXPECT_EQ(log_, PrefetchLog()) << word;
  }
}

TEST_F(PostingListReaderTest, AsksEarlyForAllThatDocumentsTake) {
  for (uint32_t word = 0; word < 8; ++word) {
    const auto segment = Open();
    const DocumentsPlace place = PlaceOf(*segment, word);
    log_.clear();
    const DocumentsView documents = LocateDocuments(segment->view(), place).value();
    EXPECT_EQ(log_, PrefetchLog()) << word;
    FetchDocuments(segment->view(), documents);
    EXPECT_EQ(log_.empty(), place.is_inline) << word;
    log_.clear();
    ASSERT_TRUE(VerifyDocuments(segment->view(), documents).ok());
    FetchDocuments(segment->view(), documents);
    EXPECT_EQ(log_, PrefetchLog()) << word;
  }
}

TEST_F(PostingListReaderTest, VerifiesThePagesOfDocumentsAndNoOthers) {
  for (uint32_t word = 0; word < 6; ++word) {
    const auto segment = Open();
    const SegmentView& view = segment->view();
    const DocumentsPlace place = PlaceOf(*segment, word);
    const DocumentsView documents = LocateDocuments(view, place).value();
    ASSERT_TRUE(VerifyDocuments(view, documents).ok());
    const uint64_t bytes = documents.bits != nullptr ? BitsetWords(segment->doc_count()) * 8
                                                     : uint64_t{documents.df} * 4;
    EXPECT_EQ(VerifiedPages(view, SectionKind::kPostings, 0,
                            view.RawSection(SectionKind::kPostings).size()),
              PagesOf(place.postings_offset % kPageBytes + bytes))
        << word;
  }
}

TEST_F(PostingListReaderTest, LocatesNoDocumentsThatCannotBe) {
  const auto segment = Open();
  const SegmentView& view = segment->view();
  const DocumentsPlace sound = PlaceOf(*segment, 4);
  ASSERT_GE(sound.df, kBlockPostings);
  const auto status_with = [&](uint32_t df, uint64_t offset) {
    DocumentsPlace place = sound;
    place.df = df;
    place.postings_offset = offset;
    return LocateDocuments(view, place).status();
  };
  const uint64_t section_bytes = view.RawSection(SectionKind::kPostings).size();
  EXPECT_TRUE(status_with(sound.df, sound.postings_offset).ok());
  EXPECT_TRUE(absl::IsDataLoss(status_with(0, sound.postings_offset)));
  EXPECT_TRUE(absl::IsDataLoss(status_with(60'001, 0)));
  EXPECT_TRUE(absl::IsDataLoss(status_with(sound.df, sound.postings_offset + 64)));
  EXPECT_TRUE(absl::IsDataLoss(status_with(sound.df, AlignUp(section_bytes, 256))));
  EXPECT_TRUE(absl::IsDataLoss(status_with(sound.df, kMaxPostingsBytes - 256)));
}

TEST_F(PostingListReaderTest, StaysInsideWhateverAPlaceSays) {
  SeededRandom random(10);
  const auto segment = Open();
  const auto section = segment->view().RawSection(SectionKind::kPostings);
  size_t located = 0;
  for (int i = 0; i < 20'000; ++i) {
    DocumentsPlace place;
    place.df = static_cast<uint32_t>(random.Next() >> (32 + random.Below(32)));
    place.postings_offset = (random.Next() >> (24 + random.Below(40))) * kExtentUnit;
    const auto documents = LocateDocuments(segment->view(), place);
    if (!documents.ok()) continue;
    ++located;
    FetchDocuments(segment->view(), *documents);
    ASSERT_TRUE(VerifyDocuments(segment->view(), *documents).ok());
    ASSERT_GE(documents->mapped.data(), section.data());
    ASSERT_LE(documents->mapped.data() + documents->mapped.size(), section.data() + section.size());
    ASSERT_GE(documents->mapped.size(), documents->bits != nullptr
                                            ? BitsetWords(segment->doc_count()) * 8
                                            : uint64_t{documents->df} * 4);
  }
  EXPECT_GT(located, 100u);
}

TEST_F(PostingListReaderTest, AsksForAListOnceInAProcess) {
  const auto segment = Open();
  for (uint32_t word = 0; word < 8; ++word) {
    PrefetchPostingList(segment->view(), Find(*segment, word), ListParts::kAll);
  }
  log_.clear();
  for (uint32_t word = 0; word < 8; ++word) {
    PrefetchPostingList(segment->view(), Find(*segment, word), ListParts::kAll);
  }
  EXPECT_EQ(log_, PrefetchLog());
}

TEST_F(PostingListReaderTest, VerifiesThePagesOfItsListAndNoOthers) {
  for (uint32_t word = 0; word < 6; ++word) {
    const auto segment = Open();
    const SegmentView& view = segment->view();
    const DictionaryEntry entry = Find(*segment, word);
    const PostingExtent extent = LayOutPostings(entry.df, false, segment->doc_count(), true);
    const uint64_t begin = entry.lanes.postings_offset;
    ASSERT_TRUE(ReadPostingList(view, entry, ListParts::kScores).ok());
    const uint64_t all = view.RawSection(SectionKind::kPostings).size();
    const uint64_t scores = PagesOf(begin % kPageBytes + extent.groups_offset);
    EXPECT_EQ(VerifiedPages(view, SectionKind::kPostings, begin, begin + extent.groups_offset),
              scores);
    EXPECT_EQ(VerifiedPages(view, SectionKind::kPostings, 0, all), scores) << word;
    EXPECT_EQ(VerifiedPages(view, SectionKind::kPositions, 0,
                            view.RawSection(SectionKind::kPositions).size()),
              0u);
  }
}

TEST_F(PostingListReaderTest, VerifiesGroupStartsOnlyForPositions) {
  const DictionaryEntry entry = sound_.term_entry(0, "w0");
  const PostingExtent extent = LayOutPostings(entry.df, false, 60'000, true);
  const uint64_t at = entry.lanes.postings_offset + extent.groups_offset + kPageBytes;
  ASSERT_LT(at, entry.lanes.postings_offset + extent.size_bytes);
  sound_.section(SectionKind::kPostings)[at] ^= std::byte{1};
  const auto segment = Open();
  const auto scores = ReadPostingList(segment->view(), Find(*segment, 0), ListParts::kScores);
  ASSERT_TRUE(scores.ok()) << scores.status();
  EXPECT_EQ(scores->groups, nullptr);
  std::vector<uint32_t> positions{1};
  EXPECT_TRUE(scores->ReadPositions(0, positions).ok());
  EXPECT_TRUE(positions.empty());
  EXPECT_TRUE(absl::IsDataLoss(
      ReadPostingList(segment->view(), Find(*segment, 0), ListParts::kAll).status()));
}

TEST_F(PostingListReaderTest, AsksForNothingOutsideOfTheFileWhateverAnEntrySays) {
  SeededRandom random(9);
  const auto segment = Open();
  log_.clear();
  for (int i = 0; i < 20'000; ++i) {
    DictionaryEntry entry;
    auto* const words = reinterpret_cast<uint64_t*>(&entry);
    for (size_t word = 0; word < sizeof(entry) / sizeof(uint64_t); ++word) {
      words[word] = random.Next() >> random.Below(64);
    }
    entry.representation = static_cast<Representation>(random.Below(6));
    PrefetchPostingList(segment->view(), entry,
                        random.OneIn(2) ? ListParts::kAll : ListParts::kScores);
    PrefetchPositions(segment->view(), entry);
  }
  EXPECT_FALSE(log_.empty());
  for (const PrefetchRange& range : log_) {
    ASSERT_LE(range.offset, sound_.bytes().size());
    ASSERT_LT(range.size_bytes, sound_.bytes().size() - range.offset + kPageBytes);
  }
}

}  // namespace posting_list_reader_test
}  // namespace pmdex
