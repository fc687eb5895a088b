#include "tools/counters/dimm_counters.h"

#include <sys/stat.h>

#include <cstdlib>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"

#include "tests/support/run_program.h"

namespace pmdex {
namespace dimm_counters_test {

// As the program prints it, with three spaces before each count (intel/ipmctl,
// ShowPerformanceCommand.c).
constexpr char kTwoDimms[] =
    "---DimmID=0x0011---\n"
    "   MediaReads=0x00000000000000000000001580458028\n"
    "   MediaWrites=0x0000000000000000000000115d003898\n"
    "   ReadRequests=0x00000000000000000000000005f3ce3c\n"
    "   WriteRequests=0x00000000000000000000000005e952d8\n"
    "   TotalMediaReads=0x00000000000000000000035eb4d474a8\n"
    "   TotalMediaWrites=0x0000000000000000000001810fb89564\n"
    "   TotalReadRequests=0x00000000000000000000019ff9ea6740\n"
    "   TotalWriteRequests=0x000000000000000000000125eaeef513\n"
    "---DimmID=0x0021---\n"
    "   MediaReads=0x00000000000000000000000000000100\n"
    "   MediaWrites=0x00000000000000000000000000000040\n"
    "   ReadRequests=0x00000000000000000000000000000080\n"
    "   WriteRequests=0x00000000000000000000000000000020\n";

TEST(DimmCounters, ReadsWhatIpmctlPrints) {
  const auto reading = ParseDimmCounters(kTwoDimms);
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(*reading, (DimmReading{{"0x0011", {0x1580458028, 0x115d003898, 0x5f3ce3c, 0x5e952d8}},
                                   {"0x0021", {0x100, 0x40, 0x80, 0x20}}}));
  const std::string elsewhere = absl::StrReplaceAll(kTwoDimms, {{"\n", "\r\n"}, {"   ", "\t"}});
  EXPECT_EQ(*ParseDimmCounters("A warning.\n\nMediaReads=?\n" + elsewhere), *reading);
}

TEST(DimmCounters, RefusesOutputThatIsNotSound) {
  for (const std::string& text : {std::string(), std::string("No DIMMs in the system.\n"),
                                  std::string("---DimmID=---\n"), std::string(1000, '\0')}) {
    EXPECT_TRUE(absl::IsNotFound(ParseDimmCounters(text).status())) << text;
  }
  const std::string dimm(
      std::string(kTwoDimms).substr(std::string(kTwoDimms).find("---DimmID=0x0021")));
  EXPECT_TRUE(ParseDimmCounters(dimm).ok());
  const auto with = [&](const char* from, const std::string& to) {
    return ParseDimmCounters(absl::StrReplaceAll(dimm, {{from, to}})).status();
  };
  for (const char* count : {"100", "0x", "0xg", "0x1 2", "-0x1", "0x-1", "", "0xffffffffffffffff",
                            "0x10000000000000000000000000000000"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(with("0x00000000000000000000000000000100", count)))
        << count;
  }
  EXPECT_NE(with("MediaReads", "Media").message().find("no MediaReads for DIMM 0x0021"),
            absl::string_view::npos);
  EXPECT_TRUE(absl::IsInvalidArgument(ParseDimmCounters(dimm + dimm).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(with("ReadRequests", "MediaReads"))) << "twice";
}

TEST(DimmCounters, SurvivesAnyOutput) {
  std::minstd_rand random(1);
  for (int i = 0; i < 3000; ++i) {
    std::string text = kTwoDimms;
    for (int changes = 0; changes < 3; ++changes) {
      text[random() % text.size()] = static_cast<char>(random());
      text.erase(random() % text.size(), random() % 3);
    }
    text.resize(random() % (text.size() + 1));
    const auto reading = ParseDimmCounters(text);
    if (reading.ok()) {
      EXPECT_TRUE(BytesBetween(*reading, *reading).ok());
    }
  }
}

TEST(DimmCounters, TakesTheWritesOffTheReads) {
  const DimmReading before = {{"a", {10, 1, 5, 2}}, {"b", {0, 0, 0, 0}}};
  const DimmReading after = {{"a", {30, 9, 8, 3}}, {"b", {8, 4, 1, 1}}};
  const auto bytes = BytesBetween(before, after);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(bytes->dimms, 2u);
  EXPECT_EQ(bytes->media_read, 64u * (20 - 8 + 8 - 4));
  EXPECT_EQ(bytes->media_written, 64u * (8 + 4));
  EXPECT_EQ(bytes->requested_reads, 64u * (3 + 1));
  EXPECT_EQ(bytes->requested_writes, 64u * (1 + 1));
}

TEST(DimmCounters, HasNoReadsIfThereAreFewerThanWrites) {
  const auto bytes =
      BytesBetween({{"a", {}}, {"b", {}}}, {{"a", {3, 4, 0, 0}}, {"b", {9, 1, 0, 0}}});
  ASSERT_TRUE(bytes.ok());
  EXPECT_FALSE(bytes->media_read.has_value());
  EXPECT_EQ(bytes->media_written, 64u * 5);
}

TEST(DimmCounters, RefusesReadingsThatDoNotBelongTogether) {
  const DimmReading one = {{"a", {5, 5, 5, 5}}};
  for (const DimmReading& after :
       {DimmReading(), DimmReading{{"b", {9, 9, 9, 9}}},
        DimmReading{{"a", {9, 9, 9, 9}}, {"b", {}}}, DimmReading{{"a", {9, 9, 4, 9}}}}) {
    const auto bytes = BytesBetween(one, after);
    EXPECT_EQ(bytes.status().code(), absl::StatusCode::kFailedPrecondition) << after.size();
  }
}

// Runs with a made-up program ipmctl, alone in PATH beside those of the system.
class MadeUpIpmctl : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const path = std::getenv("PATH");
    path_ = path == nullptr ? "" : path;
    setenv("PATH", absl::StrCat(directory_.path(), ":/usr/bin:/bin").c_str(), /*overwrite=*/1);
  }
  void TearDown() override { setenv("PATH", path_.c_str(), /*overwrite=*/1); }

  absl::StatusOr<DimmCounters> OpenWith(const std::string& script,
                                        std::chrono::seconds limit = std::chrono::seconds(60)) {
    const std::string program = directory_.Write("ipmctl", "#!/bin/sh\n" + script);
    EXPECT_EQ(chmod(program.c_str(), 0755), 0);
    return DimmCounters::Open(limit);
  }

  const TemporaryDirectory directory_;

 private:
  std::string path_;
};

TEST_F(MadeUpIpmctl, IsAskedTwiceAndWithoutAShell) {
  const std::string file = directory_.Write("counts", kTwoDimms);
  const auto counters =
      OpenWith("[ \"$*\" = 'show -performance' ] || exit 2\ncat '" + file + "'\n");
  ASSERT_TRUE(counters.ok()) << counters.status();
  directory_.Write("counts", absl::StrReplaceAll(kTwoDimms, {{"0000000040\n", "0000000050\n"},
                                                             {"0000000100\n", "0000000140\n"}}));
  const auto bytes = counters->Read();
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(bytes->media_written, 64u * 0x10);
  EXPECT_EQ(bytes->media_read, 64u * (0x40 - 0x10));
  EXPECT_EQ(bytes->requested_writes, 0u);
}

TEST_F(MadeUpIpmctl, FailsInItsOwnWords) {
  const auto status = OpenWith("echo; echo 'Not for you.' >&2; exit 3\n").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(status.message(), "ipmctl failed with status 3: Not for you.");
  EXPECT_EQ(OpenWith("kill -9 $$\n").status().message(), "ipmctl failed with status 137: ");
  EXPECT_LT(OpenWith("head -c 100000 /dev/zero | tr '\\0' a; exit 1\n").status().message().size(),
            300u);
}

TEST_F(MadeUpIpmctl, MayHangPrintForEverOrPrintNothing) {
  EXPECT_EQ(OpenWith("exec sleep 1000\n", std::chrono::seconds(0)).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(OpenWith("exec cat /dev/zero\n").status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(absl::IsNotFound(OpenWith("").status()));
}

TEST_F(MadeUpIpmctl, MayFailTheSecondTime) {
  const auto counters = OpenWith("cat '" + directory_.Write("counts", kTwoDimms) + "'\n");
  ASSERT_TRUE(counters.ok()) << counters.status();
  directory_.Write("counts", "garbage");
  EXPECT_TRUE(absl::IsNotFound(counters->Read().status()));
}

TEST_F(MadeUpIpmctl, IsMissing) {
  setenv("PATH", directory_.path().c_str(), /*overwrite=*/1);
  const auto status = DimmCounters::Open().status();
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  EXPECT_NE(status.message().find("is not in PATH"), absl::string_view::npos) << status;
}

}  // namespace dimm_counters_test
}  // namespace pmdex
