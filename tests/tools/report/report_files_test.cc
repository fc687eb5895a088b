#include "tools/report/report_files.h"

#include <unistd.h>

#include <filesystem>
#include <string>

#include "gtest/gtest.h"

#include "tests/support/run_program.h"

namespace pmdex {
namespace report_files_test {

TEST(ReportFiles, WritesAndReplacesAFileAndLeavesNothingBeside) {
  const TemporaryDirectory directory;
  const std::string out = directory / "a/b";
  ASSERT_TRUE(MakeReportDirectory(out).ok());
  ASSERT_TRUE(MakeReportDirectory(out).ok());
  ASSERT_TRUE(WriteReportFile(out, "report.html", "one").ok());
  ASSERT_TRUE(WriteReportFile(out, "report.html", std::string(200'000, 'x')).ok());
  EXPECT_EQ(ReadReportFile(out + "/report.html").value(), std::string(200'000, 'x'));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(out), {}), 1);
}

TEST(ReportFiles, RefusesAFileThatIsTooLarge) {
  const TemporaryDirectory directory;
  const std::string path = directory.Write("large", std::string(1000, 'x'));
  EXPECT_EQ(ReadReportFile(path, 999).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(ReadReportFile(path, 1000).ok());
}

TEST(ReportFiles, NamesTheFileThatCannotBeReadOrWritten) {
  const TemporaryDirectory directory;
  const auto read = ReadReportFile(directory / "none").status();
  EXPECT_EQ(read.code(), absl::StatusCode::kNotFound);
  EXPECT_NE(read.message().find("none"), std::string::npos);
  EXPECT_FALSE(WriteReportFile(directory / "none", "a", "").ok());
  EXPECT_FALSE(MakeReportDirectory(directory.Write("file", "") + "/below").ok());
}

TEST(ReportFiles, DoesNotFollowALinkInPlaceOfTheFile) {
  const TemporaryDirectory directory;
  const std::string target = directory.Write("target", "kept");
  ASSERT_EQ(symlink(target.c_str(), (directory / "report.html").c_str()), 0);
  ASSERT_TRUE(WriteReportFile(directory.path(), "report.html", "new").ok());
  EXPECT_EQ(ReadReportFile(target).value(), "kept");
  EXPECT_EQ(ReadReportFile(directory / "report.html").value(), "new");
}

}  // namespace report_files_test
}  // namespace pmdex
