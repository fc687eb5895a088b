// Segments must refuse damaged bytes, and hostile bytes with right checksums.
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "engine/segment/segment.h"
#include "tests/support/segment_bytes.h"

namespace pmdex {
namespace damaged_segment_test {

class DamagedSegmentTest : public testing::Test {
 protected:
  // The list of a term after the damage, checksums set right.
  absl::Status ListStatus(const char* term, const std::function<void(DictionaryEntry&)>& damage) {
    SegmentBytes bytes = sound_;
    damage(bytes.term_entry(1, term));
    bytes.Reseal();
    const auto segment = bytes.Open().value();
    TermIterator terms(segment->dictionary(), 1);
    EXPECT_TRUE(terms.Seek(term));
    const DictionaryEntry entry = terms.entry().value();
    return segment->Postings(entry).status();
  }

  SegmentBytes sound_{*MakeSmallInput({.positions = true, .stored_text = true})};
};

// The list of a frequent term of the body.
absl::StatusOr<PostingListView> ListOf(const Segment& segment, const char* term) {
  const DictionaryEntry entry = segment.Find(1, term).value().value();
  return segment.Postings(entry);
}

TEST_F(DamagedSegmentTest, BelievesNoMetaWithoutItsChecksum) {
  SegmentBytes bytes = sound_;
  bytes.at<SegmentMeta>(SectionKind::kMeta, 0).term_count += 1;
  EXPECT_EQ(bytes.Open().status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(DamagedSegmentTest, RefusesMetaThatLies) {
  using Damage = void (*)(SegmentBytes&);
  const Damage damages[] = {
      [](SegmentBytes& b) { b.at<SegmentMeta>(SectionKind::kMeta, 0).analyzer = 200; },
      [](SegmentBytes& b) { b.at<FieldEntry>(SectionKind::kMeta, 1).name_offset = ~0u; },
      [](SegmentBytes& b) { b.at<FieldEntry>(SectionKind::kMeta, 1).name_bytes = ~0u; },
      [](SegmentBytes& b) { b.header().field_count = 0xffffffff; },
      [](SegmentBytes& b) { b.header().field_count = 3; },
      [](SegmentBytes& b) { b.header().doc_count += 1; },
      [](SegmentBytes& b) { b.header().doc_count = kMaxDocsPerSegment; },
      [](SegmentBytes& b) { b.entry(SectionKind::kNorms).size_bytes -= 64; },
      [](SegmentBytes& b) { b.entry(SectionKind::kMeta).size_bytes = 63; },
  };
  for (const Damage damage : damages) {
    SegmentBytes bytes = sound_;
    damage(bytes);
    bytes.Reseal();
    EXPECT_EQ(bytes.Open().status().code(), absl::StatusCode::kDataLoss);
  }
}

TEST_F(DamagedSegmentTest, RefusesEntriesThatPointOutside) {
  const auto loss = absl::StatusCode::kDataLoss;
  const char* lanes = "common";  // 300 of 301 documents: bits, lanes and blocks
  using S = DictionaryEntry&;
  EXPECT_TRUE(ListStatus(lanes, [](S) {}).ok());
  EXPECT_EQ(ListStatus(lanes, [](S s) { s.df = 0; }).code(), loss);
  EXPECT_EQ(ListStatus(lanes, [](S s) { s.df = 302; }).code(), loss);
  EXPECT_EQ(ListStatus(lanes, [](S s) { s.cf = 1; }).code(), loss);
  EXPECT_EQ(ListStatus(lanes, [](S s) { s.lanes.postings_offset += 64; }).code(), loss);
  EXPECT_EQ(ListStatus(lanes, [](S s) { s.lanes.postings_offset = ~uint64_t{255}; }).code(), loss);
  EXPECT_EQ(ListStatus(lanes, [](S s) { s.lanes.postings_offset = 1 << 20; }).code(), loss);
  EXPECT_EQ(ListStatus(lanes, [](S s) { s.lanes.position_start = ~uint64_t{0}; }).code(), loss);
  EXPECT_EQ(ListStatus(lanes, [](S s) { s.lanes.block_start = 0; }).code(), loss);
  EXPECT_EQ(ListStatus(lanes, [](S s) { s.lanes.block_start = 2; }).code(), loss);
  EXPECT_EQ(ListStatus(lanes, [](S s) { s.lanes.block_start = kNoBlocks; }).code(), loss);
  EXPECT_EQ(ListStatus(lanes, [](S s) { s.lanes.overflow_start = 1 << 30; }).code(), loss);
  EXPECT_EQ(ListStatus(lanes, [](S s) { s.representation = Representation::kLanes; }).code(), loss);
  EXPECT_EQ(ListStatus("rare-0", [](S s) { s.representation = Representation::kBitset; }).code(),
            loss);
  EXPECT_EQ(ListStatus(lanes, [](S s) { s.df = 256; }).code(), loss);
  EXPECT_EQ(ListStatus(lanes, [](S s) { s.representation = Representation::kInline; }).code(),
            loss);
  EXPECT_EQ(
      ListStatus(lanes, [](S s) { s.representation = static_cast<Representation>(77); }).code(),
      loss);
}

TEST_F(DamagedSegmentTest, RefusesARareTermWhosePositionsAreOutside) {
  const char* term = "another term that is longer than its entry";
  SegmentBytes bytes = sound_;
  bytes.line_rest(1, term).back() = std::byte{0xff};  // of the start of its five positions
  bytes.Reseal();
  const auto segment = bytes.Open().value();
  const DictionaryEntry entry = segment->Find(1, term).value().value();
  EXPECT_TRUE(segment->Postings(entry, ListParts::kScores).ok());
  EXPECT_EQ(segment->Postings(entry).status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(DamagedSegmentTest, RefusesAnOverflowRunThatEndsOutside) {
  SegmentBytes bytes = sound_;
  bytes.at<OverflowEntry>(SectionKind::kFreqOverflow, 0).posting = 0xffffffff;
  bytes.Reseal();
  const auto segment = bytes.Open().value();
  const DictionaryEntry entry = segment->Find(1, "escaped").value().value();
  EXPECT_EQ(segment->Postings(entry).status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(DamagedSegmentTest, IsRefusedAtEveryOtherLength) {
  const size_t size = sound_.bytes().size();
  std::vector<std::byte> bytes = sound_.bytes();
  bytes.resize(size + 4096);
  const auto status = [&bytes](size_t length) {
    return Segment::Open(std::make_unique<MemoryFile>(std::span(bytes).first(length)), "segment",
                         std::nullopt)
        .status();
  };
  ASSERT_TRUE(status(size).ok());
  for (size_t length = 0; length <= bytes.size(); ++length) {
    if (length == size) continue;
    ASSERT_EQ(status(length).code(), absl::StatusCode::kDataLoss) << length;
  }
  // A header that admits the cut is no better: the sections do not fit.
  for (size_t length = kHeaderPageBytes; length + kSectionAlignment <= size; ++length) {
    reinterpret_cast<FileHeader*>(bytes.data())->file_bytes = length;
    ResealSegment(std::span(bytes).first(length));
    ASSERT_EQ(status(length).code(), absl::StatusCode::kDataLoss) << length;
  }
}

TEST_F(DamagedSegmentTest, TellsWhichPageIsDamaged) {
  VectorSegmentInput input({});
  const FieldId body = input.AddField("body");
  for (int i = 0; i < 300; ++i) {
    input.AddText(input.AddDocument("document of number " + std::to_string(100 + i)), body, "word");
  }
  input.Finish();
  SegmentBytes bytes(input);
  constexpr uint32_t kEntryBytes = 1 + 22;
  constexpr DocId kDamaged = 4096 / kEntryBytes + 10;
  bytes.section(SectionKind::kDocEntries)[kDamaged * kEntryBytes + 5] ^= std::byte{8};
  const auto segment = bytes.Open().value();
  EXPECT_EQ(segment->doc_entry_bytes(), kEntryBytes);
  EXPECT_TRUE(segment->doc_id(0).ok());
  const absl::Status status = segment->doc_id(kDamaged).status();
  EXPECT_EQ(Message(status),
            "segment: section doc entries: offset 4096: the checksum of the page does not match");
  EXPECT_TRUE(segment->WithoutPageChecks().value()->doc_id(kDamaged).ok());
}

TEST_F(DamagedSegmentTest, NoticesDamageWhereverItReads) {
  using Read = absl::Status (*)(const Segment&);
  const Read find = [](const Segment& s) { return s.Find(1, "common").status(); };
  const Read find_long = [](const Segment& s) {
    return s.Find(1, "a frequent term that is longer than its entry").status();
  };
  const Read find_rare = [](const Segment& s) { return s.Find(1, "rare-4").status(); };
  const Read walk = [](const Segment& s) {
    TermIterator terms(s.dictionary(), 1);
    while (terms.Next()) {
    }
    return terms.status();
  };
  const Read list = [](const Segment& s) { return ListOf(s, "common").status(); };
  const Read documents = [](const Segment& s) {
    TermIterator terms(s.dictionary(), 1);
    if (!terms.Seek("common")) return terms.status();
    const DocumentsPlace place = terms.documents();
    return s.VerifyDocuments(s.LocateDocuments(place).value());
  };
  const Read overflow = [](const Segment& s) { return ListOf(s, "escaped").status(); };
  const Read positions = [](const Segment& s) {
    std::vector<uint32_t> out;
    return ListOf(s, "common")->ReadPositions(7, out);
  };
  const Read norms = [](const Segment& s) { return s.norms(1).status(); };
  const Read id = [](const Segment& s) { return s.doc_id(3).status(); };
  const Read text = [](const Segment& s) { return s.StoredText(3).status(); };
  const std::pair<SectionKind, std::vector<Read>> readers[] = {
      {SectionKind::kPostings, {list, documents, overflow}},
      {SectionKind::kPositions, {positions}},
      {SectionKind::kBlockLastDocs, {list}},
      {SectionKind::kBlockBounds, {list}},
      {SectionKind::kFreqOverflow, {overflow}},
      {SectionKind::kDictionaryEntries, {find, find_long}},
      {SectionKind::kTermBytes, {find_long}},
      {SectionKind::kTermBlocks, {walk, find_rare}},
      {SectionKind::kTermBlockStarts, {walk}},
      {SectionKind::kRareTermSlots, {find_rare}},
      {SectionKind::kUnitFreqs, {list}},
      {SectionKind::kNorms, {norms}},
      {SectionKind::kDocEntries, {id}},
      {SectionKind::kDocIdBytes, {id}},
      {SectionKind::kStoredChunks, {text}},
      {SectionKind::kStoredBytes, {text}}};
  for (const auto& [kind, reads] : readers) {
    for (const Read read : reads) {
      ASSERT_TRUE(read(*sound_.Open().value()).ok());
      SegmentBytes bytes = sound_;
      bytes.section(kind)[0] ^= std::byte{1};
      const absl::Status status = read(*bytes.Open().value());
      EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << ToString(kind);
      EXPECT_NE(Message(status).find(ToString(kind)), std::string_view::npos) << status;
    }
  }
}

TEST_F(DamagedSegmentTest, StaysInsideWhateverTheBytesSay) {
  std::mt19937_64 random(29);
  std::vector<uint32_t> positions;
  size_t lists = 0;
  uint64_t sum = 0;  // read so that a sanitizer sees where
  for (int round = 0; round < 300; ++round) {
    SegmentBytes bytes = sound_;
    // Every third round leaves the header page alone, so that more files open.
    const size_t begin = round % 3 == 0 ? sizeof(FileHeader) : kHeaderPageBytes;
    for (int i = 0; i < (round % 3 == 0 ? 2 : 60); ++i) {
      const size_t at = begin + random() % (bytes.bytes().size() - begin);
      bytes.bytes()[at] = static_cast<std::byte>(random() % 2 == 0 ? 0xff : random());
    }
    bytes.Reseal();
    const auto segment = bytes.Open();
    if (!segment.ok()) continue;
    std::vector<DictionaryEntry> entries((*segment)->dictionary().entries().begin(),
                                         (*segment)->dictionary().entries().end());
    for (const FieldId field : {FieldId{0}, FieldId{1}}) {
      for (TermIterator terms((*segment)->dictionary(), field); terms.Next();) {
        entries.push_back(terms.entry().value());
      }
    }
    for (const DictionaryEntry& entry : entries) {
      const auto list = (*segment)->Postings(entry);
      if (!list.ok()) continue;
      ++lists;
      for (uint32_t i = 0; i < list->df; ++i) {
        (void)(*segment)->doc_id(list->Doc(i));
        const bool sound = list->ReadPositions(i, positions).ok();
        ASSERT_EQ(positions.size(), sound ? list->Freq(i) : 0);
      }
    }
    for (const FieldId field : {FieldId{0}, FieldId{1}}) {
      for (TermIterator terms((*segment)->dictionary(), field); terms.Next();) {
        const DocumentsPlace place = terms.documents();
        const auto documents = (*segment)->LocateDocuments(place);
        if (documents.ok() && documents->docids != nullptr) {
          sum += documents->docids[documents->df - 1];
        } else if (documents.ok()) {
          sum += documents->bits[BitsetWords((*segment)->doc_count()) - 1];
        }
      }
    }
    for (DocId doc = 0; doc < 400; ++doc) (void)(*segment)->StoredText(doc);
  }
  EXPECT_GT(lists, 100u);
  EXPECT_GT(sum, 0u);
}

}  // namespace damaged_segment_test
}  // namespace pmdex
