// Tests --resume on the command line. The test makes unfinished builds in its own process, with a
// directory that stops working, so that what the program finds does not depend on time or signals.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/ingest/ingest.h"
#include "engine/ingest/ingest_options.h"
#include "engine/store/snapshot.h"
#include "tests/support/failing_directory.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace resume_test {

using nlohmann::json;
using Arguments = std::vector<std::string>;

class ResumeCommand : public testing::Test {
 protected:
  ResumeCommand() {
    std::string text;
    for (int line = 0; line < 6000; ++line) {
      text +=
          "{\"id\": \"d" + std::to_string(line) + "\", \"t\": \"some words to fill the line\"}\n";
    }
    input_ = directory_.Write("in.jsonl", text);
    index_ = directory_ / "pmdex-index";
  }

  ProgramResult Run(Arguments arguments) {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    ProgramOptions options;
    options.directory = directory_.path();
    options.environment = {"PMDEX_INDEX="};
    return RunProgram(arguments, options);
  }
  ProgramResult Index(Arguments flags) {
    flags.insert(flags.begin(), "index");
    flags.push_back(input_);
    return Run(flags);
  }
  json RunJson(const Arguments& arguments) {
    const ProgramResult result = Run(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return json::parse(result.out, nullptr, false);
  }
  json IndexJson(Arguments flags) {
    flags.push_back("--json");
    const ProgramResult result = Index(flags);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return json::parse(result.out, nullptr, false);
  }

  // Leaves an unfinished build of input_, as a killed process does.
  void LeaveUnfinished(OpenMode mode, int64_t changes = 24) {
    FileDirectoryOptions directory_options;
    directory_options.create = true;
    const auto directory = OpenFileDirectory(index_, directory_options);
    ASSERT_TRUE(directory.ok()) << directory.status();
    FailingDirectory failing(**directory, changes);
    IngestOptions options;
    options.inputs = {input_};
    options.memory_bytes = 1 << 20;
    options.checkpoint_interval = std::chrono::milliseconds(0);
    if (in_parts_) options.publish_bytes = 1;
    auto writer = IndexWriter::Open(failing, mode, options.settings);
    ASSERT_TRUE(writer.ok()) << writer.status();
    ASSERT_FALSE(Ingest(options, **writer, nullptr).ok());
  }

  static void ExpectError(const ProgramResult& result, const std::string& part) {
    EXPECT_EQ(result.exit_status, 1) << result.err;
    EXPECT_TRUE(result.err.starts_with("pmdex: error: ")) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  }

  TemporaryDirectory directory_;
  bool in_parts_ = false;  // whether unfinished builds have published what they did
  std::string input_;
  std::string index_;
};

TEST_F(ResumeCommand, BuildsFromScratchAndThenHasNothingToDo) {
  const json first = IndexJson({"--resume"});
  EXPECT_EQ(first["documents"], 6000);
  EXPECT_EQ(first["resumed_documents"], 0);
  const ProgramResult again = Index({"--resume", "--json"});
  EXPECT_EQ(again.exit_status, 0);
  EXPECT_NE(again.err.find("nothing to do"), std::string::npos);
  const json report = json::parse(again.out, nullptr, false);
  EXPECT_EQ(report["documents"], 6000);
  EXPECT_EQ(report["generation"], first["generation"]);
  EXPECT_EQ(report["tokens"], first["tokens"]);
  ExpectError(Run({"index", "--resume", "--format", "lines", input_}), "--append");
}

TEST_F(ResumeCommand, GoesOnAfterTheLastCheckpointAndReportsTheWholeBuild) {
  LeaveUnfinished(OpenMode::kCreate);
  ExpectError(Run({"search", "words"}), "--resume");
  const ProgramResult verify = Run({"verify"});
  EXPECT_EQ(verify.exit_status, 0) << verify.err;
  EXPECT_NE(verify.out.find("unfinished build"), std::string::npos) << verify.out;
  const json report = IndexJson({"--resume"});
  EXPECT_EQ(report["documents"], 6000);
  EXPECT_GT(report["resumed_documents"], 0);
  EXPECT_EQ(report["repeated_ids"], 0);
  EXPECT_EQ(RunJson({"search", "--json", "-k", "0", "--count", "words"})["total"]["value"], 6000);
  EXPECT_EQ(Run({"verify"}).exit_status, 0);
}

TEST_F(ResumeCommand, SaysInTextAfterHowManyDocumentsItWentOn) {
  LeaveUnfinished(OpenMode::kCreate);
  const ProgramResult result = Index({"--resume"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("went on after ")) << result.out;
}

TEST_F(ResumeCommand, RefusesAnotherBuildAndSaysWhatTheUnfinishedOneWas) {
  LeaveUnfinished(OpenMode::kCreate);
  const ProgramResult other = Run({"index", "--resume", "--id-field", "doi", input_});
  ExpectError(other, "--id-field id " + input_);
  ExpectError(other, "--overwrite");
  ExpectError(Index({"--append", "--resume"}), "another build");
}

TEST_F(ResumeCommand, APlainIndexDoesNotTakeTheWorkAwayAndOverwriteDoes) {
  LeaveUnfinished(OpenMode::kCreate);
  ExpectError(Index({}), "--resume goes on");
  ExpectError(Index({"--append"}), "--resume");
  const ProgramResult result = Index({"--overwrite", "--json"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_NE(result.err.find("warning: an unfinished build of "), std::string::npos) << result.err;
  const json report = json::parse(result.out, nullptr, false);
  EXPECT_EQ(report["documents"], 6000);
  EXPECT_EQ(report["resumed_documents"], 0);
}

TEST_F(ResumeCommand, AMereStartStandsInNobodysWay) {
  LeaveUnfinished(OpenMode::kCreate, 8);
  EXPECT_EQ(IndexJson({})["documents"], 6000);
}

TEST_F(ResumeCommand, TakesUpAnAppendInWhateverWords) {
  for (const Arguments& flags : {Arguments{"--resume"}, Arguments{"--append", "--resume"}}) {
    const std::string old = directory_.Write("old.jsonl", "{\"id\": \"old\", \"t\": \"old\"}\n");
    EXPECT_EQ(Run({"index", "--overwrite", "--quiet", old}).exit_status, 0);
    LeaveUnfinished(OpenMode::kAppend);
    const json info = RunJson({"info", "--json"});
    EXPECT_EQ(info["documents"], 1) << "the old generation is what readers see";
    EXPECT_EQ(info["unfinished_build"]["mode"], "append");
    EXPECT_NE(Run({"info"}).out.find("go on with --resume"), std::string::npos);
    const json report = IndexJson(flags);
    EXPECT_EQ(report["documents"], 6000);
    EXPECT_GT(report["resumed_documents"], 0);
    EXPECT_EQ(RunJson({"info", "--json"})["documents"], 6001);
    EXPECT_FALSE(RunJson({"info", "--json"}).contains("unfinished_build"));
    EXPECT_NE(Index(flags).err.find("nothing to do"), std::string::npos);
  }
}

TEST_F(ResumeCommand, GoesOnWithABuildThatIsSearchedAlready) {
  in_parts_ = true;
  LeaveUnfinished(OpenMode::kCreate);
  const json part = RunJson({"search", "--json", "-k", "0", "--count", "words"});
  const uint64_t documents = part["total"]["value"];
  EXPECT_GT(documents, 0u);
  EXPECT_LT(documents, 6000u);
  EXPECT_EQ(RunJson({"info", "--json"})["unfinished_build"]["documents"], documents);
  ExpectError(Index({}), "--resume goes on with the unfinished build");
  const json report = IndexJson({"--resume", "--publish-every", "1K"});
  EXPECT_EQ(report["documents"], 6000);
  EXPECT_EQ(report["resumed_documents"], documents);
  EXPECT_EQ(report["repeated_ids"], 0);
  const json info = RunJson({"info", "--json"});
  EXPECT_EQ(info["documents"], 6000);
  EXPECT_FALSE(info.contains("unfinished_build"));
  EXPECT_EQ(Run({"verify"}).exit_status, 0);
}

TEST_F(ResumeCommand, WhatIsSearchedAlreadyStaysWhenItsBuildIsDropped) {
  EXPECT_EQ(IndexJson({})["documents"], 6000);
  in_parts_ = true;
  LeaveUnfinished(OpenMode::kAppend);
  const uint64_t documents = RunJson({"info", "--json"})["documents"];
  EXPECT_GT(documents, 6000u);
  const ProgramResult result = Index({"--append", "--quiet"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_NE(result.err.find("that it has published stay"), std::string::npos) << result.err;
  EXPECT_EQ(RunJson({"info", "--json"})["documents"], documents + 6000);
}

TEST_F(ResumeCommand, AppendsAgainOnlyWithoutResume) {
  EXPECT_EQ(IndexJson({})["documents"], 6000);
  EXPECT_EQ(IndexJson({"--append", "--resume"})["documents"], 6000) << "not appended yet";
  EXPECT_EQ(RunJson({"info", "--json"})["documents"], 12000);
  IndexJson({"--append", "--resume"});
  EXPECT_EQ(RunJson({"info", "--json"})["documents"], 12000);
  IndexJson({"--append"});
  EXPECT_EQ(RunJson({"info", "--json"})["documents"], 18000);
}

TEST_F(ResumeCommand, AnAppendWithoutResumeDropsTheUnfinishedOne) {
  EXPECT_EQ(IndexJson({})["documents"], 6000);
  LeaveUnfinished(OpenMode::kAppend);
  const ProgramResult result = Index({"--append", "--quiet"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_NE(result.err.find("is dropped"), std::string::npos) << result.err;
  EXPECT_EQ(RunJson({"info", "--json"})["documents"], 12000);
}

TEST_F(ResumeCommand, AnUnfinishedOverwriteKeepsTheOldIndexInUse) {
  EXPECT_EQ(IndexJson({})["documents"], 6000);
  LeaveUnfinished(OpenMode::kOverwrite);
  EXPECT_EQ(RunJson({"info", "--json"})["documents"], 6000);
  EXPECT_GT(IndexJson({"--overwrite", "--resume"})["resumed_documents"], 0);
  EXPECT_EQ(RunJson({"info", "--json"})["documents"], 6000);
}

}  // namespace resume_test
}  // namespace pmdex
