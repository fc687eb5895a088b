#include "engine/segment/dictionary/documents_place.h"

#include <array>

#include "gtest/gtest.h"

namespace pmdex {
namespace documents_place_test {

using Bytes = std::array<std::byte, kMaxDocumentsPlaceBytes>;

DictionaryEntry InlineEntry(uint32_t df, Representation representation) {
  DictionaryEntry entry{};
  entry.representation = representation;
  entry.df = df;
  for (uint32_t i = 0; i < df; ++i) entry.inlined.docids[i] = 0x01020304u * (i + 1);
  return entry;
}

DictionaryEntry ExtentEntry(uint32_t df, uint64_t offset) {
  DictionaryEntry entry{};
  entry.representation = Representation::kLanes;
  entry.df = df;
  entry.lanes.postings_offset = offset;
  return entry;
}

TEST(DocumentsPlace, HoldsTheDocumentsOfAnInlineList) {
  for (const auto representation :
       {Representation::kInline, Representation::kInlineWithPositions}) {
    for (uint32_t df = 1; df <= kMaxInlinePostings; ++df) {
      const DictionaryEntry entry = InlineEntry(df, representation);
      Bytes bytes;
      ASSERT_EQ(WriteDocumentsPlace(entry, bytes.data()), 1 + 4 * df);
      ASSERT_EQ(DocumentsPlaceBytes(bytes[0]), 1 + 4 * df);
      const DocumentsPlace place = ReadDocumentsPlace(bytes[0], bytes.data());
      EXPECT_TRUE(place.is_inline);
      EXPECT_EQ(place.df, df);
      for (uint32_t i = 0; i < df; ++i) EXPECT_EQ(place.docids[i], entry.inlined.docids[i]);
    }
  }
}

TEST(DocumentsPlace, SaysWhereAnExtentIs) {
  for (const uint32_t df : {1u, 5u, 70'000u, 0xffffffffu}) {
    for (const uint64_t offset :
         {uint64_t{0}, uint64_t{64}, uint64_t{256} << 31, kMaxPostingsBytes - kExtentUnit}) {
      Bytes bytes;
      ASSERT_EQ(WriteDocumentsPlace(ExtentEntry(df, offset), bytes.data()), 10u);
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
    const size_t extent = WriteDocumentsPlace(ExtentEntry(df, 64), bytes.data());
    EXPECT_LE(extent, MaxDocumentsPlaceBytes(df));
    if (df > kMaxInlinePostings) continue;
    EXPECT_LE(WriteDocumentsPlace(InlineEntry(df, Representation::kInline), bytes.data()),
              MaxDocumentsPlaceBytes(df));
  }
}

}  // namespace documents_place_test
}  // namespace pmdex
