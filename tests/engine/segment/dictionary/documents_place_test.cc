#include "engine/segment/dictionary/documents_place.h"

#include <array>

#include "gtest/gtest.h"

namespace pmdex {
namespace documents_place_test {

using Bytes = std::array<std::byte, kMaxDocumentsPlaceBytes>;

TermSlot InlineSlot(uint32_t df, Representation representation) {
  TermSlot slot{};
  slot.representation = representation;
  slot.df = df;
  for (uint32_t i = 0; i < df; ++i) slot.inlined.docids[i] = 0x01020304u * (i + 1);
  return slot;
}

TermSlot ExtentSlot(uint32_t df, uint64_t offset) {
  TermSlot slot{};
  slot.representation = Representation::kLanes;
  slot.df = df;
  slot.lanes.postings_offset = offset;
  return slot;
}

TEST(DocumentsPlace, HoldsTheDocumentsOfAnInlineList) {
  for (const auto representation :
       {Representation::kInline, Representation::kInlineWithPositions}) {
    for (uint32_t df = 1; df <= kMaxInlinePostings; ++df) {
      const TermSlot slot = InlineSlot(df, representation);
      Bytes bytes;
      ASSERT_EQ(WriteDocumentsPlace(slot, bytes.data()), 1 + 4 * df);
      ASSERT_EQ(DocumentsPlaceBytes(bytes[0]), 1 + 4 * df);
      const DocumentsPlace place = ReadDocumentsPlace(bytes[0], bytes.data());
      EXPECT_TRUE(place.is_inline);
      EXPECT_EQ(place.df, df);
      for (uint32_t i = 0; i < df; ++i) EXPECT_EQ(place.docids[i], slot.inlined.docids[i]);
    }
  }
}

TEST(DocumentsPlace, SaysWhereAnExtentIs) {
  for (const uint32_t df : {1u, 5u, 70'000u, 0xffffffffu}) {
    for (const uint64_t offset :
         {uint64_t{0}, uint64_t{64}, uint64_t{256} << 31, kMaxPostingsBytes - kExtentUnit}) {
      Bytes bytes;
      ASSERT_EQ(WriteDocumentsPlace(ExtentSlot(df, offset), bytes.data()), 10u);
      ASSERT_EQ(DocumentsPlaceBytes(bytes[0]), 10u);
      const DocumentsPlace place = ReadDocumentsPlace(bytes[0], bytes.data());
      EXPECT_FALSE(place.is_inline);
      EXPECT_EQ(place.df, df);
      EXPECT_EQ(place.postings_offset, offset);
    }
  }
}

TEST(DocumentsPlace, BeginsWithNoOtherByte) {
  for (uint32_t first = kMaxInlinePostings + 1; first < 256; ++first) {
    EXPECT_EQ(DocumentsPlaceBytes(static_cast<std::byte>(first)), 0u);
  }
}

TEST(DocumentsPlace, IsBoundedByThePostings) {
  for (const uint32_t df : {1u, 2u, 3u, 4u, 5u, 1000u}) {
    Bytes bytes;
    const size_t extent = WriteDocumentsPlace(ExtentSlot(df, 64), bytes.data());
    EXPECT_LE(extent, MaxDocumentsPlaceBytes(df));
    if (df > kMaxInlinePostings) continue;
    EXPECT_LE(WriteDocumentsPlace(InlineSlot(df, Representation::kInline), bytes.data()),
              MaxDocumentsPlaceBytes(df));
  }
}

}  // namespace documents_place_test
}  // namespace pmdex
