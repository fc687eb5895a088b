#include "engine/segment/segment.h"

#include <memory>
#include <optional>

#include "gtest/gtest.h"

#include "tests/support/faulty_file.h"
#include "tests/support/segment_bytes.h"
#include "tests/support/segment_check.h"

namespace pmdex {
namespace segment_test {

class SegmentTest : public testing::Test {
 protected:
  SegmentTest()
      : input_(MakeSmallInput({.positions = true, .stored_text = true})), sound_(*input_) {}

  std::unique_ptr<VectorSegmentInput> input_;
  SegmentBytes sound_;
};

TEST_F(SegmentTest, AnswersWhatWasWritten) {
  const auto segment = sound_.Open().value();
  EXPECT_EQ(segment->segment_id(), 1u);
  EXPECT_EQ(segment->file_bytes(), sound_.bytes().size());
  EXPECT_EQ(segment->FindField("body"), FieldId{1});
  EXPECT_EQ(segment->FindField("bod"), std::nullopt);
  EXPECT_TRUE(segment->norms(2).value().empty());
  EXPECT_TRUE(segment->Prefault(false).ok());
  EXPECT_TRUE(segment->Prefault(true).ok());
  ExpectSegmentHolds(*segment, *input_);
}

TEST_F(SegmentTest, FindsFieldsByTheirNamesHoweverManyThereAre) {
  for (const size_t count : {1, 16, 17, 300}) {
    VectorSegmentInput input({});
    const DocId doc = input.AddDocument("d");
    for (size_t i = 0; i < count; ++i) {
      input.AddPosting(input.AddField("f" + std::to_string(i)), "x", {doc, 1, {0}});
    }
    input.Finish();
    const auto segment = SegmentBytes(input).Open().value();
    for (size_t i = 0; i < count; ++i) {
      EXPECT_EQ(segment->FindField("f" + std::to_string(i)), static_cast<FieldId>(i));
    }
    EXPECT_EQ(segment->FindField("f" + std::to_string(count)), std::nullopt);
    EXPECT_EQ(segment->FindField(""), std::nullopt);
  }
}

TEST_F(SegmentTest, GivesTheDocumentsOfAListAlone) {
  const auto segment = sound_.Open().value();
  size_t lists = 0;
  for (FieldId field = 0; field < 2; ++field) {
    for (TermIterator terms(segment->dictionary(), field); terms.Next(); ++lists) {
      const DictionaryEntry entry = terms.entry().value();
      const auto list = segment->Postings(entry).value();
      const DocumentsPlace place = terms.documents();
      const auto documents = segment->LocateDocuments(place).value();
      ASSERT_EQ(documents.df, list.df);
      EXPECT_EQ(documents.bits, list.bits);
      EXPECT_EQ(place.is_inline, list.is_inline);
      if (!list.is_inline) {
        EXPECT_EQ(documents.docids, list.docids);
      }
      for (uint32_t i = 0; list.is_inline && i < list.df; ++i) {
        EXPECT_EQ(documents.docids[i], list.docids[i]);
      }
    }
  }
  EXPECT_GT(lists, 0u);
}

TEST_F(SegmentTest, OpensOnlyWhatTheManifestExpects) {
  const auto segment = sound_.Open().value();
  const SegmentExpectation expected{segment->file_bytes(), segment->view().header_crc()};
  EXPECT_TRUE(Segment::Open(sound_.file(), "segment", expected).ok());
  for (const SegmentExpectation& other :
       {SegmentExpectation{expected.file_bytes + 1, expected.header_crc},
        SegmentExpectation{expected.file_bytes, expected.header_crc ^ 1}}) {
    EXPECT_EQ(Segment::Open(sound_.file(), "segment", other).status().code(),
              absl::StatusCode::kDataLoss);
  }
}

TEST_F(SegmentTest, RefusesAnotherSegmentUnderItsName) {
  const auto segment = sound_.Open().value();
  SegmentExpectation expected{segment->file_bytes(), segment->view().header_crc(),
                              segment->segment_id()};
  EXPECT_TRUE(Segment::Open(sound_.file(), "segment", expected).ok());
  expected.segment_id += 1;
  const auto other = Segment::Open(sound_.file(), "segment", expected);
  EXPECT_TRUE(absl::IsDataLoss(other.status()));
  EXPECT_EQ(Message(other.status()),
            "segment: this is another segment: expected segment 2, found 1");
}

// By section: what every query needs must be readable when the segment opens.
TEST_F(SegmentTest, DoesNotOpenOverBlocksKnownToBeBadExceptUnderLanesAndStoredText) {
  const auto segment = sound_.Open().value();
  for (const SectionEntry& entry : segment->view().sections()) {
    if (entry.size_bytes == 0) continue;
    const FaultyMedium medium{absl::OkStatus(), {{entry.offset + entry.size_bytes - 1, 1}}};
    SegmentBytes bytes = sound_;
    const auto opened =
        Segment::Open(std::make_unique<FaultyFile>(bytes.bytes(), medium), "segment", std::nullopt);
    const bool on_demand = entry.kind == SectionKind::kPostings ||
                           entry.kind == SectionKind::kPositions ||
                           entry.kind == SectionKind::kStoredBytes;
    EXPECT_EQ(opened.ok(), on_demand) << ToString(entry.kind) << ": " << opened.status();
    EXPECT_EQ(absl::IsDataLoss(opened.status()), !on_demand);
  }
}

TEST_F(SegmentTest, DoesNotOpenOnAMediumThatFails) {
  const FaultyMedium medium{DataLoss("poison"), {}};
  SegmentBytes bytes = sound_;
  const auto opened =
      Segment::Open(std::make_unique<FaultyFile>(bytes.bytes(), medium), "segment", std::nullopt);
  EXPECT_EQ(Message(opened.status()), "poison");
}

TEST_F(SegmentTest, IsQuarantinedByTheFirstDamageOrByItsMedium) {
  FaultyMedium medium;
  SegmentBytes bytes = sound_;
  const auto open = [&] {
    return Segment::Open(std::make_unique<FaultyFile>(bytes.bytes(), medium), "segment",
                         std::nullopt)
        .value();
  };
  const auto damaged = open();
  EXPECT_TRUE(damaged->Health().ok());
  EXPECT_TRUE(absl::IsInvalidArgument(damaged->Checked(InvalidArgument("a query"))));
  EXPECT_TRUE(damaged->Health().ok());  // that was no damage
  EXPECT_TRUE(absl::IsDataLoss(damaged->Checked(absl::StatusOr<int>(DataLoss("first"))).status()));
  damaged->Quarantine(DataLoss("second"));
  EXPECT_EQ(Message(damaged->Health()), "first");
  const auto lost = open();
  medium.health = DataLoss("poison");
  EXPECT_EQ(Message(lost->Health()), "poison");
  lost->Quarantine(DataLoss("what followed from it"));
  EXPECT_EQ(Message(lost->Health()), "poison");
}

TEST_F(SegmentTest, LeavesAWholeVectorReadableAfterEveryLane) {
  const auto segment = sound_.Open().value();
  const auto section = segment->view().RawSection(SectionKind::kPostings);
  const auto* end = reinterpret_cast<const uint8_t*>(section.data() + section.size());
  for (FieldId field = 0; field < 2; ++field) {
    TermIterator terms(segment->dictionary(), field);
    while (terms.Next()) {
      const DictionaryEntry entry = terms.entry().value();
      const auto list = segment->Postings(entry).value();
      if (list.is_inline) continue;
      EXPECT_LE(list.codes + list.df + 63, end);
    }
  }
}

}  // namespace segment_test
}  // namespace pmdex
