// Sends SIGINT and SIGTERM to a build. The build reads a pipe that stays open, so it cannot end
// before the signal.
#include "tools/stop_signals.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "pmem/check.h"
#include "tests/support/run_program.h"
#include "tests/support/store_state.h"

namespace pmdex {
namespace stop_signals_test {

using Arguments = std::vector<std::string>;

class StopSignalsTest : public testing::Test {
 protected:
  StopSignalsTest() {
    for (int line = 0; line < kDocuments; ++line) {
      input_ +=
          "{\"id\":\"d" + std::to_string(line) + "\",\"t\":\"some words to fill the line\"}\n";
    }
  }
  ~StopSignalsTest() override {
    if (pipe_ >= 0) close(pipe_);
  }

  static Arguments Build(const Arguments& flags) {
    Arguments arguments = {PMDEX_BINARY, "index", "-", "--memory", "64M", "--threads", "2"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return arguments;
  }

  // Starts a build and writes all of input_ into its pipe, which stays open. The pipe is smaller
  // than the input, so after the last write the program has installed its handlers and indexes
  // blocks.
  void Start(const Arguments& flags, const std::function<void()>& prepare = {}) {
    const Arguments arguments = Build(flags);
    int ends[2];
    PMDEX_CHECK(pipe2(ends, O_CLOEXEC) == 0);
    child_ = fork();
    PMDEX_CHECK(child_ >= 0);
    if (child_ == 0) {
      dup2(ends[0], STDIN_FILENO);
      dup2(open((directory_ / "out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
      dup2(open((directory_ / "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
      if (chdir(directory_.path().c_str()) != 0) _exit(126);
      unsetenv("PMDEX_INDEX");
      if (prepare) prepare();
      std::vector<char*> argv;
      for (const std::string& word : arguments) argv.push_back(const_cast<char*>(word.c_str()));
      argv.push_back(nullptr);
      execv(argv[0], argv.data());
      _exit(127);
    }
    close(ends[0]);
    pipe_ = ends[1];
    for (size_t at = 0; at < input_.size();) {
      const ssize_t written = write(pipe_, input_.data() + at, input_.size() - at);
      PMDEX_CHECK(written > 0);
      at += static_cast<size_t>(written);
    }
  }

  void EndInput() {
    close(pipe_);
    pipe_ = -1;
  }

  // The status that waitpid returned.
  int Await() {
    int status = 0;
    PMDEX_CHECK(waitpid(child_, &status, 0) == child_);
    return status;
  }

  std::string Read(const std::string& name) const {
    std::ifstream file(directory_ / name);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  ProgramResult Resume(const Arguments& flags = {}) {
    Arguments arguments = Build(flags);
    arguments.insert(arguments.end(), {"--resume", "--json"});
    ProgramOptions options;
    options.directory = directory_.path();
    options.environment = {"PMDEX_INDEX="};
    options.input = input_;
    return RunProgram(arguments, options);
  }

  static constexpr int kDocuments = 40'000;  // some 2.5 MB
  TemporaryDirectory directory_;
  std::string input_;
  pid_t child_ = -1;
  int pipe_ = -1;
};

TEST_F(StopSignalsTest, EndABuildAtACheckpointThatResumeGoesOnFrom) {
  for (const int signal : {SIGINT, SIGTERM}) {
    std::filesystem::remove_all(directory_ / "pmdex-index");
    Start({"--json"});
    kill(child_, signal);
    const int status = Await();
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 128 + signal);
    EXPECT_EQ(Read("out"), "");
    const std::string err = Read("err");
    EXPECT_TRUE(err.starts_with(std::string("pmdex: error: interrupted by ") +
                                StopSignalName(signal) + ": "))
        << err;
    EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
    EXPECT_NE(err.find(" durable (hint: "), std::string::npos) << err;
    EXPECT_NE(err.find("--resume"), std::string::npos) << err;
    EndInput();
    const ProgramResult resumed = Resume();
    ASSERT_EQ(resumed.exit_status, 0) << resumed.err;
    const auto report = nlohmann::json::parse(resumed.out);
    EXPECT_EQ(report["documents"], kDocuments);
    EXPECT_GT(report["resumed_documents"], 0);
    EXPECT_LT(report["resumed_documents"], kDocuments) << "the end of the pipe was not indexed";
    EXPECT_EQ(report["repeated_ids"], 0);
  }
}

TEST_F(StopSignalsTest, TheNextSignalEndsTheProcessAtOnce) {
  Start({"--quiet"});
  // Both signals come while the process is stopped.
  kill(child_, SIGSTOP);
  kill(child_, SIGINT);
  kill(child_, SIGTERM);
  kill(child_, SIGCONT);
  const int status = Await();
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM) << WTERMSIG(status);
  EXPECT_EQ(Read("err"), "");
  EndInput();
  const ProgramResult resumed = Resume();
  ASSERT_EQ(resumed.exit_status, 0) << resumed.err;
  EXPECT_EQ(nlohmann::json::parse(resumed.out)["documents"], kDocuments);
}

TEST_F(StopSignalsTest, WhatWasIgnoredAtTheStartStaysIgnored) {
  Start({"--json"}, [] { signal(SIGINT, SIG_IGN); });
  kill(child_, SIGINT);
  EndInput();
  const int status = Await();
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << Read("err");
  EXPECT_EQ(nlohmann::json::parse(Read("out"))["documents"], kDocuments);
}

TEST_F(StopSignalsTest, AnInterruptedOverwriteKeepsTheOldIndexAndIsResumed) {
  const std::string old = directory_.Write("old.jsonl", "{\"id\":\"old\",\"t\":\"words\"}\n");
  ProgramOptions options;
  options.directory = directory_.path();
  ASSERT_EQ(RunProgram({PMDEX_BINARY, "index", "--quiet", "--index", "pmdex-index", old}, options)
                .exit_status,
            0);
  Start({"--overwrite"});
  kill(child_, SIGTERM);
  EXPECT_EQ(WEXITSTATUS(Await()), 128 + SIGTERM);
  EXPECT_EQ(CountOf(directory_ / "pmdex-index", "words").value(), 1u);
  EndInput();
  const ProgramResult resumed = Resume({"--overwrite"});
  ASSERT_EQ(resumed.exit_status, 0) << resumed.err;
  EXPECT_EQ(CountOf(directory_ / "pmdex-index", "words").value(), uint64_t{kDocuments});
}

// Tests in this process what the handlers do, and that they are removed afterwards.
TEST(StopSignals, TheFirstSignalOnlySetsTheFlag) {
  {
    StopSignals signals;
    EXPECT_FALSE(signals.flag().IsSet());
    raise(SIGTERM);
    EXPECT_TRUE(signals.flag().IsSet());
    EXPECT_EQ(signals.signal(), SIGTERM);
  }
  {
    StopSignals signals;
    EXPECT_FALSE(signals.flag().IsSet());
    EXPECT_EQ(signals.signal(), 0);
  }
  struct sigaction action {};
  sigaction(SIGTERM, nullptr, &action);
  EXPECT_TRUE(action.sa_handler == SIG_DFL);
}

TEST(StopSignalsDeathTest, ASignalAfterTheBuildSaysThatItIsThere) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        StopSignals signals;
        signals.EndAtOnce("it is there\n");
        raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "it is there\n");
}

}  // namespace stop_signals_test
}  // namespace pmdex
