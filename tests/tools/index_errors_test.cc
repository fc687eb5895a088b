#include "tools/index_errors.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pmem/exhaustion.h"
#include "tests/engine/store/store_test_support.h"

namespace pmdex {
namespace index_errors_test {

std::unique_ptr<IndexWriter> StartBuild(Directory& directory) {
  auto writer = IndexWriter::Open(directory, OpenMode::kCreate, TestSettings());
  EXPECT_TRUE(writer.ok()) << writer.status();
  EXPECT_TRUE((*writer)->StartBuild("--format lines x").ok());
  return *std::move(writer);
}

void Checkpoint(IndexWriter& writer) {
  const auto input = MakeInput({{"a", "word"}, {"b", "word"}});
  const uint64_t segment = writer.WriteSegment(*input)->segment_id;
  ASSERT_TRUE(writer.Checkpoint(std::span(&segment, 1), {std::byte{1}}).ok());
}

TEST(ExplainOpenError, NamesTheFlagThatHelps) {
  const auto empty = NewDramDirectory("empty");
  const auto unfinished = NewDramDirectory("unfinished");
  Checkpoint(*StartBuild(*unfinished));
  const auto hint = [](const absl::Status& status, bool overwrite, const Directory* directory) {
    return std::string(ExplainOpenError(status, overwrite, directory).message());
  };
  const auto expect = [](const std::string& text, const std::string& words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  const absl::Status exists = absl::AlreadyExistsError("x");
  expect(hint(exists, false, empty.get()), "--append extends it, --overwrite replaces it");
  expect(hint(exists, false, nullptr), "--append extends it");
  expect(hint(exists, false, unfinished.get()), "--resume goes on with the unfinished build");
  const absl::Status missing = absl::NotFoundError("x");
  expect(hint(missing, false, empty.get()), "leave out --append");
  expect(hint(missing, false, unfinished.get()), "--resume with its command line");
  const absl::Status differs = absl::FailedPreconditionError("x");
  EXPECT_EQ(hint(differs, false, empty.get()), "x");
  expect(hint(differs, false, unfinished.get()), "--resume takes the same command line");
  const absl::Status damaged = absl::DataLossError("x");
  expect(hint(damaged, false, empty.get()), "--overwrite starts anew");
  EXPECT_EQ(hint(damaged, true, empty.get()).find("--overwrite"), std::string::npos);
  EXPECT_EQ(hint(absl::UnavailableError("x"), false, empty.get()), "x");
}

TEST(ExplainStop, SaysHowMuchIsDurable) {
  const auto directory = NewDramDirectory("store");
  const auto writer = StartBuild(*directory);
  const std::string nothing(ExplainStop(SIGTERM, *writer).message());
  EXPECT_NE(nothing.find("interrupted by SIGTERM: nothing is indexed yet"), std::string::npos);
  Checkpoint(*writer);
  const absl::Status stopped = ExplainStop(SIGINT, *writer);
  EXPECT_TRUE(absl::IsCancelled(stopped));
  EXPECT_NE(std::string(stopped.message()).find("2 documents are durable"), std::string::npos);
}

TEST(ExplainBuildError, SaysWhatToFreeAndWhereTheNextRunGoesOn) {
  const auto directory = NewDramDirectory("store");
  const auto writer = StartBuild(*directory);
  const absl::Status exhausted = Exhausted(Resource::kSpace, "no space");
  const std::string early(ExplainBuildError(exhausted, *writer).message());
  EXPECT_NE(early.find("free space"), std::string::npos) << early;
  EXPECT_EQ(early.find("--resume"), std::string::npos) << early;
  Checkpoint(*writer);
  const std::string late(ExplainBuildError(exhausted, *writer).message());
  EXPECT_NE(late.find("free space, then --resume goes on after 2 documents"), std::string::npos)
      << late;
  const std::string other(ExplainBuildError(absl::InternalError("x"), *writer).message());
  EXPECT_NE(other.find("--resume goes on after 2 documents"), std::string::npos) << other;
}

TEST(WarnDropped, CountsWhatGoesAndWhatStays) {
  const auto directory = NewDramDirectory("store");
  {
    const auto writer = StartBuild(*directory);
    const auto input = MakeInput({{"seen", "word"}});
    const uint64_t segment = writer->WriteSegment(*input)->segment_id;
    ASSERT_TRUE(writer->PublishPart(std::span(&segment, 1), {std::byte{1}}, {}).ok());
    Checkpoint(*writer);
  }
  const auto warning = [&](OpenMode mode) {
    const auto writer = *IndexWriter::Open(*directory, mode, TestSettings());
    testing::internal::CaptureStderr();
    WarnDropped(*writer, mode == OpenMode::kOverwrite);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(
      warning(OpenMode::kAppend),
      "pmdex: warning: an unfinished build of 2 documents is dropped (1 that it has published "
      "stay): --format lines x\n");
  EXPECT_EQ(warning(OpenMode::kOverwrite),
            "pmdex: warning: an unfinished build of 2 documents is dropped: --format lines x\n");
}

}  // namespace index_errors_test
}  // namespace pmdex
