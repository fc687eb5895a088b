#include "engine/segment/documents/doc_ids.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"

#include "engine/segment/file/offset_table.h"
#include "engine/segment/segment.h"
#include "tests/support/compressed_snapshot.h"
#include "tests/support/segment_bytes.h"

namespace pmdex {
namespace doc_ids_test {

constexpr uint32_t kDocs = 1003;

std::string IdOf(DocId doc) {
  if (doc % 97 == 5) return std::string(300 + doc % 7, 'z');  // beside the entries
  return "/srv/documents/" + std::to_string(doc / 9) + "/" + std::to_string(doc);
}

std::shared_ptr<const Segment> WriteSegmentOfIds() {
  VectorSegmentInput input({.positions = true});
  const FieldId body = input.AddField("body");
  for (DocId doc = 0; doc < kDocs; ++doc) input.AddDocument(IdOf(doc));
  input.AddPosting(body, "term", {3, 1, {5}});
  input.Finish();
  return SegmentBytes(input).Open().value();
}

TEST(DocIds, AreTheSameInBothTiersInAnyOrder) {
  const auto raw = WriteSegmentOfIds();
  const auto compressed = CompressSegment(*raw);
  std::string buffer = "something else";
  for (DocId i = 0; i < kDocs; ++i) {
    const DocId doc = i * 17 % kDocs;
    for (const auto& segment : {raw, compressed}) {
      segment->PrefetchDocPlace(doc);
      segment->PrefetchDocId(doc);
      ASSERT_EQ(segment->doc_id(doc, buffer).value(), IdOf(doc));
      ASSERT_EQ(segment->doc_id(doc).value(), IdOf(doc));
    }
  }
  for (const auto& segment : {raw, compressed}) {
    segment->PrefetchDocPlace(kDocs);
    segment->PrefetchDocId(kDocs);
    EXPECT_TRUE(absl::IsDataLoss(segment->doc_id(kDocs, buffer).status()));
    EXPECT_TRUE(absl::IsDataLoss(segment->doc_id(~DocId{0}, buffer).status()));
  }
  EXPECT_EQ(raw->doc_entry_bytes(), compressed->doc_entry_bytes());
}

TEST(DocIds, RefuseSectionsOfAnotherSize) {
  const auto compressed = CompressSegment(*WriteSegmentOfIds());
  SegmentBytes bytes(*compressed);
  bytes.header().doc_count += kIdsPerBlock;
  bytes.Reseal();
  EXPECT_TRUE(absl::IsDataLoss(bytes.Open().status()));
}

// Starts that lead elsewhere, and lines that make no sense, in a file with right checksums.
TEST(DocIds, RefuseBlocksThatMakeNoSense) {
  const auto compressed = CompressSegment(*WriteSegmentOfIds());
  const auto refuses = [&](SectionKind kind, size_t at, std::byte value) {
    SegmentBytes bytes(*compressed);
    bytes.section(kind)[at] = value;
    bytes.Reseal();
    return absl::IsDataLoss(bytes.Open().value()->doc_id(kIdsPerBlock).status());
  };
  constexpr size_t kSecond = kTableOffsetBytes;
  EXPECT_TRUE(refuses(SectionKind::kIdBlockStarts, kSecond + 4, std::byte{1}));     // far outside
  EXPECT_TRUE(refuses(SectionKind::kIdBlockStarts, kSecond + 1, std::byte{0x10}));  // descends
  const uint64_t start = TableOffset(compressed->view().RawSection(SectionKind::kIdBlockStarts), 1);
  EXPECT_TRUE(refuses(SectionKind::kIdBlocks, start, std::byte{1}));  // shares with nothing
  EXPECT_TRUE(
      refuses(SectionKind::kIdBlocks, start + 1, std::byte{0xff}));  // longer than its block
}

}  // namespace doc_ids_test
}  // namespace pmdex
