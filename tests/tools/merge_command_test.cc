// Tests `pmdex merge` on the command line.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/background_program.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace merge_command_test {

using nlohmann::json;
using Arguments = std::vector<std::string>;

class MergeCommand : public testing::Test {
 protected:
  ProgramResult Run(Arguments arguments) {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    ProgramOptions options;
    options.directory = root_.path();
    options.environment = {"PMDEX_INDEX=" + (root_ / "index")};
    return RunProgram(arguments, options);
  }
  json RunJson(Arguments arguments, int exit_status = 0) {
    arguments.push_back("--json");
    const ProgramResult result = Run(arguments);
    EXPECT_EQ(result.exit_status, exit_status) << result.err;
    return json::parse(result.out, nullptr, false);
  }
  std::string Input(int part) {
    std::string text;
    for (int line = 0; line < 20; ++line) {
      text += "{\"id\": \"p" + std::to_string(part) + "-" + std::to_string(line) +
              "\", \"t\": \"common part" + std::to_string(part % 3) + " word" +
              std::to_string(line * part) + "\"}\n";
    }
    return root_.Write("in" + std::to_string(part) + ".jsonl", text);
  }
  // One segment for each part.
  void Build(int parts) {
    for (int part = 0; part < parts; ++part) {
      Arguments arguments = {"index", Input(part), "--quiet"};
      if (part > 0) arguments.push_back("--append");
      const ProgramResult result = Run(arguments);
      ASSERT_EQ(result.exit_status, 0) << result.err;
    }
  }
  json Hits(const std::string& index) {
    json hits;
    for (const char* const query : {"common part1", "word7", "part2 -word0", "\"common part0\""}) {
      hits.push_back(RunJson({"search", query, "-k", "200", "--count", "--index", index})["hits"]);
    }
    return hits;
  }

  const TemporaryDirectory root_;
};

TEST_F(MergeCommand, MakesOneSegmentWithTheScoresOfAFreshBuild) {
  Build(4);
  const json before = Hits(root_ / "index");
  const json merged = RunJson({"merge", "--max-segments", "1"});
  EXPECT_EQ(merged["segments_before"], 4);
  EXPECT_EQ(merged["segments"], 1);
  EXPECT_EQ(merged["dropped_documents"], 0);
  EXPECT_GE(merged["seconds"], 0.0);
  const json segments = RunJson({"tier", "list"})["segments"];
  ASSERT_EQ(segments.size(), 1u);
  EXPECT_EQ(segments[0]["documents"], 80);
  EXPECT_EQ(segments[0]["bytes"], merged["bytes"]);
  EXPECT_EQ(Hits(root_ / "index"), before);
  Arguments fresh = {"index", "--index", root_ / "fresh", "--threads", "1", "--quiet"};
  for (int part = 0; part < 4; ++part) fresh.push_back(Input(part));
  ASSERT_EQ(Run(fresh).exit_status, 0);
  EXPECT_EQ(Hits(root_ / "index"), Hits(root_ / "fresh"));
  EXPECT_EQ(Run({"verify"}).exit_status, 0);
  // Nothing is left to do.
  EXPECT_EQ(RunJson({"merge", "--max-segments", "1"})["segments_before"], 1);
}

TEST_F(MergeCommand, LetsThePolicyDecideAndMovesBetweenTiers) {
  Build(3);
  EXPECT_EQ(RunJson({"merge"})["segments"], 3) << "three segments are few";
  EXPECT_EQ(RunJson({"merge", "--max-segments", "2", "--rate", "1G"})["segments"], 2);
  EXPECT_EQ(RunJson({"merge", "--max-segments", "1", "--tier", "compressed"})["segments"], 1);
  EXPECT_EQ(RunJson({"tier", "list"})["segments"][0]["tier"], "compressed");
  EXPECT_EQ(RunJson({"merge", "--max-segments", "1", "--tier", "uncompressed"})["segments"], 1);
  EXPECT_EQ(RunJson({"tier", "list"})["segments"][0]["tier"], "uncompressed");
  const ProgramResult text = Run({"merge", "--max-segments", "1"});
  EXPECT_NE(text.out.find("1 segments became 1"), std::string::npos) << text.out;
}

// Hits by id, because equal scores follow the new order.
std::map<std::string, json> ById(const json& all_hits) {
  std::map<std::string, json> hits;
  int query = 0;
  for (const json& of_query : all_hits) {
    for (const json& hit : of_query) {
      hits[std::to_string(query) + " " + hit["id"].get<std::string>()] = hit;
    }
    ++query;
  }
  return hits;
}

TEST_F(MergeCommand, ReordersDocumentsAndKeepsTheirScores) {
  Build(4);
  const auto before = ById(Hits(root_ / "index"));
  for (const std::string order : {"path", "graph", "none"}) {
    const json merged = RunJson({"merge", "--max-segments", "1", "--reorder", order});
    EXPECT_EQ(merged["segments"], 1) << order;
    EXPECT_EQ(ById(Hits(root_ / "index")), before) << order;
    EXPECT_EQ(Run({"verify"}).exit_status, 0);
  }
  // All 20 hits of part 1 have the same score, and follow the order of paths.
  EXPECT_EQ(RunJson({"merge", "--max-segments", "1", "--reorder=path"})["segments"], 1);
  const json hits = RunJson({"search", "part1", "-k", "40", "--count"})["hits"];
  ASSERT_EQ(hits.size(), 20u);
  for (size_t i = 0; i < hits.size(); ++i) EXPECT_EQ(hits[i]["id"], "p1-" + std::to_string(i));
}

TEST_F(MergeCommand, KeepsTextPositionsAndKnownFilesWithAnotherOrder) {
  for (int i = 0; i < 40; ++i) {
    root_.Write("tree/f" + std::to_string(i) + ".txt",
                "some words of file " + std::to_string(i) + (i % 2 == 0 ? " an even one" : " odd"));
  }
  const Arguments watch = {"watch", root_ / "tree", "--once", "--store", "on"};
  ASSERT_EQ(RunJson(watch)["added"], 40);
  const auto hits = [this] {
    return ById(
        json::array({RunJson({"search", "\"an even one\"", "-k", "100", "--snippets"})["hits"],
                     RunJson({"search", "\"of file 7\"", "-k", "100", "--snippets"})["hits"]}));
  };
  const auto before = hits();
  EXPECT_EQ(before.size(), 21u);
  for (const std::string order : {"graph", "path"}) {
    for (const std::string tier : {"compressed", "uncompressed"}) {
      RunJson({"merge", "--max-segments", "1", "--reorder", order, "--tier", tier});
      EXPECT_EQ(hits(), before) << order << " " << tier;
    }
  }
  const json again = RunJson(watch);
  EXPECT_EQ(again["unchanged"], 40);
  EXPECT_EQ(again["added"], 0);
}

TEST_F(MergeCommand, EndsAtASignalAndLeavesNoFile) {
  Build(3);
  BackgroundProgram merge(
      {PMDEX_BINARY, "merge", "--max-segments", "1", "--rate", "1", "--index", root_ / "index"});
  // Its temporary file shows that it is writing.
  const auto is_writing = [&] {
    for (const auto& entry : std::filesystem::directory_iterator(root_ / "index")) {
      if (entry.path().extension() == ".tmp") return true;
    }
    return false;
  };
  for (int i = 0; i < 10'000'000 && !is_writing(); ++i) {
  }
  merge.Signal(SIGTERM);
  EXPECT_EQ(merge.AwaitEnd(), 143) << merge.err();
  EXPECT_NE(merge.err().find("interrupted by SIGTERM"), std::string::npos) << merge.err();
  EXPECT_FALSE(is_writing());
  EXPECT_EQ(RunJson({"tier", "list"})["segments"].size(), 3u);
  EXPECT_EQ(RunJson({"merge", "--max-segments", "1"})["segments"], 1);
}

TEST_F(MergeCommand, SaysThatAnOrderNeedsMoreMemory) {
  Build(2);
  const ProgramResult result =
      Run({"merge", "--max-segments", "1", "--reorder", "graph", "--memory", "100"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.err.find("40 documents takes 960 bytes"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("--memory"), std::string::npos) << result.err;
  EXPECT_EQ(RunJson({"tier", "list"})["segments"].size(), 2u);
}

TEST_F(MergeCommand, RefusesWrongUsage) {
  EXPECT_EQ(Run({"merge"}).exit_status, 1) << "there is no index";
  Build(1);
  for (const Arguments& arguments :
       {Arguments{"merge", "--max-segments", "0"}, Arguments{"merge", "--max-segments", "x"},
        Arguments{"merge", "--max-segments", "-1"},
        Arguments{"merge", "--max-segments", "99999999999999999999"},
        Arguments{"merge", "--tier", "fast"}, Arguments{"merge", "--reorder", "size"},
        Arguments{"merge", "--memory", "much"}, Arguments{"merge", "extra"}}) {
    EXPECT_EQ(Run(arguments).exit_status, 2) << arguments.back();
  }
}

}  // namespace merge_command_test
}  // namespace pmdex
