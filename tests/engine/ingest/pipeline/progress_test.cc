#include "engine/ingest/pipeline/progress.h"

#include "gtest/gtest.h"

#include "engine/ingest/ingest_report.h"

namespace pmdex {
namespace progress_test {

constexpr IngestProgress kHalf = {.bytes_done = uint64_t{512} << 20,
                                  .bytes_total = uint64_t{1} << 30,
                                  .documents = 40000,
                                  .written_documents = 40000,
                                  .elapsed_seconds = 4};

TEST(RenderProgress, ShowsBarShareRatesAndTimeLeft) {
  EXPECT_EQ(RenderProgress(kHalf, 79),
            "[#############-------------]   50%  512 MiB  128 MiB/s  10,000 docs/s  ETA 0:04");
}

TEST(RenderProgress, NeverExceedsTheWidth) {
  for (size_t width = 0; width < 200; ++width) {
    EXPECT_LE(RenderProgress(kHalf, width).size(), width);
  }
}

TEST(RenderProgress, LeavesOutWhatDependsOnAnUnknownTotal) {
  IngestProgress progress = kHalf;
  progress.bytes_total = 0;
  EXPECT_EQ(RenderProgress(progress, 79), "512 MiB  128 MiB/s  10,000 docs/s");
}

TEST(RenderProgress, CountsWhatIsReadButNotWrittenForThreeQuarters) {
  IngestProgress progress = kHalf;
  progress.written_documents = 0;
  EXPECT_NE(RenderProgress(progress, 79).find(" 37%"), std::string::npos);
  progress.written_documents = 20000;
  EXPECT_NE(RenderProgress(progress, 79).find(" 43%"), std::string::npos);
}

TEST(RenderProgress, SaysThatSegmentsAreWrittenOnceAllInputIsRead) {
  IngestProgress progress = kHalf;
  progress.bytes_done = progress.bytes_total;
  progress.written_documents = 0;
  EXPECT_EQ(RenderProgress(progress, 79),
            "[############################----------]   75%  1.0 GiB  writing segments");
  progress.written_documents = progress.documents;
  EXPECT_NE(RenderProgress(progress, 79).find("100%"), std::string::npos);
}

TEST(RenderProgress, StaysAtOneHundredWhenTheInputGrew) {
  IngestProgress progress = kHalf;
  progress.bytes_done = progress.bytes_total * 2;
  EXPECT_NE(RenderProgress(progress, 120).find("100%"), std::string::npos);
}

TEST(RenderProgress, IsDefinedAtTheVeryBeginning) {
  EXPECT_EQ(RenderProgress({}, 79), "0 B  0 B/s  0 docs/s");
}

TEST(ProgressLine, WritesNothingWhenItIsDisabled) {
  testing::internal::CaptureStderr();
  {
    ProgressLine line(/*enabled=*/false);
    line.Show(kHalf);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(ProgressLine, WritesNothingToAFile) {
  testing::internal::CaptureStderr();
  {
    ProgressLine line(/*enabled=*/true);
    line.Show(kHalf);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace progress_test
}  // namespace pmdex
