#include "engine/store/store_verifier.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/store/snapshot.h"
#include "pmem/forwarding_directory.h"
#include "tests/engine/store/store_test_support.h"
#include "tests/support/exhausted_directory.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace store_verifier_test {

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

// Forwards all calls, but truncates one file to its header page at the second call of Health, when
// the segment may be open already.
class TruncatingDirectory final : public ForwardingDirectory {
 public:
  TruncatingDirectory(Directory& inner, std::string victim)
      : ForwardingDirectory(inner), victim_(std::move(victim)) {}

  absl::StatusOr<std::unique_ptr<ReadableFile>> Open(std::string_view name) const override {
    PMDEX_ASSIGN_OR_RETURN(auto file, base().Open(name));
    return std::make_unique<File>(std::move(file), victim_.ends_with(name) ? victim_ : "");
  }

 private:
  class File final : public ReadableFile {
   public:
    File(std::unique_ptr<ReadableFile> inner, std::string victim)
        : inner_(std::move(inner)), victim_(std::move(victim)) {}
    std::span<const std::byte> bytes() const override { return inner_->bytes(); }
    absl::Status Populate(uint64_t offset, uint64_t size_bytes) const override {
      return inner_->Populate(offset, size_bytes);
    }
    absl::Status Health() const override {
      const absl::Status health = inner_->Health();
      if (!victim_.empty() && ++questions_ == 2) std::filesystem::resize_file(victim_, 4096);
      return health;
    }
    std::optional<uint64_t> failed_offset() const override { return inner_->failed_offset(); }

   private:
    const std::unique_ptr<ReadableFile> inner_;
    const std::string victim_;
    mutable int questions_ = 0;
  };

  const std::string victim_;
};

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

// The file loses its tail behind the verifier's back: what it reads from there on is a fault.
TEST(StoreVerifier, SaysWhereTheMediumCouldNotBeRead) {
  const TemporaryDirectory temporary;
  const auto directory = *OpenFileDirectory(temporary.path(), {});
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "one two"}}, {{"b", "two"}}});
  TruncatingDirectory truncating(*directory, temporary / SegmentFileName(2));
  const auto report = VerifyStore(truncating);
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_FALSE(report->findings.empty());
  EXPECT_EQ(report->findings[0].file, SegmentFileName(2));
  EXPECT_NE(report->findings[0].what.find("truncated while mapped"), std::string::npos)
      << report->findings[0].what;
  for (const Finding& finding : report->findings) EXPECT_EQ(finding.file, SegmentFileName(2));
}

TEST(StoreVerifier, DoesNotReportALackOfDescriptorsAsDamage) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}, {{"b", "x"}}});
  const ExhaustedDirectory exhausted(
      *directory, [](std::string_view name) { return name == SegmentFileName(2); });
  EXPECT_TRUE(absl::IsResourceExhausted(VerifyStore(exhausted).status()));
}

TEST(StoreVerifier, FindsEveryFlippedByteOfAManifest) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "one two"}}, {{"b", "two"}}});
  const size_t size = (*directory->Open(ManifestFileName(1)))->bytes().size();
  for (size_t offset = 0; offset < size; ++offset) {
    FlipByte(*directory, ManifestFileName(1), offset);
    const auto report = VerifyStore(*directory);
    ASSERT_TRUE(!report.ok() || !report->findings.empty()) << offset;
    FlipByte(*directory, ManifestFileName(1), offset);
  }
  EXPECT_TRUE(VerifyStore(*directory)->findings.empty());
}

TEST(StoreVerifier, ReadsTheSegmentsOfAnUnfinishedBuildToo) {
  const auto directory = NewDramDirectory("store");
  {
    auto writer = *IndexWriter::Open(*directory, OpenMode::kCreate, TestSettings());
    ASSERT_TRUE(writer->StartBuild("x").ok());
    const auto input = MakeInput({{"a", "one two"}});
    const uint64_t id = writer->WriteSegment(*input)->segment_id;
    ASSERT_TRUE(writer->Checkpoint(std::span(&id, 1), {}).ok());
  }
  const auto sound = VerifyStore(*directory);
  ASSERT_TRUE(sound.ok()) << sound.status();
  EXPECT_TRUE(sound->findings.empty());
  EXPECT_EQ(sound->pending_segments, 1u);
  FlipByte(*directory, SegmentFileName(1), 5000);
  EXPECT_FALSE(VerifyStore(*directory)->findings.empty());
}

TEST(StoreVerifier, HasNothingToSayWhereThereIsNoIndex) {
  const auto directory = NewDramDirectory("store");
  EXPECT_TRUE(absl::IsNotFound(VerifyStore(*directory).status()));
}

// Each of these has a checksum that fits; a writer that believed it would destroy the index.
TEST(StoreVerifier, FindsAManifestThatContradictsItself) {
  const auto good = NewDramDirectory("store");
  BuildStore(*good, OpenMode::kCreate, {{{"a", "x"}}, {{"b", "x"}}});
  const Manifest manifest = *LoadNewestManifest(*good, nullptr);
  Manifest twice = manifest;
  twice.segments.push_back(twice.segments.front());
  Manifest in_use = manifest;
  in_use.next_segment_id = 2;
  Manifest last = manifest;
  last.generation = kMaxGeneration + 1;
  for (const Manifest& bad : {twice, in_use, last}) {
    const auto directory = NewDramDirectory("store");
    BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}, {{"b", "x"}}});
    ASSERT_TRUE(directory->Remove(ManifestFileName(1)).ok());
    const std::vector<std::byte> bytes = EncodeManifest(bad);
    WriteStranger(*directory, ManifestFileName(bad.generation),
                  {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    const auto report = VerifyStore(*directory);
    ASSERT_TRUE(report.ok()) << report.status();
    ASSERT_EQ(report->findings.size(), 1u);
    EXPECT_EQ(report->findings[0].section, "manifest");
    EXPECT_TRUE(absl::IsDataLoss(Snapshot::Open(*directory).status()));
    EXPECT_TRUE(absl::IsDataLoss(
        IndexWriter::Open(*directory, OpenMode::kAppend, TestSettings()).status()));
  }
}

}  // namespace store_verifier_test
}  // namespace pmdex
