#include "engine/store/store_verifier.h"

#include <gtest/gtest.h>

#include "tests/engine/store/store_test_support.h"

namespace pmdex {
namespace {

// Replaces a file by its bytes with the byte at `offset` flipped.
void FlipByte(Directory& directory, const std::string& name, size_t offset) {
  std::vector<std::byte> bytes;
  {
    auto file = directory.Open(name);
    ASSERT_TRUE(file.ok()) << file.status();
    bytes.assign((*file)->bytes().begin(), (*file)->bytes().end());
  }
  bytes[offset] ^= std::byte{0x10};
  ASSERT_TRUE(directory.Remove(name).ok());
  auto file = directory.Create(name, bytes.size());
  ASSERT_TRUE(file.ok()) << file.status();
  (*file)->CopyNonTemporal(0, bytes);
  ASSERT_TRUE((*file)->Seal(bytes.size()).ok());
}

TEST(StoreVerifier, FindsNothingInASoundStore) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "one two"}}, {{"b", "two"}}});
  const auto report = VerifyStore(*directory);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->findings.size(), 0u);
  EXPECT_EQ(report->segments, 2u);
  EXPECT_GT(report->bytes, 8192u);
}

TEST(StoreVerifier, NamesTheFileThatIsDamaged) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "one two"}}, {{"b", "two"}}});
  FlipByte(*directory, SegmentFileName(2), 5000);
  const auto report = VerifyStore(*directory);
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_FALSE(report->findings.empty());
  for (const Finding& finding : report->findings) EXPECT_EQ(finding.file, SegmentFileName(2));
}

TEST(StoreVerifier, ReportsADamagedManifestAndAMissingSegment) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "one two"}}});
  ASSERT_TRUE(directory->Remove(SegmentFileName(1)).ok());
  EXPECT_FALSE(VerifyStore(*directory)->findings.empty());
  FlipByte(*directory, ManifestFileName(1), 30);
  EXPECT_FALSE(VerifyStore(*directory)->findings.empty());
}

TEST(StoreVerifier, HasNothingToSayWhereThereIsNoIndex) {
  const auto directory = NewDramDirectory("store");
  EXPECT_TRUE(absl::IsNotFound(VerifyStore(*directory).status()));
}

}  // namespace
}  // namespace pmdex
