#include "engine/segment/file/header_page.h"

#include "gtest/gtest.h"

#include "tests/support/segment_bytes.h"

namespace pmdex {
namespace header_page_test {

SegmentBytes Small() {
  return SegmentBytes(*MakeSmallInput({.positions = true, .stored_text = true}));
}

absl::Status ReadStatus(const SegmentBytes& bytes) {
  return HeaderPage::Read(*bytes.file(), "segment").status();
}

TEST(HeaderPage, OutlivesTheFile) {
  SegmentBytes bytes = Small();
  const HeaderPage page = HeaderPage::Read(*bytes.file(), "segment").value();
  const uint32_t crc = page.crc();
  bytes.bytes().assign(bytes.bytes().size(), std::byte{0});
  EXPECT_EQ(page.header().doc_count, 301u);
  EXPECT_EQ(page.crc(), crc);
  EXPECT_EQ(page.sections().size(), 19u);
}

TEST(HeaderPage, TellsNewerFromDamaged) {
  SegmentBytes newer = Small();
  newer.header().version = kSegmentVersion + 1;
  EXPECT_EQ(ReadStatus(newer).code(), absl::StatusCode::kDataLoss);  // the checksum comes first
  newer.Reseal();
  EXPECT_EQ(ReadStatus(newer).code(), absl::StatusCode::kUnimplemented);
}

TEST(HeaderPage, RefusesAnOlderVersionAndSaysWhatToDo) {
  SegmentBytes older = Small();
  older.header().version = 1;
  older.Reseal();
  const absl::Status status = ReadStatus(older);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(Message(status),
            "segment: segment format 1 is older than this program's 2; build the index again");
}

TEST(HeaderPage, RefusesHeadersThatLie) {
  const SegmentBytes sound = Small();
  using Damage = void (*)(FileHeader&);
  const Damage damages[] = {
      [](FileHeader& header) { header.magic ^= 1; },
      [](FileHeader& header) { header.endian_mark = 0x04030201; },
      [](FileHeader& header) { header.version = 0; },
      [](FileHeader& header) { header.file_bytes += 1; },
      [](FileHeader& header) { header.section_count = kMaxSections + 1; },
      [](FileHeader& header) { header.section_count = 0xffffffff; },
      [](FileHeader& header) { header.doc_count = 0xffffffff; },
  };
  for (const Damage damage : damages) {
    SegmentBytes bytes = sound;
    damage(bytes.header());
    bytes.Reseal();
    EXPECT_EQ(ReadStatus(bytes).code(), absl::StatusCode::kDataLoss);
  }
}

TEST(HeaderPage, RefusesSectionsThatDoNotLieInTheFile) {
  const SegmentBytes sound = Small();
  using Damage = void (*)(SectionEntry&);
  const Damage damages[] = {
      [](SectionEntry& entry) { entry.offset += 1; },
      [](SectionEntry& entry) { entry.offset = 0; },
      [](SectionEntry& entry) { entry.offset = ~uint64_t{255}; },
      [](SectionEntry& entry) { entry.size_bytes = ~uint64_t{0}; },
      [](SectionEntry& entry) { entry.size_bytes += 4096; },
      [](SectionEntry& entry) { entry.offset -= 256; },
      [](SectionEntry& entry) { entry.kind = SectionKind::kMeta; },
  };
  for (const Damage damage : damages) {
    SegmentBytes bytes = sound;
    damage(bytes.entry(SectionKind::kPositions));
    bytes.Reseal();
    EXPECT_EQ(ReadStatus(bytes).code(), absl::StatusCode::kDataLoss);
  }
}

TEST(HeaderPage, SkipsUnknownSectionsUnlessTheyAreRequired) {
  SegmentBytes bytes = Small();
  SectionEntry& entry = bytes.entry(SectionKind::kStoredBytes);
  entry.kind = static_cast<SectionKind>(99);
  entry.flags = 0;
  bytes.Reseal();
  EXPECT_TRUE(ReadStatus(bytes).ok());
  entry.flags = kSectionRequired;
  bytes.Reseal();
  EXPECT_EQ(ReadStatus(bytes).code(), absl::StatusCode::kUnimplemented);
}

TEST(HeaderPage, NamesEverySection) {
  EXPECT_EQ(ToString(SectionKind::kMeta), "meta");
  EXPECT_EQ(ToString(SectionKind::kStoredBytes), "stored bytes");
  EXPECT_EQ(ToString(SectionKind::kPairs), "pairs");
  EXPECT_EQ(ToString(static_cast<SectionKind>(1000)), "of unknown kind");
}

}  // namespace header_page_test
}  // namespace pmdex
