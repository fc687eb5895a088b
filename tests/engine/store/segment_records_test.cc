#include "engine/store/segment_records.h"

#include <gtest/gtest.h>

namespace pmdex {
namespace segment_records_test {

ManifestSegment Listed() {
  ManifestSegment segment;
  segment.id = 7;
  segment.file_bytes = 4096;
  segment.header_crc = 0xdeadbeef;
  segment.doc_count = 100;
  segment.tier = Tier::kCompressed;
  segment.live_docs_generation = 3;
  segment.live_docs_check = 0xabcd;
  segment.deleted_count = 9;
  segment.place = 2;
  segment.created_s = 1'700'000'000;
  segment.heat = 5;
  return segment;
}

TEST(SegmentRecords, AddUpToTheSegmentThatWasEncoded) {
  const ManifestSegment listed = Listed();
  auto segment = DecodeSegmentRecord(EncodeSegmentRecord(listed));
  ASSERT_TRUE(segment.has_value());
  ASSERT_TRUE(AddFactsRecord(EncodeFactsRecord(listed), std::span(&*segment, 1)));
  ASSERT_TRUE(AddLiveDocsRecord(EncodeLiveDocsRecord(listed), std::span(&*segment, 1)));
  EXPECT_EQ(segment->id, listed.id);
  EXPECT_EQ(segment->file_bytes, listed.file_bytes);
  EXPECT_EQ(segment->header_crc, listed.header_crc);
  EXPECT_EQ(segment->doc_count, listed.doc_count);
  EXPECT_EQ(segment->tier, listed.tier);
  EXPECT_EQ(segment->live_docs_generation, listed.live_docs_generation);
  EXPECT_EQ(segment->live_docs_check, listed.live_docs_check);
  EXPECT_EQ(segment->deleted_count, listed.deleted_count);
  EXPECT_EQ(segment->place, listed.place);
  EXPECT_EQ(segment->created_s, listed.created_s);
  EXPECT_EQ(segment->heat, listed.heat);
  const auto copy = DecodeCopyRecord(EncodeCopyRecord({11, listed}));
  ASSERT_TRUE(copy.has_value());
  EXPECT_EQ(copy->of, 11u);
  EXPECT_EQ(copy->file.id, 7u);
}

TEST(SegmentRecords, LiveDocumentsOfAnotherSegmentOrGenerationMakeNoSense) {
  ManifestSegment segment = Listed();
  const auto payload = EncodeLiveDocsRecord(segment);
  EXPECT_TRUE(AddLiveDocsRecord(payload, std::span(&segment, 1)));
  EXPECT_FALSE(AddLiveDocsRecord(payload, {}));
  segment.live_docs_generation = 4;
  EXPECT_FALSE(AddLiveDocsRecord(payload, std::span(&segment, 1)));
}

TEST(SegmentRecords, RefusePayloadsThatAreCutOffAndTiersThatAreUnknown) {
  ManifestSegment segment = Listed();
  const auto record = EncodeSegmentRecord(segment);
  const auto live_docs = EncodeLiveDocsRecord(segment);
  EXPECT_FALSE(DecodeSegmentRecord(std::span(record).first(record.size() - 1)).has_value());
  EXPECT_FALSE(
      AddLiveDocsRecord(std::span(live_docs).first(live_docs.size() - 1), std::span(&segment, 1)));
  segment.tier = static_cast<Tier>(2);
  EXPECT_FALSE(DecodeSegmentRecord(EncodeSegmentRecord(segment)).has_value());
  EXPECT_FALSE(DecodeCopyRecord(EncodeCopyRecord({1, segment})).has_value());
}

}  // namespace segment_records_test
}  // namespace pmdex
