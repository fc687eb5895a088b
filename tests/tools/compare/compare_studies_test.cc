// The studies of `pmdex compare`: --dry-run, --scale and --model, over small real corpora.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/run_program.h"
#include "tools/compare/compare_estimate.h"
#include "tools/compare/compare_state.h"
#include "tools/compare/corpus_slice.h"
#include "tools/compare/scaled_corpus.h"

namespace pmdex {
namespace compare_studies_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

// Some 2 MiB of lines of which each has some of 60 words.
std::string SomeLines() {
  std::string lines;
  for (int i = 0; i < 40'000; ++i) {
    for (int word = 0; word < 8; ++word) {
      lines += "word" + std::to_string(i * (word + 7) % 60 * (word + 1) % 60) + " ";
    }
    lines += "\n";
  }
  return lines;
}

class CompareStudiesTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(directory_ / "a");
    corpus_ = directory_.Write("corpus.txt", SomeLines());
    directory_.Write("corpus.jsonl", JsonOf(SomeLines()));
  }
  static std::string JsonOf(const std::string& lines) {
    std::string text;
    std::istringstream in(lines);
    int number = 0;
    for (std::string line; std::getline(in, line); ++number) {
      text += R"({"id": ")" + std::to_string(number) + R"(", "body": ")" + line + "\"}\n";
    }
    return text;
  }
  ProgramResult Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    ProgramOptions options;
    options.directory = directory_.path();
    return RunProgram(arguments, options);
  }
  TemporaryDirectory directory_;
  std::string corpus_;
};

TEST_F(CompareStudiesTest, DryRunSaysWhatIsNeededAndLeavesNothing) {
  const ProgramResult run =
      Run({"compare", "--corpus", "corpus.jsonl", "--dirs", "a", "--dry-run", "--json"});
  ASSERT_EQ(run.exit_status, 0) << run.err;
  const json estimate = json::parse(run.out);
  EXPECT_EQ(estimate["corpus_bytes"], fs::file_size(directory_ / "corpus.jsonl"));
  EXPECT_EQ(estimate["places"][0]["directory"], "a");
  EXPECT_GT(estimate["places"][0]["bytes"], 0);
  EXPECT_GT(estimate["build_s"], 0);
  EXPECT_GT(estimate["run_s"], 0);
  EXPECT_TRUE(fs::is_empty(directory_ / "a"));
  EXPECT_THAT(Run({"compare", "--corpus", "corpus.jsonl", "--dirs", "a", "--dry-run"}).out,
              HasSubstr("space in a: about"));
}

TEST_F(CompareStudiesTest, DryRunCountsThePassesOfCounters) {
  const auto estimate = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"compare", "--corpus",  "corpus.jsonl", "--dirs",
                                          "a",       "--dry-run", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return json::parse(Run(arguments).out);
  };
  EXPECT_FALSE(estimate({}).contains("counter_passes"));
  // A warm-up, the times, and one group of software events at least.
  EXPECT_GE(estimate({"--counters"})["counter_passes"], 3);
}

TEST_F(CompareStudiesTest, ScalesMeasureIndexesOfGrowingSize) {
  const ProgramResult run =
      Run({"compare", "--corpus", "corpus.jsonl", "--dirs", "a", "--scale", "1,2", "--llc", "5M",
           "--modes", "pruned", "--passes", "1", "--json"});
  ASSERT_EQ(run.exit_status, 0) << run.err;
  const json report = json::parse(run.out);
  std::map<uint64_t, uint64_t> bytes;
  for (const json& one : report["configurations"]) {
    if (one["tier"] == "uncompressed") bytes[one["scale"]] = one["bytes"];
    EXPECT_GT(one["classes"][0]["bytes_touched"], 0);
  }
  ASSERT_EQ(bytes.size(), 2u);
  EXPECT_GT(bytes[2], bytes[1] * 3 / 2);
  EXPECT_THAT(report["notes"].dump(), HasSubstr("times the last-level cache"));
  EXPECT_TRUE(fs::is_empty(directory_ / "a"));
}

TEST_F(CompareStudiesTest, DryRunSaysWhatTheScalesNeed) {
  const auto needed = [&](const std::string& scales) -> double {
    const ProgramResult run = Run({"compare", "--corpus", "corpus.jsonl", "--dirs", "a", "--scale",
                                   scales, "--llc", "8M", "--dry-run", "--json"});
    EXPECT_EQ(run.exit_status, 0) << run.err;
    return json::parse(run.out)["places"][0]["bytes"];
  };
  const double one = needed("1");
  EXPECT_GT(one, 2 * (2 << 20)) << "two tiers of a quarter of the cache, and the text";
  EXPECT_NEAR(needed("1,4"), 4 * one, one / 10) << "the largest scale only";
}

TEST_F(CompareStudiesTest, ScalesGoOnAfterAnInterruption) {
  CompareOptions options;
  options.corpus = {"corpus.jsonl"};
  options.directories = {"a"};
  options.modes = {"pruned"};
  options.passes = 1;
  options.scales = {1, 2};
  options.llc_bytes = uint64_t{5} << 20;
  CompareState state;
  state.request = DescribeRequest(options);
  state.sets = {{"terms", {"word1"}}};
  state.scale_basis = ScaleBasis{options.llc_bytes, 1.0};
  state.finished_scales = {{1, "scale 1: measured before", {{"a part", "a reason"}}}};
  ComparedConfiguration& finished = state.finished.emplace_back();
  finished.key = {"uncompressed", "a", "pruned", 1, 1, "any"};
  finished.bytes = 1 << 20;
  ComparedClass& terms = finished.classes.emplace_back();
  terms.name = "terms";
  terms.mean_us = 123456;
  terms.answers = {{1, std::nullopt}};
  directory_.Write(std::string("out/") + kCompareStateFile, StateToJson(state));
  // What the interrupted run left of scale 2.
  directory_.Write("a/pmdex-compare/text-2/generated-0/0.jsonl", "not JSON\n");
  const ProgramResult run =
      Run({"compare", "--corpus", "corpus.jsonl", "--dirs", "a", "--scale", "1,2", "--llc", "5M",
           "--modes", "pruned", "--passes", "1", "--out", "out", "--resume", "--json"});
  ASSERT_EQ(run.exit_status, 0) << run.err;
  const json report = json::parse(run.out);
  ASSERT_EQ(report["configurations"].size(), 3u) << "one of scale 1, both tiers of scale 2";
  EXPECT_EQ(report["configurations"][0]["classes"][0]["mean_us"], 123456);
  EXPECT_EQ(report["configurations"][2]["scale"], 2);
  EXPECT_EQ(report["skipped"][0]["why"], "a reason");
  EXPECT_THAT(report["notes"].dump(), HasSubstr("measured before"));
  EXPECT_TRUE(fs::is_empty(directory_ / "a"));
}

TEST_F(CompareStudiesTest, ScalesMayBeSmallerThanASampleForTuning) {
  const ProgramResult run =
      Run({"compare", "--corpus", "corpus.jsonl", "--dirs", "a", "--scale", "1", "--llc", "400K",
           "--modes", "pruned", "--passes", "1", "--json"});
  ASSERT_EQ(run.exit_status, 0) << run.err;
  EXPECT_LT(json::parse(run.out)["configurations"][0]["bytes"], 1 << 20);
}

TEST_F(CompareStudiesTest, AnErrorLeavesNothingThatNoRunCanGoOnWith) {
  directory_.Write("wordless.jsonl", "{\"id\": \"1\", \"body\": \"!\"}\n");
  const ProgramResult run =
      Run({"compare", "--corpus", "wordless.jsonl", "--dirs", "a", "--scale", "1", "--llc", "4M"});
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_THAT(run.err, HasSubstr("no words"));
  EXPECT_TRUE(fs::is_empty(directory_ / "a"));
}

TEST_F(CompareStudiesTest, RefusesScalesWithoutACorpus) {
  EXPECT_EQ(Run({"compare", "--index", "x", "--scale", "1,4"}).exit_status, 2);
  EXPECT_EQ(Run({"compare", "--corpus", "missing", "--dirs", "a", "--dry-run"}).exit_status, 1);
}

TEST_F(CompareStudiesTest, AScaleHasTheSameTextInEachRun) {
  CompareOptions options;
  options.program = PMDEX_BINARY;
  options.corpus = {directory_ / "corpus.jsonl"};
  options.llc_bytes = uint64_t{2} << 20;
  double ratios[2] = {};
  for (double& ratio : ratios) {
    const auto corpus = ScaledCorpus::Open(options, directory_ / "a", std::nullopt);
    ASSERT_TRUE(corpus.ok()) << corpus.status();
    ratio = corpus->basis().index_bytes_per_text_byte;
  }
  EXPECT_EQ(ratios[0], ratios[1]);
}

TEST_F(CompareStudiesTest, GeneratedTextHasTheWordsOfTheSlice) {
  const std::string input = directory_ / "corpus.jsonl";
  auto slice = TakeCorpusSlice({input}, directory_ / "slice", uint64_t{2} << 20);
  ASSERT_TRUE(slice.ok()) << slice.status();
  EXPECT_EQ(slice->format, "jsonl");
  EXPECT_EQ(slice->made_up_bytes, 0u);
  ASSERT_TRUE(GenerateText(uint64_t{3} << 20, *slice).ok());
  EXPECT_GE(slice->bytes, uint64_t{3} << 20);
  EXPECT_GT(slice->made_up_bytes, uint64_t{1} << 19);
  std::ifstream generated(directory_ / "slice/generated-0/0.jsonl");
  std::string line;
  ASSERT_TRUE(std::getline(generated, line));
  const json document = json::parse(line);
  EXPECT_EQ(document["id"], "generated-0");
  EXPECT_THAT(document["body"].get<std::string>(), HasSubstr("word"));
}

TEST(CoveredRange, SaysHowMuchOfTheStudysRangeIsCovered) {
  CompareResult result;
  EXPECT_EQ(CoveredRange(result, 1), std::nullopt);
  result.configurations.resize(3);
  result.configurations[2].key.tier = "uncompressed";
  result.configurations[2].bytes = 9'000'000;
  for (size_t i = 0; i < 2; ++i) result.configurations[i].key.tier = "compressed";
  result.configurations[0].bytes = 21'000;
  result.configurations[1].bytes = 2'450'000;
  EXPECT_THAT(*CoveredRange(result, 1000), HasSubstr("100 %"));
  EXPECT_THAT(*CoveredRange(result, 1000), HasSubstr("are 21 to 2,450 times"));
  result.configurations[1].bytes = 21'000;
  EXPECT_THAT(*CoveredRange(result, 1000), HasSubstr(": 0 %"));
  for (size_t i = 0; i < 2; ++i) result.configurations[i].key.tier = "uncompressed";
  EXPECT_EQ(CoveredRange(result, 1000), std::nullopt) << "the study's sizes are compressed ones";
}

TEST(EstimateToText, NamesPlacesAndTimes) {
  CompareEstimate estimate;
  estimate.places = {{"/pm", 2048, 4096}};
  estimate.run_s = 5;
  estimate.basis = "a guess";
  EXPECT_THAT(EstimateToText(estimate), HasSubstr("/pm: about 2.0 KiB of 4.0 KiB free"));
  EXPECT_EQ(json::parse(EstimateToJson(estimate))["places"][0]["free_bytes"], 4096);
}

}  // namespace compare_studies_test
}  // namespace pmdex
