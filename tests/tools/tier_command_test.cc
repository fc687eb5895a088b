// Tests --place and `pmdex tier` on the command line.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/run_program.h"

namespace pmdex {
namespace tier_command_test {

using nlohmann::json;
using Arguments = std::vector<std::string>;

class TierCommand : public testing::Test {
 protected:
  TierCommand() {
    for (int part = 0; part < 4; ++part) {
      std::string text;
      for (int line = 0; line < 20; ++line) {
        text += "{\"id\": \"p" + std::to_string(part) + "-" + std::to_string(line) +
                "\", \"t\": \"common part" + std::to_string(part) + "\"}\n";
      }
      inputs_.push_back(root_.Write("in" + std::to_string(part) + ".jsonl", text));
    }
  }
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
  // One segment for each input.
  void Build(const Arguments& flags) {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      Arguments arguments = {"index", inputs_[i], "--quiet"};
      if (i > 0) arguments.push_back("--append");
      if (i == 0) arguments.insert(arguments.end(), flags.begin(), flags.end());
      const ProgramResult result = Run(arguments);
      ASSERT_EQ(result.exit_status, 0) << result.err;
    }
  }
  size_t FilesIn(const std::string& directory) {
    size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(root_ / directory)) {
      if (entry.path().extension() == ".pmdex") ++count;
    }
    return count;
  }
  json Hits(const std::string& query) {
    json answer = RunJson({"search", query, "-k", "100", "--count"});
    return answer["hits"];
  }

  const TemporaryDirectory root_;
  std::vector<std::string> inputs_;
};

TEST_F(TierCommand, ListsSegmentsWithTheirPlaces) {
  Build({"--place", root_ / "pm0", "--place", root_ / "pm1"});
  const json list = RunJson({"tier", "list"});
  ASSERT_EQ(list["segments"].size(), 4u);
  for (const json& segment : list["segments"]) {
    EXPECT_EQ(segment["tier"], "uncompressed");
    EXPECT_EQ(segment["documents"], 20);
    EXPECT_EQ(segment["heat"], 0);
    EXPECT_GT(segment["created_s"], 1'600'000'000);
    EXPECT_EQ(std::filesystem::file_size(segment["path"].get<std::string>()), segment["bytes"]);
  }
  EXPECT_EQ(FilesIn("pm0"), 2u);
  EXPECT_EQ(FilesIn("pm1"), 2u);
  const json info = RunJson({"info"});
  EXPECT_EQ(info["places"].size(), 2u);
  EXPECT_EQ(info["segments"][0]["place"], root_ / "pm0");
  const json plan = RunJson({"search", "common", "--explain"})["plan"];
  EXPECT_EQ(plan["tiers"].size(), 4u);
  EXPECT_EQ(plan["tiers"][0], "uncompressed");
  EXPECT_EQ(plan["places"][1], root_ / "pm1");
}

TEST_F(TierCommand, AnswersInPartWhileAPlaceIsMissing) {
  Build({"--place", root_ / "pm0", "--place", root_ / "pm1"});
  std::filesystem::rename(root_ / "pm1", root_ / "away");
  const json answer = RunJson({"search", "common", "-k", "100", "--count"}, 1);
  EXPECT_EQ(answer["partial"], true);
  EXPECT_EQ(answer["missing"].size(), 2u);
  EXPECT_EQ(answer["total"]["value"], 40);
  EXPECT_EQ(Run({"verify"}).exit_status, 3);
  EXPECT_EQ(RunJson({"tier", "list"}, 1)["missing"].size(), 2u);
  std::filesystem::rename(root_ / "away", root_ / "pm1");
  EXPECT_EQ(Hits("common").size(), 80u);
  EXPECT_EQ(Run({"verify"}).exit_status, 0);
}

TEST_F(TierCommand, RefusesAPlaceWithOtherFiles) {
  root_.Write("pm0/letter.txt", "mine");
  const ProgramResult result = Run({"index", inputs_[0], "--place", root_ / "pm0"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.err.find("letter.txt"), std::string::npos) << result.err;
  EXPECT_TRUE(std::filesystem::exists(root_ / "pm0/letter.txt"));
  EXPECT_EQ(Run({"index", inputs_[0], "--place", root_ / "index/sub"}).exit_status, 1);
}

TEST_F(TierCommand, PromotesSegmentsToNewPlacesWithTheSameAnswers) {
  Build({});
  const json before = Hits("common part1");
  const json all = RunJson({"tier", "list"});
  ASSERT_EQ(Run({"index", inputs_[0], "--append", "--place", root_ / "pm0"}).exit_status, 0);
  EXPECT_EQ(FilesIn("index"), 4u);
  const std::string name = all["segments"][1]["segment"];
  const json one = RunJson({"tier", "promote", name});
  EXPECT_EQ(one["converted"], json::array({name}));
  EXPECT_EQ(one["now"].size(), 1u);
  EXPECT_EQ(FilesIn("index"), 3u);
  EXPECT_EQ(RunJson({"tier", "promote", "--all"})["converted"].size(), 3u);
  EXPECT_EQ(FilesIn("index"), 0u);
  EXPECT_EQ(FilesIn("pm0"), 5u);
  EXPECT_EQ(RunJson({"tier", "promote", "--all"})["converted"].size(), 0u) << "nothing is left";
  EXPECT_EQ(Run({"tier", "promote", name}).exit_status, 1) << "the name is gone";
  EXPECT_EQ(Run({"verify"}).exit_status, 0);
  const json after = Hits("part1");
  ASSERT_EQ(after.size(), 20u);
  EXPECT_EQ(after[0]["id"], "p1-0");
  EXPECT_EQ(before[0]["id"], "p1-0");
}

TEST_F(TierCommand, SavesHowManyQueriesSearchedEachSegment) {
  Build({});
  const std::string queries = root_.Write("queries", "part1\npart1\npart2\nnowhere\n");
  ASSERT_EQ(Run({"search", "--queries", queries, "--quiet"}).exit_status, 0);
  EXPECT_EQ(RunJson({"tier", "list"})["segments"][1]["heat"], 0) << "a reader writes nothing";
  ASSERT_EQ(Run({"search", "--queries", queries, "--save-heat"}).exit_status, 0);
  ASSERT_EQ(Run({"search", "--queries", queries, "--save-heat"}).exit_status, 0);
  const json list = RunJson({"tier", "list"});
  EXPECT_EQ(list["segments"][0]["heat"], 0);
  EXPECT_EQ(list["segments"][1]["heat"], 4);
  EXPECT_EQ(list["segments"][2]["heat"], 2);
  EXPECT_EQ(Run({"search", "part1", "--save-heat"}).exit_status, 2);
}

TEST_F(TierCommand, DemotesThoseThatAreSearchedLeast) {
  Build({"--compressed-dir", root_ / "nvme"});
  const std::string queries = root_.Write("queries", "part1\npart1\npart3\n");
  ASSERT_EQ(Run({"search", "--queries", queries, "--save-heat", "--quiet"}).exit_status, 0);
  const json before = RunJson({"tier", "list"})["segments"];
  const auto name = [&before](size_t i) { return before[i]["segment"]; };
  const uint64_t two = before[0]["bytes"].get<uint64_t>() + before[2]["bytes"].get<uint64_t>();
  EXPECT_EQ(RunJson({"tier", "demote", "--coldest", std::to_string(two)})["converted"],
            json::array({name(0), name(2)}));
  EXPECT_EQ(RunJson({"tier", "demote", "--coldest", "1"})["converted"], json::array({name(3)}))
      << "of those that are still uncompressed, one of one query";
  EXPECT_EQ(RunJson({"tier", "list"})["segments"][1]["tier"], "uncompressed");
}

TEST_F(TierCommand, DemotesThoseThatAreOlder) {
  Build({"--compressed-dir", root_ / "nvme"});
  EXPECT_EQ(RunJson({"tier", "demote", "--older-than", "1d"})["converted"], json::array());
  EXPECT_EQ(FilesIn("nvme"), 0u);
  const ProgramResult wrong = Run({"tier", "demote", "--older-than", "yesterday"});
  EXPECT_EQ(wrong.exit_status, 2);
  EXPECT_NE(wrong.err.find("not a time such as"), std::string::npos) << wrong.err;
  EXPECT_EQ(Run({"tier", "demote", "--older-than", "1d", "--all"}).exit_status, 2);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // ages are in seconds
  EXPECT_EQ(RunJson({"tier", "demote", "--older-than", "0s"})["converted"].size(), 4u);
}

TEST_F(TierCommand, DemotesAndPromotesWithTheSameAnswers) {
  Build({"--compressed-dir", root_ / "nvme"});
  const json before = Hits("common part1");
  const std::string name = RunJson({"tier", "list"})["segments"][2]["segment"];
  EXPECT_EQ(RunJson({"tier", "demote", name})["converted"], json::array({name}));
  EXPECT_EQ(FilesIn("nvme"), 1u);
  EXPECT_EQ(RunJson({"tier", "list"})["segments"][2]["tier"], "compressed");
  EXPECT_EQ(Hits("common part1"), before) << "both tiers together";
  EXPECT_EQ(RunJson({"tier", "demote", "--all"})["converted"].size(), 3u);
  EXPECT_EQ(FilesIn("nvme"), 4u);
  EXPECT_EQ(FilesIn("index"), 0u);
  EXPECT_EQ(Hits("common part1"), before);
  EXPECT_EQ(Run({"verify"}).exit_status, 0);
  const json bytes = RunJson({"info"})["bytes"];
  EXPECT_EQ(bytes["uncompressed"], 0);
  EXPECT_EQ(bytes["compressed"], bytes["total"]);
  EXPECT_EQ(RunJson({"tier", "promote", "--all"})["converted"].size(), 4u);
  EXPECT_EQ(FilesIn("nvme"), 0u);
  EXPECT_EQ(Hits("common part1"), before);
}

TEST_F(TierCommand, RebuildsADamagedSegmentFromItsKeptCopy) {
  Build({"--compressed-dir", root_ / "nvme", "--keep-compressed"});
  EXPECT_EQ(FilesIn("nvme"), 4u) << "appends without the flag keep copies, too";
  ASSERT_EQ(Run({"index", inputs_[0], "--append", "--quiet"}).exit_status, 0);
  EXPECT_EQ(FilesIn("nvme"), 5u);
  const json before = Hits("common part1");
  const json second = RunJson({"tier", "list"})["segments"][1];
  EXPECT_TRUE(std::filesystem::exists(second["copy"].get<std::string>()));
  std::filesystem::resize_file(second["path"].get<std::string>(), 4096);
  EXPECT_EQ(Run({"verify"}).exit_status, 3);
  const ProgramResult partial = Run({"search", "common part1"});
  EXPECT_EQ(partial.exit_status, 0) << "the copy answers";
  EXPECT_NE(partial.err.find("its copy answers"), std::string::npos) << partial.err;
  EXPECT_EQ(Hits("common part1"), before);
  EXPECT_EQ(RunJson({"tier", "repair"})["converted"], json::array({second["segment"]}));
  EXPECT_EQ(RunJson({"verify"})["copies"], 5);
  EXPECT_EQ(Run({"search", "common part1"}).err, "");
  EXPECT_EQ(Hits("common part1"), before);
  EXPECT_EQ(RunJson({"tier", "repair"})["converted"], json::array());
  EXPECT_EQ(RunJson({"tier", "demote", "--all"})["converted"].size(), 5u);
  EXPECT_EQ(FilesIn("nvme"), 5u) << "segments, and no copies";
}

TEST_F(TierCommand, DeletesAndUpdatesDocumentsOfADamagedSegmentByItsCopy) {
  Build({"--compressed-dir", root_ / "nvme", "--keep-compressed"});
  const json list = RunJson({"tier", "list"});
  std::filesystem::resize_file(list["segments"][1]["path"].get<std::string>(), 4096);
  EXPECT_EQ(RunJson({"delete", "p1-3"})["deleted"], 1);
  EXPECT_EQ(RunJson({"delete", "--query", "part1"})["deleted"], 19);
  EXPECT_EQ(Hits("common").size(), 60u);
  std::filesystem::resize_file(list["segments"][2]["path"].get<std::string>(), 4096);
  ASSERT_EQ(Run({"index", inputs_[2], "--append", "--update", "--quiet"}).exit_status, 0);
  EXPECT_EQ(Hits("common").size(), 60u);
}

TEST_F(TierCommand, KeepsCopiesThroughDeletionsAndMerges) {
  Build({"--compressed-dir", root_ / "nvme", "--keep-compressed"});
  ASSERT_EQ(Run({"delete", "p1-3", "p2-5", "--quiet"}).exit_status, 0);
  const json before = Hits("common");
  EXPECT_EQ(before.size(), 78u);
  const json list = RunJson({"tier", "list"});
  for (const json& segment : list["segments"]) {
    std::filesystem::resize_file(segment["path"].get<std::string>(), 4096);
  }
  EXPECT_EQ(Hits("common"), before) << "no copy shows a deleted document";
  ASSERT_EQ(Run({"merge", "--max-segments", "1", "--quiet"}).exit_status, 0);
  EXPECT_EQ(FilesIn("nvme"), 1u) << "the copy of the merged segment";
  EXPECT_EQ(RunJson({"verify"})["copies"], 1);
  EXPECT_EQ(Hits("common").size(), 78u);
  ASSERT_EQ(Run({"index", inputs_[0], "--append", "--no-keep-compressed", "--quiet"}).exit_status,
            0);
  EXPECT_EQ(FilesIn("nvme"), 0u);
}

TEST_F(TierCommand, ReadsCompressedSegmentsPastThePageCacheWithTheSameAnswers) {
  Build({});
  ASSERT_EQ(Run({"tier", "demote", "--all", "--quiet"}).exit_status, 0);
  const std::string queries = root_.Write("queries", "common part1\npart2\n");
  const json mapped = Hits("common part1");
  for (const char* size : {"4K", "1M"}) {
    const json direct = RunJson({"search", "common part1", "-k", "100", "--count", "--explain",
                                 "--nvme-io", "direct", "--cache", size});
    ASSERT_EQ(direct["hits"].size(), mapped.size());
    for (size_t i = 0; i < mapped.size(); ++i) {
      EXPECT_EQ(direct["hits"][i]["id"], mapped[i]["id"]);
      EXPECT_EQ(direct["hits"][i]["score"], mapped[i]["score"]);
    }
    EXPECT_GT(direct["cache"]["bytes_read"], 0);
    const ProgramResult batch = Run({"search", "--queries", queries, "-k", "100", "--nvme-io",
                                     "direct", "--cache", size, "--json"});
    ASSERT_EQ(batch.exit_status, 0) << batch.err;
    const size_t last = batch.out.rfind('\n', batch.out.size() - 2) + 1;
    const json cache = json::parse(batch.out.substr(last))["summary"]["cache"];
    EXPECT_GT(cache["misses"], 0);
    EXPECT_EQ(cache["errors"], 0);
    EXPECT_GE(cache["hit_rate"], 0.0);
  }
  const ProgramResult text = Run({"search", "--queries", queries, "--nvme-io", "direct"});
  EXPECT_NE(text.out.find("cache: "), std::string::npos) << text.out;
  EXPECT_EQ(Run({"search", "part1", "--cache", "1M"}).exit_status, 2);
  EXPECT_EQ(Run({"search", "part1", "--nvme-io", "tape"}).exit_status, 2);
}

TEST_F(TierCommand, IndexesIntoTheTierOfTheFlags) {
  const Arguments tiers[] = {{"--tier", "compressed"}, {"--tier", "auto", "--pm-limit", "1"}};
  for (const Arguments& flags : tiers) {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      Arguments arguments = {"index", inputs_[i], i == 0 ? "--overwrite" : "--append"};
      arguments.insert(arguments.end(), flags.begin(), flags.end());
      const json report = RunJson(arguments);
      EXPECT_GT(report["bytes"]["compressed"], flags.size() == 2 || i > 0 ? 0 : -1);
    }
    const json list = RunJson({"tier", "list"})["segments"];
    ASSERT_EQ(list.size(), 4u);
    EXPECT_EQ(list[0]["tier"], flags.size() == 2 ? "compressed" : "uncompressed");
    for (size_t i = 1; i < 4; ++i) EXPECT_EQ(list[i]["tier"], "compressed");
    EXPECT_EQ(Hits("common").size(), 80u);
  }
  EXPECT_EQ(
      Run({"index", inputs_[0], "--append", "--tier", "compressed", "--pm-limit", "1"}).exit_status,
      2);
}

TEST_F(TierCommand, RefusesWrongUsage) {
  Build({});
  for (const Arguments& arguments :
       {Arguments{"tier"}, Arguments{"tier", "freeze"}, Arguments{"tier", "promote"},
        Arguments{"tier", "promote", "--all", "--older-than", "7d"},
        Arguments{"tier", "promote", "--older-than", "soon"},
        Arguments{"tier", "promote", "--coldest", "much"}, Arguments{"tier", "list", "--all"}}) {
    EXPECT_EQ(Run(arguments).exit_status, 2) << arguments.back();
  }
  EXPECT_EQ(Run({"tier", "promote", "segment-00000000000000ff"}).exit_status, 1);
}

}  // namespace tier_command_test
}  // namespace pmdex
