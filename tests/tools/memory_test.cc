// Tests that a build keeps to its --memory: the peak resident set of the process, including the
// counting of terms at its end, exceeds it by at most a tenth. The inputs are the worst ones for a
// memtable: documents of nearly only new words, an index ten times as large as the memory, and one
// document that fills the memory.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/support/compress.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace memory_test {

using nlohmann::json;

class MemoryTest : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer has memory of its own";
#endif
  }

  // Lines of about twenty bytes; most words occur once.
  std::string WriteUniqueWords(size_t lines) const {
    std::mt19937_64 random(17);
    std::string text;
    for (size_t i = 0; i < lines; ++i) {
      for (int word = 0; word < 2; ++word) {
        uint64_t letters = random();
        for (int j = 0; j < 9; ++j, letters >>= 5) text += static_cast<char>('a' + letters % 26);
        text += word == 0 ? ' ' : '\n';
      }
    }
    return directory_.Write("words.log", text);
  }

  json Build(const std::string& input, const std::string& memory,
             const std::vector<std::string>& more = {"--threads", "2"},
             const std::string& format = "lines") {
    std::vector<std::string> command = {
        PMDEX_BINARY, "index", input,         "--index", directory_ / "index", "--format", format,
        "--memory",   memory,  "--overwrite", "--json"};
    command.insert(command.end(), more.begin(), more.end());
    const ProgramResult result = RunProgram(command);
    messages_ = result.err;
    EXPECT_EQ(result.exit_status, 0) << result.err;
    const json report = result.exit_status == 0 ? json::parse(result.out) : json{};
    const uint64_t peak = report.value("peak_rss_bytes", uint64_t{0});
    peak_rss_mib_ = static_cast<double>(peak) / (1 << 20);
    std::fprintf(stderr, "peak %.1f MiB with --memory %s, %s\n", peak_rss_mib_, memory.c_str(),
                 report.value("bottleneck", "").c_str());
    return report;
  }

  void ExpectVerifies() {
    const ProgramResult result =
        RunProgram({PMDEX_BINARY, "verify", "--index", directory_ / "index"});
    EXPECT_EQ(result.exit_status, 0) << result.out << result.err;
  }

  const TemporaryDirectory directory_;
  double peak_rss_mib_ = 0;
  std::string messages_;
};

TEST_F(MemoryTest, AnIndexOfTenTimesTheMemoryBuildsWithinIt) {
  constexpr size_t kLines = 7'900'000;
  const json report = Build(WriteUniqueWords(kLines), "64M");
  EXPECT_GT(peak_rss_mib_, 0);
  EXPECT_LE(peak_rss_mib_, 64 * 1.1);
  EXPECT_EQ(report["documents"], kLines);
  EXPECT_GE(report["bytes"]["total"], 640 << 20);
  ExpectVerifies();
}

TEST_F(MemoryTest, MoreMemoryIsUsedAndKeptTo) {
  constexpr size_t kLines = 1'000'000;
  const json report = Build(WriteUniqueWords(kLines), "256M");
  EXPECT_LE(peak_rss_mib_, 256 * 1.1);
  EXPECT_GE(peak_rss_mib_, 64) << "what is given is used";
  EXPECT_EQ(report["documents"], kLines);
}

TEST_F(MemoryTest, HoldsWhateverTheThreads) {
  constexpr size_t kLines = 200'000;
  const std::string input = WriteUniqueWords(kLines);
  for (const std::string analyzer : {"standard", "english"}) {
    const json report = Build(
        input, "64M",
        {"--threads", "64", "--reader-threads", "64", "--analyzer", analyzer, "--store", "on"});
    EXPECT_GT(peak_rss_mib_, 0);
    EXPECT_LE(peak_rss_mib_, 64 * 1.1) << analyzer;
    EXPECT_EQ(report["documents"], kLines);
    EXPECT_NE(messages_.find("warning: --memory 64MiB"), std::string::npos) << messages_;
    EXPECT_NE(messages_.find(" of 64 indexer threads"), std::string::npos) << messages_;
  }
}

TEST_F(MemoryTest, DocumentsThatHardlyFitAreIndexedOrReportedWithinIt) {
  std::mt19937_64 random(18);
  std::string text;
  while (text.size() < (size_t{15} << 20)) text += "w" + std::to_string(random() % 5'000) + " ";
  const std::string half = text.substr(0, text.size() / 3);
  const json report =
      Build(directory_.Write("long.txt", text + "\n" + half + "\n" + text + "\nlast\n"), "64M");
  EXPECT_LE(peak_rss_mib_, 64 * 1.1);
  EXPECT_EQ(report["documents"].get<int>() + report["skipped"].get<int>(), 4);
  EXPECT_GE(report["documents"], 2) << "a third of it fits";
  ExpectVerifies();
}

// Text with escapes, which the parser has to copy, and tokens that need four times their bytes.
TEST_F(MemoryTest, AJsonLineOfHalfADocumentIsParsedWithinIt) {
  std::mt19937_64 random(19);
  constexpr size_t kHalf = size_t{8} << 20;
  std::string text = "{\"id\":\"text\",\"t\":\"";
  while (text.size() < kHalf - 100) text += "w" + std::to_string(random() % 5'000) + "\\n";
  text += "\"}\n";
  std::string values = "{\"id\":\"values\",\"n\":[1";
  while (values.size() < kHalf - 100) values += ",1";
  values += "]}\n";
  const std::string path = directory_.Write(
      "long.jsonl", text + values + text + std::string(kHalf, ' ') + "{}\n{\"id\":\"last\"}\n");
  const json report = Build(path, "64M", {"--threads", "2"}, "jsonl");
  EXPECT_LE(peak_rss_mib_, 64 * 1.1);
  EXPECT_EQ(report["documents"], 3);
  EXPECT_EQ(report["skipped"], 2) << "too many values, and longer than half a document";
}

TEST_F(MemoryTest, CompressedFilesThatExplodeAreReadWithinIt) {
  std::string bomb;
  const std::string piece = Compress(Compression::kXz, std::string(size_t{8} << 20, 'a'));
  while (bomb.size() < 25 * piece.size()) bomb += piece;
  directory_.Write("logs/bomb.xz", bomb);
  directory_.Write("logs/window.zst", CompressWithWindow(std::string(1 << 20, 'b'), 27));
  for (int i = 0; i < 8; ++i) {
    directory_.Write("logs/" + std::to_string(i) + ".zst",
                     CompressWithWindow("line\n" + std::string(1 << 20, 'c'), 22));
  }
  const json report = Build(directory_ / "logs", "64M");
  EXPECT_LE(peak_rss_mib_, 64 * 1.1);
  EXPECT_EQ(report["documents"], 16);
  EXPECT_EQ(report["skipped"], 2);
}

}  // namespace memory_test
}  // namespace pmdex
