#include "engine/ingest/resume/build_progress.h"

#include <gtest/gtest.h>

#include "engine/ingest/problem_kind.h"

namespace pmdex {
namespace build_progress_test {

BuildProgress Example() {
  BuildProgress progress;
  progress.documents = 12345;
  progress.tokens = uint64_t{1} << 63;
  progress.bytes_in = 678;
  progress.segments = 9;
  progress.problems[ProblemKind::kBinaryFile] = {3, {"a", "b"}};
  progress.problems[ProblemKind::kFileChanged] = {1, {"c: 5 bytes, now 4"}};
  progress.watermark = {{{0, "tree/a"}, {0, "tree/z"}, {}}};
  return progress;
}

TEST(BuildProgress, ComesBackAsItWasEncoded) {
  const auto decoded = DecodeBuildProgress(EncodeBuildProgress(Example()));
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->documents, 12345u);
  EXPECT_EQ(decoded->tokens, uint64_t{1} << 63);
  EXPECT_EQ(decoded->bytes_in, 678u);
  EXPECT_EQ(decoded->segments, 9u);
  ASSERT_EQ(decoded->problems.size(), 2u);
  EXPECT_EQ(decoded->problems.at(ProblemKind::kBinaryFile).count, 3u);
  EXPECT_EQ(decoded->problems.at(ProblemKind::kFileChanged).first_places.at(0),
            "c: 5 bytes, now 4");
  EXPECT_EQ(decoded->watermark, Example().watermark);
}

TEST(BuildProgress, RemembersTheFieldsTheirTypesAndTheirBadValues) {
  BuildProgress progress = Example();
  progress.fields["title"] = KnownField::Of(FieldSpec());
  progress.fields[""] = KnownField::Reserved();
  progress.fields["size"] = {FieldSpec{FieldType::kKeyword, Multiplicity::kMany}, true};
  progress.fields["late"] = {FieldSpec(), true, InputPosition{7, uint64_t{1} << 40}};
  progress.fields_are_settled = true;
  progress.bad_values["size"] = 300;
  const std::vector<std::byte> bytes = EncodeBuildProgress(progress);
  const auto decoded = DecodeBuildProgress(bytes);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->fields, progress.fields);
  EXPECT_TRUE(decoded->fields_are_settled);
  EXPECT_EQ(decoded->bad_values, progress.bad_values);
  EXPECT_EQ(decoded->watermark, progress.watermark);
  for (size_t length = 1; length < bytes.size(); ++length) {
    EXPECT_TRUE(absl::IsDataLoss(DecodeBuildProgress(std::span(bytes).first(length)).status()))
        << length;
  }
}

TEST(BuildProgress, RemembersTheTimesOfLines) {
  BuildProgress progress = Example();
  progress.watermark = {{{0, "a"}, {0, "a"}, {{0, 10, 2, -5}, {20, 30, 4, std::nullopt}}}};
  const std::vector<std::byte> bytes = EncodeBuildProgress(progress);
  const auto decoded = DecodeBuildProgress(bytes);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->watermark, progress.watermark);
  for (size_t length = 1; length < bytes.size(); ++length) {
    EXPECT_TRUE(absl::IsDataLoss(DecodeBuildProgress(std::span(bytes).first(length)).status()))
        << length;
  }
}

TEST(BuildProgress, RemembersTheOrderOfTheInputWhereDocumentsAreReplaced) {
  BuildProgress progress = Example();
  progress.orders = {{3, {{0, {{1, "in"}, 100, 1}}}}};
  for (const bool with_fields : {false, true}) {
    if (with_fields) progress.fields["title"] = KnownField::Of(FieldSpec());
    const auto decoded = DecodeBuildProgress(EncodeBuildProgress(progress));
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_EQ(decoded->orders, progress.orders);
    EXPECT_EQ(decoded->fields, progress.fields);
    EXPECT_EQ(decoded->watermark, progress.watermark);
  }
}

TEST(BuildProgress, RemembersHowManyDocumentsWereReplacedInParts) {
  for (BuildProgress progress : {BuildProgress(), Example()}) {
    progress.updated = 1'000'000;
    const auto decoded = DecodeBuildProgress(EncodeBuildProgress(progress));
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_EQ(decoded->updated, 1'000'000u);
    EXPECT_EQ(decoded->documents, progress.documents);
    EXPECT_EQ(decoded->watermark, progress.watermark);
  }
}

TEST(BuildProgress, EveryKindOfProblemComesBack) {
  BuildProgress progress;
  for (const ProblemKind kind : kAllProblemKinds) progress.problems[kind].count = 1;
  const auto decoded = DecodeBuildProgress(EncodeBuildProgress(progress));
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->problems.size(), std::size(kAllProblemKinds));
}

TEST(BuildProgress, NoBytesAreTheBeginning) {
  const auto decoded = DecodeBuildProgress({});
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->documents, 0u);
  EXPECT_TRUE(decoded->watermark.empty());
}

TEST(BuildProgress, RefusesEveryTruncationAndExtension) {
  std::vector<std::byte> bytes = EncodeBuildProgress(Example());
  for (size_t length = 1; length < bytes.size(); ++length) {
    EXPECT_TRUE(absl::IsDataLoss(DecodeBuildProgress(std::span(bytes).first(length)).status()))
        << length;
  }
  bytes.push_back(std::byte{0});
  EXPECT_TRUE(absl::IsDataLoss(DecodeBuildProgress(bytes).status()));
}

TEST(BuildProgress, RefusesANewerFormAndAnUnknownProblem) {
  std::vector<std::byte> bytes = EncodeBuildProgress(Example());
  bytes[0] = std::byte{6};
  EXPECT_TRUE(absl::IsUnimplemented(DecodeBuildProgress(bytes).status()));
  bytes = EncodeBuildProgress(Example());
  const auto binary = std::find(bytes.begin(), bytes.end(), std::byte{'b'});
  *binary = std::byte{'x'};
  EXPECT_TRUE(absl::IsDataLoss(DecodeBuildProgress(bytes).status()));
}

TEST(BuildProgress, SurvivesHostileBytes) {
  const std::vector<std::byte> good = EncodeBuildProgress(Example());
  for (size_t i = 0; i < good.size(); ++i) {
    for (const uint8_t value : {0x00, 0x7f, 0x80, 0xff}) {
      std::vector<std::byte> bad = good;
      bad[i] = std::byte{value};
      DecodeBuildProgress(bad).status().IgnoreError();  // any answer but a crash
    }
  }
}

}  // namespace build_progress_test
}  // namespace pmdex
