#include "engine/store/manifest.h"

#include <gtest/gtest.h>

#include <cstring>

#include "pmem/checksum.h"
#include "pmem/forwarding_directory.h"
#include "pmem/status.h"

namespace pmdex {
namespace manifest_test {

Manifest Example() {
  Manifest manifest;
  manifest.generation = 7;
  manifest.next_segment_id = 12;
  manifest.settings = {AnalyzerKind::kEnglish, false, true};
  manifest.segments = {{3, 4096, 0xdeadbeef, 10, Tier::kUncompressed, 0},
                       {11, uint64_t{1} << 40, 1, 0xfffffffe, Tier::kCompressed, 5, 0xabcd, 77}};
  manifest.properties = {{"inputs", "/usr/share/doc"}, {"empty", ""}};
  manifest.fields = {{"size", {FieldType::kU64, Multiplicity::kOne}},
                     {"", {FieldType::kKeyword, Multiplicity::kMany}}};
  manifest.pending = PendingBuild{OpenMode::kAppend,
                                  "--format lines a b",
                                  {std::byte{1}, std::byte{0}, std::byte{2}},
                                  {{9, 512, 7, 3, Tier::kUncompressed, 0}}};
  return manifest;
}

void WriteFile(Directory& directory, std::string_view name, std::span<const std::byte> bytes) {
  auto file = directory.Create(name, bytes.size());
  ASSERT_TRUE(file.ok()) << file.status();
  (*file)->CopyNonTemporal(0, bytes);
  ASSERT_TRUE((*file)->Seal(bytes.size()).ok());
}

// Sets the trailing checksum to what the bytes before it have.
void Reseal(std::vector<std::byte>& bytes) {
  const uint32_t crc = Crc32c(std::span(bytes).first(bytes.size() - 8));
  std::memcpy(bytes.data() + bytes.size() - 8, &crc, sizeof crc);
}

TEST(Manifest, ComesBackAsItWasEncoded) {
  const Manifest manifest = Example();
  const auto decoded = DecodeManifest(EncodeManifest(manifest), "m");
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->generation, 7u);
  EXPECT_EQ(decoded->next_segment_id, 12u);
  EXPECT_EQ(decoded->settings.analyzer, AnalyzerKind::kEnglish);
  EXPECT_FALSE(decoded->settings.positions);
  EXPECT_TRUE(decoded->settings.store_text);
  EXPECT_EQ(decoded->properties, manifest.properties);
  EXPECT_EQ(decoded->fields, manifest.fields);
  ASSERT_EQ(decoded->segments.size(), 2u);
  EXPECT_EQ(decoded->segments[0].header_crc, 0xdeadbeefu);
  EXPECT_EQ(decoded->segments[1].id, 11u);
  EXPECT_EQ(decoded->segments[1].file_bytes, uint64_t{1} << 40);
  EXPECT_EQ(decoded->segments[1].doc_count, 0xfffffffeu);
  EXPECT_EQ(decoded->segments[1].tier, Tier::kCompressed);
  EXPECT_EQ(decoded->segments[1].live_docs_generation, 5u);
  EXPECT_EQ(decoded->segments[1].live_docs_check, 0xabcdu);
  EXPECT_EQ(decoded->segments[1].deleted_count, 77u);
  EXPECT_EQ(decoded->segments[1].live_count(), 0xfffffffeu - 77);
  ASSERT_TRUE(decoded->pending.has_value());
  EXPECT_EQ(decoded->pending->mode, OpenMode::kAppend);
  EXPECT_EQ(decoded->pending->options, "--format lines a b");
  EXPECT_EQ(decoded->pending->progress, manifest.pending->progress);
  ASSERT_EQ(decoded->pending->segments.size(), 1u);
  EXPECT_EQ(decoded->pending->segments[0].id, 9u);
  EXPECT_EQ(decoded->pending->doc_count(), 3u);
}

TEST(Manifest, IsVisibleUnlessOnlyAFirstBuildIsUnfinished) {
  Manifest manifest;
  EXPECT_FALSE(manifest.IsVisible()) << "generation 0";
  manifest.generation = 1;
  EXPECT_TRUE(manifest.IsVisible());
  manifest.pending.emplace();
  for (const OpenMode mode : {OpenMode::kCreate, OpenMode::kAppend, OpenMode::kOverwrite}) {
    manifest.pending->mode = mode;
    EXPECT_EQ(manifest.IsVisible(), mode != OpenMode::kCreate);
  }
  EXPECT_FALSE(manifest.HasPendingWork());
}

TEST(Manifest, RefusesAPendingSegmentWithoutItsBuild) {
  Manifest manifest;
  manifest.generation = 1;
  manifest.pending.emplace();
  manifest.pending->segments.emplace_back();
  ASSERT_TRUE(DecodeManifest(EncodeManifest(manifest), "m").ok());
  std::vector<std::byte> bytes = EncodeManifest(manifest);
  const size_t build_tag = 48 + 16;  // header, then the settings record
  ASSERT_EQ(bytes[build_tag], std::byte{4});
  bytes[build_tag] = std::byte{99};
  bytes[build_tag + 3] = std::byte{0};  // skipped, as it is not required
  Reseal(bytes);
  EXPECT_TRUE(absl::IsDataLoss(DecodeManifest(bytes, "m").status()));
}

TEST(Manifest, NoticesEveryFlippedByte) {
  const std::vector<std::byte> good = EncodeManifest(Example());
  for (size_t i = 0; i < good.size(); ++i) {
    std::vector<std::byte> bad = good;
    bad[i] ^= std::byte{0x40};
    EXPECT_FALSE(DecodeManifest(bad, "m").ok()) << i;
  }
}

TEST(Manifest, NoticesEveryTruncationAndExtension) {
  const std::vector<std::byte> good = EncodeManifest(Example());
  for (size_t length = 0; length < good.size(); ++length) {
    EXPECT_TRUE(absl::IsDataLoss(DecodeManifest(std::span(good).first(length), "m").status()))
        << length;
  }
  std::vector<std::byte> longer = good;
  longer.push_back(std::byte{0});
  EXPECT_TRUE(absl::IsDataLoss(DecodeManifest(longer, "m").status()));
}

TEST(Manifest, SurvivesHostileBytesWithAValidChecksum) {
  const std::vector<std::byte> good = EncodeManifest(Example());
  for (size_t i = 0; i + 8 < good.size(); ++i) {
    for (const uint8_t value : {0x00, 0x7f, 0xff}) {
      std::vector<std::byte> bad = good;
      bad[i] = std::byte{value};
      Reseal(bad);
      DecodeManifest(bad, "m").status().IgnoreError();  // any answer but a crash
    }
  }
}

TEST(Manifest, RefusesDeletionsThatCannotBe) {
  const auto decode = [](const Manifest& manifest) {
    return DecodeManifest(EncodeManifest(manifest), "m").status();
  };
  const Manifest good = Example();
  ASSERT_TRUE(decode(good).ok()) << decode(good);
  Manifest bad = good;
  bad.segments[1].deleted_count = 0;  // a generation without its record
  EXPECT_TRUE(absl::IsDataLoss(decode(bad)));
  bad = good;
  bad.segments[1].live_docs_generation = 0;
  EXPECT_TRUE(absl::IsDataLoss(decode(bad)));
  bad = good;
  bad.segments[1].deleted_count = bad.segments[1].doc_count + 1;
  EXPECT_TRUE(absl::IsDataLoss(decode(bad)));
  bad = good;
  bad.segments[1].live_docs_generation = kMaxLiveDocsGeneration + 1;
  EXPECT_TRUE(absl::IsDataLoss(decode(bad)));
  bad = good;
  bad.pending->segments[0].live_docs_generation = 1;
  EXPECT_TRUE(absl::IsDataLoss(decode(bad)));
  bad = good;
  bad.copies.push_back({11, {2, 4096, 1, 5, Tier::kCompressed, 1}});
  EXPECT_TRUE(absl::IsDataLoss(decode(bad)));
  bad.copies.back().file.live_docs_generation = 0;
  EXPECT_TRUE(absl::IsDataLoss(decode(bad))) << "its segment has deletions";
  bad.copies.back().of = 3;
  EXPECT_TRUE(decode(bad).ok()) << decode(bad);
}

TEST(Manifest, ListsTheLiveDocumentsOfKeptCopies) {
  Manifest manifest = Example();
  manifest.copies.push_back({11, {2, 4096, 1, 0xfffffffe, Tier::kCompressed, 6, 0xdcba, 77}});
  const auto decoded = DecodeManifest(EncodeManifest(manifest), "m");
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  ASSERT_NE(decoded->CopyOf(11), nullptr);
  const ManifestSegment& file = decoded->CopyOf(11)->file;
  EXPECT_EQ(file.live_docs_generation, 6u);
  EXPECT_EQ(file.live_docs_check, 0xdcbau);
  EXPECT_EQ(file.deleted_count, 77u);
  EXPECT_EQ(decoded->segments[1].live_docs_generation, 5u);
}

TEST(Manifest, RefusesANewerVersion) {
  std::vector<std::byte> bytes = EncodeManifest(Example());
  bytes[8] = std::byte{2};
  Reseal(bytes);
  const auto decoded = DecodeManifest(bytes, "m");
  EXPECT_TRUE(absl::IsUnimplemented(decoded.status())) << decoded.status();
}

TEST(Manifest, DoesNotTakeAFlippedBitForANewerVersion) {
  std::vector<std::byte> bytes = EncodeManifest(Example());
  bytes[8] ^= std::byte{2};
  EXPECT_TRUE(absl::IsDataLoss(DecodeManifest(bytes, "m").status()));
}

TEST(Manifest, SkipsUnknownRecordsAndRefusesRequiredOnes) {
  Manifest manifest;
  manifest.generation = 1;
  manifest.properties = {{"k", "v"}};
  std::vector<std::byte> bytes = EncodeManifest(manifest);
  const size_t property_tag = 48 + 16;  // header, then the settings record
  ASSERT_EQ(bytes[property_tag], std::byte{3});
  bytes[property_tag] = std::byte{99};
  Reseal(bytes);
  const auto skipped = DecodeManifest(bytes, "m");
  ASSERT_TRUE(skipped.ok()) << skipped.status();
  EXPECT_TRUE(skipped->properties.empty());
  bytes[property_tag + 3] = std::byte{0x80};
  Reseal(bytes);
  EXPECT_TRUE(absl::IsUnimplemented(DecodeManifest(bytes, "m").status()));
}

// Decodes what the manifest says, with a checksum that fits. The error names the offset.
absl::Status Decoded(const Manifest& manifest) {
  return DecodeManifest(EncodeManifest(manifest), "m").status();
}

TEST(Manifest, RefusesASegmentThatIsListedTwice) {
  Manifest visible = Example();
  visible.segments.push_back(visible.segments.front());
  EXPECT_EQ(Message(Decoded(visible)), "m: offset 32: segment 3 is listed twice");
  EXPECT_TRUE(absl::IsDataLoss(Decoded(visible)));
  Manifest pending = Example();
  pending.pending->segments.push_back(pending.pending->segments.front());
  EXPECT_EQ(Message(Decoded(pending)), "m: offset 32: segment 9 is listed twice");
  Manifest both = Example();
  both.pending->segments.front().id = 11;
  EXPECT_EQ(Message(Decoded(both)), "m: offset 32: segment 11 is listed twice");
}

TEST(Manifest, RefusesANextSegmentIdThatIsInUseOrLeavesNoneAfterIt) {
  Manifest manifest = Example();
  for (const uint64_t next : {uint64_t{0}, uint64_t{3}, uint64_t{11}}) {
    manifest.next_segment_id = next;
    EXPECT_TRUE(absl::IsDataLoss(Decoded(manifest))) << next;
  }
  manifest.segments.pop_back();  // 3 and, pending, 9 are left
  manifest.next_segment_id = 9;
  EXPECT_EQ(Message(Decoded(manifest)),
            "m: offset 32: the next segment id is 9, and segment 9 is in use");
  manifest.next_segment_id = kSegmentIdLimit;
  EXPECT_TRUE(Decoded(manifest).ok());
  manifest.next_segment_id = kSegmentIdLimit + 1;
  EXPECT_TRUE(absl::IsDataLoss(Decoded(manifest)));
}

TEST(Manifest, RefusesAGenerationThatIsNoneOrTheLast) {
  Manifest manifest = Example();
  for (const uint64_t generation : {uint64_t{0}, uint64_t{9'999'999'999'999'999}, UINT64_MAX}) {
    manifest.generation = generation;
    EXPECT_TRUE(absl::IsDataLoss(Decoded(manifest))) << generation;
  }
  manifest.generation = kMaxGeneration;
  EXPECT_TRUE(Decoded(manifest).ok());
}

TEST(Manifest, FileNamesSortByGeneration) {
  EXPECT_EQ(ManifestFileName(42), "manifest-0000000000000042");
  EXPECT_EQ(ParseManifestFileName("manifest-0000000000000042"), 42u);
  for (const char* name : {"manifest-42", "manifest-0000000000000042.tmp",
                           "manifest-00000000000000x2", "segment-0000000000000042", ""}) {
    EXPECT_FALSE(ParseManifestFileName(name).has_value()) << name;
  }
}

TEST(ManifestStore, PublishesTheNewestGeneration) {
  const auto directory = NewDramDirectory("test");
  EXPECT_TRUE(absl::IsNotFound(LoadNewestManifest(*directory, nullptr).status()));
  Manifest manifest = Example();
  for (manifest.generation = 1; manifest.generation <= 3; ++manifest.generation) {
    ASSERT_TRUE(PublishManifest(*directory, manifest).ok());
    EXPECT_EQ(LoadNewestManifest(*directory, nullptr)->generation, manifest.generation);
  }
}

// A directory in which a writer publishes a generation between a reader's listing and its opening.
class ReplacingDirectory final : public ForwardingDirectory {
 public:
  explicit ReplacingDirectory(Directory& base) : ForwardingDirectory(base) {}
  absl::StatusOr<std::unique_ptr<ReadableFile>> Open(std::string_view name) const override {
    if (replacements_-- > 0) {
      Manifest manifest = Example();
      manifest.generation = *ParseManifestFileName(name) + 1;
      PMDEX_RETURN_IF_ERROR(PublishManifest(base(), manifest));
      PMDEX_RETURN_IF_ERROR(base().Remove(name));
    }
    return base().Open(name);
  }

 private:
  mutable int replacements_ = 3;
};

TEST(ManifestStore, FollowsAWriterThatReplacesTheManifestMeanwhile) {
  const auto base = NewDramDirectory("test");
  Manifest manifest = Example();
  manifest.generation = 1;
  ASSERT_TRUE(PublishManifest(*base, manifest).ok());
  std::vector<absl::Status> damage;
  const auto loaded = LoadNewestManifest(ReplacingDirectory(*base), &damage);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->generation, 4u);
  EXPECT_TRUE(damage.empty());
}

TEST(ManifestStore, PassesOverADamagedGenerationAndSaysSo) {
  const auto directory = NewDramDirectory("test");
  Manifest manifest = Example();
  manifest.generation = 1;
  ASSERT_TRUE(PublishManifest(*directory, manifest).ok());
  std::vector<std::byte> bad = EncodeManifest(manifest);
  bad[20] ^= std::byte{1};
  WriteFile(*directory, ManifestFileName(2), bad);
  std::vector<absl::Status> damage;
  const auto loaded = LoadNewestManifest(*directory, &damage);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->generation, 1u);
  EXPECT_EQ(damage.size(), 1u);
}

TEST(ManifestStore, IsDamagedWhenNoGenerationIsValid) {
  const auto directory = NewDramDirectory("test");
  WriteFile(*directory, ManifestFileName(1), std::vector<std::byte>(100));
  EXPECT_TRUE(absl::IsDataLoss(LoadNewestManifest(*directory, nullptr).status()));
}

TEST(ManifestStore, NeverStepsBackBehindANewerFormat) {
  const auto directory = NewDramDirectory("test");
  Manifest manifest = Example();
  manifest.generation = 1;
  ASSERT_TRUE(PublishManifest(*directory, manifest).ok());
  manifest.generation = 2;
  std::vector<std::byte> newer = EncodeManifest(manifest);
  newer[8] = std::byte{9};
  Reseal(newer);
  WriteFile(*directory, ManifestFileName(2), newer);
  EXPECT_TRUE(absl::IsUnimplemented(LoadNewestManifest(*directory, nullptr).status()));
}

TEST(ManifestStore, PublishesNoGenerationThatWouldBeTheLast) {
  const auto directory = NewDramDirectory("test");
  Manifest manifest = Example();
  manifest.generation = kMaxGeneration;
  ASSERT_TRUE(PublishManifest(*directory, manifest).ok());
  EXPECT_EQ(LoadNewestManifest(*directory, nullptr)->generation, kMaxGeneration);
  ++manifest.generation;
  EXPECT_TRUE(absl::IsFailedPrecondition(PublishManifest(*directory, manifest)));
  EXPECT_EQ(directory->List()->size(), 1u);
}

TEST(ManifestStore, RefusesAManifestUnderAnotherGenerationsName) {
  const auto directory = NewDramDirectory("test");
  WriteFile(*directory, ManifestFileName(9), EncodeManifest(Example()));
  EXPECT_TRUE(absl::IsDataLoss(LoadNewestManifest(*directory, nullptr).status()));
}

}  // namespace manifest_test
}  // namespace pmdex
