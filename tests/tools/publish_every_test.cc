// Builds that are searched while they run (pmdex index --publish-every).
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/background_program.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace publish_every_test {

class PublishEvery : public testing::Test {
 protected:
  PublishEvery() { mkfifo((directory_ / "input").c_str(), 0600); }

  // Reads lines from the pipe.
  std::vector<std::string> Build(const std::string& every, const std::vector<std::string>& flags = {
                                                               "--format", "lines"}) const {
    std::vector<std::string> arguments = {"/bin/sh", "-c", "exec \"$@\" <\"$0\"",
                                          directory_ / "input"};
    arguments.insert(arguments.end(),
                     {PMDEX_BINARY, "index", "--index", directory_ / "index", "--quiet",
                      "--block-size", "64K", "--publish-every", every, "-"});
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return arguments;
  }

  // What a query finds. 0 also if there is no index yet.
  uint64_t Find(const std::string& word) const {
    const ProgramResult result = RunProgram({PMDEX_BINARY, "search", word, "--json", "--count",
                                             "-k", "0", "--index", directory_ / "index"});
    if (result.exit_status != 0) return 0;
    return nlohmann::json::parse(result.out)["total"]["value"];
  }

  // True once the query finds at least so many documents.
  bool FindsInTime(const std::string& word, uint64_t documents) const {
    const auto begin = std::chrono::steady_clock::now();
    while (Find(word) < documents) {
      if (std::chrono::steady_clock::now() - begin > std::chrono::minutes(2)) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return true;
  }

  const TemporaryDirectory directory_;
};

std::string Lines(const std::string& word, int count) {
  std::string lines;
  for (int line = 0; line < count; ++line) lines += "a line with " + word + "\n";
  return lines;
}

TEST_F(PublishEvery, ABuildThatWaitsForInputIsSearched) {
  BackgroundProgram build(Build("1s"));
  std::ofstream input(directory_ / "input");
  input << Lines("early", 10'000) << std::flush;  // several blocks
  EXPECT_TRUE(FindsInTime("early", 1));
  input << Lines("late", 10'000) << std::flush;
  EXPECT_TRUE(FindsInTime("early", 10'000));
  input.close();
  EXPECT_EQ(build.AwaitEnd(), 0) << build.err();
  EXPECT_EQ(Find("early"), 10'000u);
  EXPECT_EQ(Find("late"), 10'000u);
}

TEST_F(PublishEvery, LinesAreFoundThatDoNotFillABlock) {
  BackgroundProgram build(Build("1s"));
  std::ofstream input(directory_ / "input");
  input << "an early line\nanother early line\na late" << std::flush;
  EXPECT_TRUE(FindsInTime("early", 2));
  EXPECT_EQ(Find("late"), 0u);
  input << " line\n" << std::flush;
  EXPECT_TRUE(FindsInTime("late", 1));
  input.close();
  EXPECT_EQ(build.AwaitEnd(), 0) << build.err();
  EXPECT_EQ(Find("line"), 3u);
}

TEST_F(PublishEvery, DocumentsBehindTheSampleAreFoundWhileTheInputWaits) {
  BackgroundProgram build(Build("1s", {"--format", "jsonl"}));
  std::ofstream input(directory_ / "input");
  for (int id = 0; id < 500; ++id) input << "{\"text\": \"sampled\"}\n" << std::flush;
  EXPECT_TRUE(FindsInTime("sampled", 500));
  input << "{\"text\": \"late\"}\n" << std::flush;
  EXPECT_TRUE(FindsInTime("late", 1));
  input.close();
  EXPECT_EQ(build.AwaitEnd(), 0) << build.err();
  EXPECT_EQ(Find("sampled"), 500u);
}

TEST_F(PublishEvery, ABuildIsSearchedAfterEachPieceOfItsInput) {
  BackgroundProgram build(Build("64K"));
  std::ofstream input(directory_ / "input");
  input << Lines("early", 10'000) << std::flush;
  EXPECT_TRUE(FindsInTime("early", 1));
  build.Signal(SIGKILL);
  EXPECT_EQ(build.AwaitEnd(), 128 + SIGKILL) << build.err();
  EXPECT_GT(Find("early"), 0u) << "stays";
}

TEST_F(PublishEvery, ReadersSeeOneDocumentForEachIdWhileABuildReplacesThem) {
  const auto lines = [](const std::string& word) {
    std::string text;
    for (int id = 0; id < 3000; ++id) {
      text +=
          "{\"id\": \"" + std::to_string(id) + "\", \"text\": \"a document with " + word + "\"}\n";
    }
    return text;
  };
  BackgroundProgram build(Build("1s", {"--format", "jsonl", "--update"}));
  std::ofstream input(directory_ / "input");
  input << lines("first") << lines("early") << std::flush;
  EXPECT_TRUE(FindsInTime("early", 1));
  input << lines("late") << std::flush;
  const auto begin = std::chrono::steady_clock::now();
  uint64_t late = 0;
  while (late == 0 && std::chrono::steady_clock::now() - begin < std::chrono::minutes(2)) {
    EXPECT_LE(Find("document"), 3000u);
    late = Find("late");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_GT(late, 0u);
  input.close();
  EXPECT_EQ(build.AwaitEnd(), 0) << build.err();
  EXPECT_EQ(Find("late"), 3000u);
  EXPECT_EQ(Find("document"), 3000u);
}

TEST_F(PublishEvery, IsRefusedWhereItCannotBe) {
  const auto expect_error = [&](std::vector<std::string> flags, const std::string& words) {
    flags.insert(flags.begin(), {PMDEX_BINARY, "index", "--index", directory_ / "index"});
    flags.push_back(directory_.Write("text", "text"));
    const ProgramResult result = RunProgram(flags);
    EXPECT_NE(result.exit_status, 0);
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  };
  expect_error({"--publish-every", "0s"}, "--publish-every takes a time such as 30s");
  expect_error({"--publish-every", "5"}, "not '5'");
}

}  // namespace publish_every_test
}  // namespace pmdex
