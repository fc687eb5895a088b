#include "engine/store/deletions/live_docs_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>
#include <vector>

#include "engine/segment/live_docs_format.h"
#include "pmem/checksum.h"
#include "tests/engine/store/store_test_support.h"

namespace pmdex {
namespace live_docs_file_test {

// Writes live documents of segment 10, generation 2, and says what a manifest lists.
ManifestSegment Write(Directory& directory, const LiveDocs& live_docs) {
  const auto check = WriteLiveDocs(directory, {10, 2}, live_docs);
  EXPECT_TRUE(check.ok()) << check.status();
  ManifestSegment listed;
  listed.id = 10;
  listed.doc_count = live_docs.doc_count();
  listed.live_docs_generation = 2;
  listed.live_docs_check = check.ok() ? *check : 0;
  listed.deleted_count = live_docs.deleted_count();
  return listed;
}

std::vector<std::byte> BytesOf(const Directory& directory) {
  const std::string content = ContentOf(directory, LiveDocsFileName({10, 2}));
  const auto bytes = std::as_bytes(std::span(content));
  return {bytes.begin(), bytes.end()};
}

// A directory with these bytes in the place of the file.
absl::StatusOr<LiveDocs> ReadBytes(const std::vector<std::byte>& bytes,
                                   const ManifestSegment& listed) {
  const auto directory = NewDramDirectory("other");
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  WriteStranger(*directory, LiveDocsFileName({10, 2}), text);
  return ReadLiveDocs(*directory, listed);
}

// The checksums are made to fit; that of the header goes into the listed entry.
void Reseal(std::vector<std::byte>& bytes, ManifestSegment& listed) {
  const uint32_t words = Crc32c(std::span(bytes).subspan(sizeof(LiveDocsHeader)));
  std::memcpy(bytes.data() + kLiveDocsWordsCheckOffset, &words, sizeof words);
  listed.live_docs_check = Crc32c(std::span(bytes).first(kLiveDocsCheckOffset));
  std::memcpy(bytes.data() + kLiveDocsCheckOffset, &listed.live_docs_check, sizeof(uint32_t));
}

TEST(LiveDocsFile, ItsNameHasSegmentAndGeneration) {
  EXPECT_EQ(LiveDocsFileName({10, 2}), "live-000000000000000a-0000000000000002.pmdex");
  EXPECT_EQ(ParseLiveDocsFileName("live-000000000000000a-0000000000000002.pmdex"),
            (LiveDocsKey{10, 2}));
  for (const char* name :
       {"", "live-", "live-a-2.pmdex", "live-000000000000000A-0000000000000002.pmdex",
        "live-000000000000000a-0000000000000002.pmdex.tmp",
        "live-000000000000000a_0000000000000002.pmdex",
        "live-00000000000000-a-0000000000000002.pmdex",
        "dead-000000000000000a-0000000000000002.pmdex"}) {
    EXPECT_EQ(ParseLiveDocsFileName(name), std::nullopt) << name;
  }
}

TEST(LiveDocsFile, ComesBackAsItWasWritten) {
  std::mt19937_64 random(7);
  for (const uint32_t doc_count : {1u, 63u, 64u, 65u, 511u, 512u, 513u, 5000u}) {
    std::vector<DocId> deleted = {0};
    for (uint32_t i = 0; i < doc_count / 3; ++i) {
      deleted.push_back(static_cast<DocId>(random() % doc_count));
    }
    const LiveDocs written = LiveDocs::Without(doc_count, deleted);
    const auto directory = NewDramDirectory("store");
    const ManifestSegment listed = Write(*directory, written);
    const auto read = ReadLiveDocs(*directory, listed);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->live_count(), written.live_count());
    EXPECT_TRUE(std::ranges::equal(read->words(), written.words())) << doc_count;
    EXPECT_EQ(FileNames(*directory), std::set<std::string>{LiveDocsFileName({10, 2})});
  }
}

TEST(LiveDocsFile, NoticesEveryFlippedBitAndEveryLength) {
  const auto directory = NewDramDirectory("store");
  const ManifestSegment listed = Write(*directory, LiveDocs::Without(70, std::vector<DocId>{3}));
  const std::vector<std::byte> good = BytesOf(*directory);
  ASSERT_TRUE(ReadBytes(good, listed).ok());
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::vector<std::byte> bad = good;
    bad[bit / 8] ^= std::byte{1} << bit % 8;
    EXPECT_TRUE(absl::IsDataLoss(ReadBytes(bad, listed).status())) << bit;
  }
  for (size_t length = 0; length < good.size(); ++length) {
    const std::vector<std::byte> bad(good.begin(), good.begin() + static_cast<ptrdiff_t>(length));
    EXPECT_TRUE(absl::IsDataLoss(ReadBytes(bad, listed).status())) << length;
  }
  std::vector<std::byte> longer = good;
  longer.resize(good.size() + 64);
  EXPECT_TRUE(absl::IsDataLoss(ReadBytes(longer, listed).status()));
}

TEST(LiveDocsFile, IsRefusedWhereTheManifestListsAnother) {
  const auto directory = NewDramDirectory("store");
  const ManifestSegment listed = Write(*directory, LiveDocs::Without(70, std::vector<DocId>{3}));
  const std::vector<std::byte> bytes = BytesOf(*directory);
  ManifestSegment other = listed;
  other.live_docs_check ^= 1;
  EXPECT_TRUE(absl::IsDataLoss(ReadBytes(bytes, other).status()));
  other = listed;
  other.doc_count = 71;
  EXPECT_TRUE(absl::IsDataLoss(ReadBytes(bytes, other).status()));
  other = listed;
  other.deleted_count = 2;
  EXPECT_TRUE(absl::IsDataLoss(ReadBytes(bytes, other).status()));
  EXPECT_TRUE(absl::IsNotFound(ReadLiveDocs(*NewDramDirectory("empty"), listed).status()));
}

// Whatever the bytes, with right checksums: an error or a bitmap that keeps its contract.
TEST(LiveDocsFile, SurvivesHostileBytesWithRightChecksums) {
  const auto directory = NewDramDirectory("store");
  const ManifestSegment listed = Write(*directory, LiveDocs::Without(70, std::vector<DocId>{3}));
  const std::vector<std::byte> good = BytesOf(*directory);
  for (size_t i = 0; i < good.size(); ++i) {
    for (const uint8_t value : {0x00, 0x01, 0x7f, 0xff}) {
      std::vector<std::byte> bad = good;
      if (bad[i] == std::byte{value}) continue;
      // As many bits in another place are another deletion.
      const auto before = std::popcount(std::to_integer<uint8_t>(good[i]));
      if (i >= sizeof(LiveDocsHeader) && std::popcount(value) == before) continue;
      bad[i] = std::byte{value};
      ManifestSegment believed = listed;
      Reseal(bad, believed);
      const auto read = ReadBytes(bad, believed);
      const bool is_ignored = i >= 48 && i < sizeof(LiveDocsHeader);  // reserved, and checksums
      EXPECT_EQ(read.ok(), is_ignored) << i << " " << int{value} << read.status();
    }
  }
}

TEST(LiveDocsFile, OfANewerVersionIsNotTakenForDamage) {
  const auto directory = NewDramDirectory("store");
  ManifestSegment listed = Write(*directory, LiveDocs::Without(70, std::vector<DocId>{3}));
  std::vector<std::byte> bytes = BytesOf(*directory);
  bytes[8] = std::byte{2};
  Reseal(bytes, listed);
  EXPECT_TRUE(absl::IsUnimplemented(ReadBytes(bytes, listed).status()));
}

TEST(LiveDocsFile, IsNotWrittenOverAnotherFile) {
  const auto directory = NewDramDirectory("store");
  WriteStranger(*directory, LiveDocsFileName({10, 2}) + ".tmp", "in the way");
  const auto written = WriteLiveDocs(*directory, {10, 2}, LiveDocs::Without(5, {}));
  EXPECT_TRUE(absl::IsAlreadyExists(written.status())) << written.status();
  EXPECT_EQ(ContentOf(*directory, LiveDocsFileName({10, 2}) + ".tmp"), "in the way");
}

}  // namespace live_docs_file_test
}  // namespace pmdex
