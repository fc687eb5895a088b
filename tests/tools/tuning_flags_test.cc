// Tests the tuning flags with the program: their ranges, and how the index and its report show
// them.
#include "tools/tuning_flags.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/tuning/tuner.h"
#include "engine/store/index_writer.h"
#include "pmem/cpu_features.h"
#include "pmem/directory.h"
#include "tests/support/run_program.h"
#include "tools/tune.h"

namespace pmdex {
namespace tuning_flags_test {

class TuningFlagsTest : public testing::Test {
 protected:
  TuningFlagsTest() { directory_.Write("tree/a.txt", "The quick brown fox.\n"); }

  ProgramResult Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    ProgramOptions options;
    options.directory = directory_.path();
    options.environment = {"PMDEX_INDEX="};
    return RunProgram(arguments, options);
  }
  ProgramResult Index(std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"index", "tree", "--overwrite", "--quiet"});
    return Run(flags);
  }
  // The line that `pmdex info` shows.
  std::string Tuning() {
    const ProgramResult info = Run({"info", "--json"});
    EXPECT_EQ(info.exit_status, 0) << info.err;
    const std::string tuning = nlohmann::json::parse(info.out)["settings"]["tuning"];
    EXPECT_NE(Run({"info"}).out.find("tuning      " + tuning + "\n"), std::string::npos);
    return tuning;
  }

  TemporaryDirectory directory_;
};

TEST_F(TuningFlagsTest, AreShownByInfoAsTheyWereInEffect) {
  ASSERT_EQ(
      Index({"--block-size",     "256K", "--reader-threads", "3",   "--indexer-threads", "2",
             "--writer-threads", "1",    "--index-memory",   "20M", "--index-depth",     "16",
             "--split-factor",   "2",    "--huge-pages",     "off", "--direct-io",       "off",
             "--memory",         "128M"})
          .exit_status,
      0);
  EXPECT_EQ(Tuning(),
            "block size 256KiB, reader threads 3, indexer threads 2, writer threads 1, "
            "index memory 20MiB, index depth 16, split factor 2, huge pages off, direct I/O off");
  ASSERT_EQ(Index({"--threads", "1", "--memory", "128M"}).exit_status, 0);
  EXPECT_NE(Tuning().find("reader threads 1, indexer threads 1, "), std::string::npos);
}

TEST_F(TuningFlagsTest, ThreadsHaveTwoNamesAndOneNumber) {
  EXPECT_EQ(Index({"--threads", "2", "--indexer-threads", "2"}).exit_status, 0);
  const ProgramResult different = Index({"--threads", "2", "--indexer-threads", "3"});
  EXPECT_EQ(different.exit_status, 2);
  EXPECT_NE(different.err.find("--indexer-threads 3"), std::string::npos) << different.err;
}

TEST_F(TuningFlagsTest, OutOfRangeIsWrongUsage) {
  const std::vector<std::vector<std::string>> wrong = {
      {"--block-size", "0"},       {"--block-size", "4K"},
      {"--block-size", "100000"},  {"--block-size", "1G"},
      {"--reader-threads", "0"},   {"--indexer-threads", "0"},
      {"--threads", "1025"},       {"--index-memory", "100K"},
      {"--index-memory", "0"},     {"--huge-pages", "sometimes"},
      {"--index-memory", "1000G"}, {"--memory", "0"},
      {"--memory", "1M"},          {"--writer-threads", "0"},
      {"--direct-io", "never"},    {"--index-depth", "1"},
      {"--index-depth", "2000"},   {"--split-factor", "3"},
      {"--split-factor", "512"},
  };
  for (const auto& flags : wrong) {
    const ProgramResult result = Index(flags);
    EXPECT_EQ(result.exit_status, 2) << flags[0] << " " << flags[1];
    EXPECT_TRUE(result.err.starts_with("pmdex: error: ")) << result.err;
  }
}

TEST_F(TuningFlagsTest, StandInAGroupOfTheHelp) {
  const std::string help = Run({"index", "--help"}).out;
  const size_t group = help.find("\nTuning");
  ASSERT_NE(group, std::string::npos);
  for (const char* flag : {"--block-size", "--reader-threads", "--indexer-threads",
                           "--writer-threads", "--index-memory", "--index-depth", "--split-factor",
                           "--huge-pages", "--direct-io", "--simd", "--tune"}) {
    EXPECT_GT(help.find(flag), group) << flag;
  }
  EXPECT_LT(help.find("--threads"), group);
  EXPECT_LT(help.find("--memory"), group);
}

TEST_F(TuningFlagsTest, IndexesWithTheInstructionsThatItIsTold) {
  for (const SimdLevel level : kSimdLevels) {
    const std::string name(ToString(level));
    const ProgramResult result = Run({"index", "tree", "--overwrite", "--json", "--simd", name});
    EXPECT_EQ(result.exit_status, IsUsable(level) ? 0 : 2) << result.err;
    if (!IsUsable(level)) {
      EXPECT_NE(result.err.find("--simd " + name), std::string::npos) << result.err;
      continue;
    }
    const nlohmann::json report = nlohmann::json::parse(result.out);
    EXPECT_EQ(report["simd"], name);
    EXPECT_EQ(report["tokens"], 4);
  }
  EXPECT_EQ(Run({"index", "tree", "--overwrite", "--simd", "mmx"}).exit_status, 2);
}

class TuneTest : public TuningFlagsTest {
 protected:
  TuneTest() {
    for (int i = 0; i < 12; ++i) {
      std::string text;
      for (int word = 0; text.size() < 100'000; ++word) {
        text += "word" + std::to_string(word * (i + 1) % 4999) + " ";
      }
      directory_.Write("tree/" + std::to_string(i) + ".txt", text);
    }
  }
  nlohmann::json Settings() {
    return nlohmann::json::parse(Run({"info", "--json"}).out)["settings"];
  }
};

TEST_F(TuneTest, MeasuresChoosesAndKeepsTheEvidence) {
  const ProgramResult result =
      Run({"index", "tree", "--tune", "--threads", "1", "--reader-threads", "1", "--writer-threads",
           "1", "--block-size", "128K", "--json"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_NE(result.err.find("tuning: measuring on a sample of "), std::string::npos) << result.err;
  const nlohmann::json report = nlohmann::json::parse(result.out);
  EXPECT_EQ(report["documents"], 13);
  const std::string evidence = report["tuning_evidence"];
  EXPECT_NE(evidence.find("huge pages auto: "), std::string::npos) << evidence;
  EXPECT_EQ(evidence.find("block size"), std::string::npos) << evidence;  // it was given
  EXPECT_EQ(Settings()["tuning_evidence"], evidence);
  EXPECT_EQ(Settings()["tuning"], report["tuning"]);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "pmdex-index/tuning"));
  // A later build that is not tuned must not say that it was.
  ASSERT_EQ(Run({"index", "tree", "--append", "--quiet"}).exit_status, 0);
  EXPECT_TRUE(Settings()["tuning_evidence"].get<std::string>().starts_with("none"));
}

TEST_F(TuneTest, DoesNotTuneAFinishedBuildAgain) {
  const std::vector<std::string> command = {
      "index", "tree",         "--tune", "--threads", "1", "--reader-threads",
      "1",     "--block-size", "128K",   "--resume"};
  ASSERT_EQ(Run(command).exit_status, 0);
  const nlohmann::json settings = Settings();
  const ProgramResult again = Run(command);
  EXPECT_EQ(again.exit_status, 0) << again.err;
  EXPECT_EQ(again.err.find("tuning"), std::string::npos) << again.err;
  EXPECT_EQ(Settings(), settings);
}

TEST_F(TuneTest, DoesNotTuneABuildThatGoesOn) {
  FileDirectoryOptions create;
  create.create = true;
  const auto store = OpenFileDirectory(directory_ / "store", create);
  ASSERT_TRUE(store.ok()) << store.status();
  TuningFlags flags;
  flags.tune = true;
  flags.threads = 1;
  for (const bool was_begun : {true, false}) {
    const auto writer = IndexWriter::Open(**store, OpenMode::kOverwrite, {});
    ASSERT_TRUE(writer.ok()) << writer.status();
    if (was_begun) {
      ASSERT_TRUE((*writer)->StartBuild("of before").ok());
    }
    IngestOptions options;
    options.inputs = {directory_ / "tree"};
    options.memory_bytes = uint64_t{256} << 20;
    options.reader_threads = options.writer_threads = 1;
    options.block_bytes = 128 << 10;
    ASSERT_TRUE(ApplyTuningFlags(flags, options).ok());
    ASSERT_TRUE(TuneBuild(flags, /*quiet=*/true, options, **writer).ok());
    EXPECT_EQ((*writer)->next_properties().contains(kTuningEvidenceProperty), !was_begun);
  }
}

TEST_F(TuningFlagsTest, TuneRefusesStandardInput) {
  const ProgramResult result = Run({"index", "-", "--tune"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_NE(result.err.find("read only once"), std::string::npos) << result.err;
}

TEST_F(TuningFlagsTest, TuneSaysWhenThereIsTooLittleInput) {
  const ProgramResult result = Run({"index", "tree", "--tune"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_NE(result.err.find("warning: not tuned: there are only 21 bytes"), std::string::npos)
      << result.err;
  EXPECT_NE(Run({"info"}).out.find("tuning_evidence none: there are only 21 bytes"),
            std::string::npos);
}

}  // namespace tuning_flags_test
}  // namespace pmdex
