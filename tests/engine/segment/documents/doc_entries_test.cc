#include "engine/segment/documents/doc_entries.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "engine/segment/segment_writer.h"
#include "engine/segment/verify/verifier.h"
#include "tests/support/random_corpus.h"
#include "tests/support/segment_bytes.h"
#include "tests/support/segment_check.h"
#include "tests/support/vector_segment_input.h"

namespace pmdex {
namespace doc_entries_test {

uint32_t EntryBytesFor(const std::vector<uint64_t>& id_sizes) {
  DocIdSizes sizes;
  for (const uint64_t size : id_sizes) sizes.Add(size);
  return sizes.EntryBytes();
}

// Documents with ids of these sizes, and a word each.
SegmentBytes SegmentOf(const std::vector<uint64_t>& id_sizes, VectorSegmentInput& input) {
  const FieldId body = input.AddField("body");
  for (size_t i = 0; i < id_sizes.size(); ++i) {
    std::string id(id_sizes[i], static_cast<char>('a' + i % 26));
    input.AddText(input.AddDocument(std::move(id)), body, "word");
  }
  input.Finish();
  return SegmentBytes(input);
}

TEST(DocEntries, AreAsSmallAsHasRoomForNineIdsInTen) {
  EXPECT_EQ(EntryBytesFor({}), 8u);
  EXPECT_EQ(EntryBytesFor({0, 3, 7}), 8u);
  EXPECT_EQ(EntryBytesFor({0, 3, 8}), 9u);
  EXPECT_EQ(EntryBytesFor({26, 27}), 28u);
  EXPECT_EQ(EntryBytesFor({127}), 128u);
  EXPECT_EQ(EntryBytesFor({128}), 8u);
  std::vector<uint64_t> ids(20, 10);
  ids[3] = 1000;
  ids[7] = 11;
  EXPECT_EQ(EntryBytesFor(ids), 11u);
  ids[9] = 11;
  EXPECT_EQ(EntryBytesFor(ids), 12u);
}

TEST(DocEntries, OnlyIdsThatDoNotFitTakeBytesBesideThem) {
  DocIdSizes sizes;
  for (int i = 0; i < 18; ++i) sizes.Add(20);
  sizes.Add(27);
  EXPECT_EQ(sizes.EntryBytes(), 21u);
  EXPECT_EQ(sizes.BytesBesideEntries(), 27u);
}

TEST(DocEntries, HoldIdsOfEverySizeInEntriesOfEverySize) {
  SeededRandom random(41);
  for (const uint64_t usual : {5u, 10u, 26u, 63u, 127u, 128u}) {
    std::vector<uint64_t> id_sizes(400, usual);
    for (uint64_t size = 0; size < 40; ++size) id_sizes[random.Below(400)] = size * 2;
    id_sizes[7] = UINT16_MAX;
    VectorSegmentInput input({});
    SegmentBytes bytes = SegmentOf(id_sizes, input);
    const auto segment = bytes.Open().value();
    EXPECT_EQ(segment->doc_entry_bytes(), usual == 128 ? 8 : std::max<uint64_t>(8, usual + 1));
    ExpectSegmentHolds(*segment, input);
    EXPECT_TRUE(VerifySegment(*segment).empty());
  }
}

TEST(DocEntries, AnIdTooLongForThemIsRefused) {
  VectorSegmentInput input({});
  const FieldId body = input.AddField("body");
  input.AddText(input.AddDocument(std::string(UINT16_MAX + 1, 'x')), body, "word");
  input.Finish();
  const std::unique_ptr<Directory> directory = NewDramDirectory("ids");
  EXPECT_EQ(WriteSegment(*directory, 1, input).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(DocEntries, OfASizeThatTheyDoNotComeInAreRefused) {
  for (const uint8_t size : {0, 1, 7, 129, 255}) {
    SegmentBytes bytes(*MakeSmallInput({}));
    bytes.at<SegmentMeta>(SectionKind::kMeta, 0).doc_entry_bytes = size;
    bytes.Reseal();
    EXPECT_EQ(bytes.Open().status().code(), absl::StatusCode::kDataLoss) << int{size};
  }
}

}  // namespace doc_entries_test
}  // namespace pmdex
