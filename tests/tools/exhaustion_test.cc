// The program when it runs out of file descriptors, threads or memory. It must continue with less,
// or end with one line of error, after which --resume loses nothing. It must not report an input as
// broken, and must not abort. tests/support/failing_resources.cc and failing_syscalls.cc make the
// calls fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/compress.h"
#include "tests/support/run_program.h"
#include "tests/support/store_state.h"

namespace pmdex {
namespace exhaustion_test {

namespace fs = std::filesystem;
using nlohmann::json;

class ExhaustionTest : public testing::Test {
 protected:
  std::string Store() const { return directory_ / "store"; }
  std::string Mark() const { return directory_ / "mark"; }

  // Makes `count` files of one word, twenty in each folder.
  std::string WriteFiles(int files) const {
    for (int i = 0; i < files; ++i) {
      directory_.Write("docs/d" + std::to_string(i / 20) + "/f" + std::to_string(i), "common\n");
    }
    return directory_ / "docs";
  }

  ProgramResult Run(std::vector<std::string> arguments,
                    std::vector<std::string> environment = {}) const {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    ProgramOptions options;
    options.environment = std::move(environment);
    return RunProgram(arguments, options);
  }

  static void ExpectOneLineOfError(const ProgramResult& result) {
    EXPECT_EQ(result.exit_status, 1) << result.err;
    EXPECT_TRUE(result.err.starts_with("pmdex: error: ")) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }

  // Expects that the same command now continues to the end, and that every file is indexed once.
  void ExpectResumes(std::vector<std::string> command, uint64_t documents) const {
    command.push_back("--resume");
    const ProgramResult resumed = Run(command);
    EXPECT_EQ(resumed.exit_status, 0) << resumed.err;
    EXPECT_EQ(CountOf(Store(), "common").value(), documents);
  }

  const TemporaryDirectory directory_{FastTemporaryParent()};
};

using DescriptorsTest = ExhaustionTest;

TEST_F(DescriptorsTest, EveryFileIsIndexedWhateverTheLimit) {
  const std::string docs = WriteFiles(300);
  for (const std::string limit : {"40", "64"}) {
    const ProgramResult result =
        RunProgram({"/usr/bin/prlimit", "--nofile=" + limit + ":" + limit, PMDEX_BINARY, "index",
                    docs, "--index", Store(), "--overwrite", "--threads", "4", "--reader-threads",
                    "64", "--memory", "256M", "--json"});
    ASSERT_EQ(result.exit_status, 0) << result.err;
    const json report = json::parse(result.out);
    EXPECT_EQ(report["documents"], 300);
    EXPECT_EQ(report["skipped"], 0);
    EXPECT_NE(result.err.find("of 64 reader threads"), std::string::npos) << result.err;
  }
}

TEST_F(DescriptorsTest, TooFewAreAnErrorThatNamesTheLimit) {
  const std::string docs = WriteFiles(60);
  for (int limit = 3; limit < 16; ++limit) {
    const std::string number = std::to_string(limit);
    const std::vector<std::string> command = {"index", docs,       "--index", Store(),  "--threads",
                                              "1",     "--memory", "32M",     "--quiet"};
    std::vector<std::string> limited = {"/usr/bin/prlimit", "--nofile=" + number + ":" + number,
                                        PMDEX_BINARY};
    limited.insert(limited.end(), command.begin(), command.end());
    const ProgramResult result = RunProgram(limited);
    SCOPED_TRACE(number + ": " + result.err);
    if (result.exit_status == 127) continue;  // the loader itself could not open its libraries
    if (result.exit_status != 0) {
      ExpectOneLineOfError(result);
      EXPECT_NE(result.err.find("the limit of this process is " + number), std::string::npos);
    }
    ExpectResumes(command, 60);
    fs::remove_all(Store());
  }
}

// Each call on the input fails once, as if the whole system had no descriptors or no memory left.
TEST_F(DescriptorsTest, NoFailingCallLosesAFile) {
  if (std::string(PMDEX_FAILING_SYSCALLS).empty()) GTEST_SKIP() << "not with a sanitizer";
  const std::string docs = WriteFiles(6);
  directory_.Write("docs/packed.gz", Compress(Compression::kGzip, "common\n"));
  directory_.Write("docs/packed.zst", Compress(Compression::kZstd, "common\n"));
  const std::vector<std::string> command = {"index", docs,       "--index", Store(),  "--threads",
                                            "1",     "--memory", "32M",     "--quiet"};
  int errors = 0;
  for (int n = 1; n < 500; ++n) {
    fs::remove(Mark());
    fs::remove_all(Store());
    const ProgramResult result =
        Run(command, {std::string("LD_PRELOAD=") + PMDEX_FAILING_SYSCALLS,
                      "PMDEX_FAIL_BELOW=" + docs, "PMDEX_FAIL_AT=" + std::to_string(n),
                      "PMDEX_FAIL_ERRNO=" + std::to_string(n % 2 == 0 ? ENFILE : ENOMEM),
                      "PMDEX_FAIL_MARK=" + Mark()});
    SCOPED_TRACE(std::to_string(n) + ": " + result.err);
    if (!fs::exists(Mark())) break;
    if (result.exit_status != 0) {
      ++errors;
      ExpectOneLineOfError(result);
    }
    ExpectResumes(command, 8);
  }
  EXPECT_GE(errors, 3);
}

// The settings of an index that cannot be read are not the defaults.
TEST_F(DescriptorsTest, NoFailingCallChangesTheSettingsOfWhatIsAppendedTo) {
  if (std::string(PMDEX_FAILING_SYSCALLS).empty()) GTEST_SKIP() << "not with a sanitizer";
  const std::string docs = WriteFiles(2);
  const std::vector<std::string> command = {"index", docs,       "--index", Store(),   "--threads",
                                            "1",     "--memory", "32M",     "--quiet", "--append"};
  ASSERT_EQ(
      Run({"index", docs, "--index", Store(), "--analyzer", "english", "--quiet"}).exit_status, 0);
  fs::copy(Store(), directory_ / "kept");
  for (int n = 1; n < 500; ++n) {
    fs::remove(Mark());
    fs::remove_all(Store());
    fs::copy(directory_ / "kept", Store());
    const ProgramResult result =
        Run(command, {std::string("LD_PRELOAD=") + PMDEX_FAILING_SYSCALLS,
                      "PMDEX_FAIL_BELOW=" + Store(), "PMDEX_FAIL_AT=" + std::to_string(n),
                      "PMDEX_FAIL_ERRNO=" + std::to_string(n % 2 == 0 ? ENFILE : ENOMEM),
                      "PMDEX_FAIL_MARK=" + Mark()});
    SCOPED_TRACE(std::to_string(n) + ": " + result.err);
    if (!fs::exists(Mark()) || HasFailure()) break;
    if (result.exit_status != 0) ExpectOneLineOfError(result);
    EXPECT_EQ(result.err.find("was built with"), std::string::npos);
  }
}

class FailingResources : public ExhaustionTest {
 protected:
  void SetUp() override {
    if (std::string(PMDEX_FAILING_RESOURCES).empty()) {
      GTEST_SKIP() << "a sanitizer must come first among the preloaded libraries";
    }
  }
  ProgramResult RunFailing(const std::vector<std::string>& command, const std::string& what,
                           int number) {
    fs::remove(Mark());
    return Run(command, {std::string("LD_PRELOAD=") + PMDEX_FAILING_RESOURCES,
                         what + "=" + std::to_string(number), "PMDEX_FAIL_MARK=" + Mark()});
  }
};

TEST_F(FailingResources, BuildsGoOnWithTheThreadsThatStart) {
  const std::string docs = WriteFiles(100);
  const std::vector<std::string> command = {"index",     docs,   "--index",          Store(),
                                            "--threads", "4",    "--reader-threads", "2",
                                            "--memory",  "128M", "--overwrite",      "--json"};
  int number = 1;
  for (bool failed = true; failed; ++number) {
    const ProgramResult result = RunFailing(command, "PMDEX_FAIL_THREADS_FROM", number);
    SCOPED_TRACE(std::to_string(number) + ": " + result.err);
    failed = fs::exists(Mark());
    if (number <= 4) {  // one thread of each stage
      ExpectOneLineOfError(result);
      EXPECT_NE(result.err.find("cannot start a thread: "), std::string::npos);
      continue;
    }
    ASSERT_EQ(result.exit_status, 0);
    EXPECT_EQ(json::parse(result.out)["documents"], 100);
    EXPECT_EQ(CountOf(Store(), "common").value(), 100u);
    EXPECT_EQ(result.err.find("could not be started") != std::string::npos, failed && number < 12);
  }
  EXPECT_GE(number, 12) << "4 indexers, 4 writers, 2 readers and the walk";
}

TEST_F(FailingResources, QueriesAreAnsweredByTheThreadsThatStart) {
  std::string lines;
  for (int i = 0; i < 4'000; ++i) lines += "common w" + std::to_string(i % 97) + "\n";
  const std::string input = directory_.Write("a.log", lines);
  ASSERT_EQ(Run({"index", input, "--format", "lines", "--index", Store(), "--quiet"}).exit_status,
            0);
  const std::string queries = directory_.Write("queries", "common w1\nw2 w3\n+w4 common\n");
  const std::vector<std::string> command = {"search", "--queries", queries,   "--threads",
                                            "4",      "--json",    "--index", Store()};
  const auto hits = [](const std::string& out) {
    json found;
    for (size_t at = 0; at < out.size();) {
      const size_t end = out.find('\n', at);
      found.push_back(json::parse(out.substr(at, end - at)).value("hits", json()));
      at = end + 1;
    }
    return found;
  };
  const ProgramResult whole = Run(command);
  ASSERT_EQ(whole.exit_status, 0) << whole.err;
  for (int number = 1; number <= 3; ++number) {
    const ProgramResult result = RunFailing(command, "PMDEX_FAIL_THREADS_FROM", number);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    EXPECT_TRUE(fs::exists(Mark()));
    EXPECT_EQ(hits(result.out), hits(whole.out));
  }
}

TEST_F(FailingResources, MemoryThatRunsOutOnAThreadIsAnErrorAndLosesNothing) {
  const std::string docs = WriteFiles(40);
  const std::vector<std::string> command = {
      "index",      docs,      "--index", Store(), "--threads", "2",   "--reader-threads", "2",
      "--analyzer", "english", "--store", "on",    "--memory",  "64M", "--quiet"};
  int errors = 0;
  int step = 1;
  for (int number = 1; number < 100'000; number += step, step += 2 + step / 4) {
    fs::remove_all(Store());
    const ProgramResult result = RunFailing(command, "PMDEX_FAIL_MALLOC_AT", number);
    SCOPED_TRACE(std::to_string(number) + ": " + result.err);
    if (!fs::exists(Mark())) break;
    if (result.exit_status != 0) {
      ++errors;
      ExpectOneLineOfError(result);
      EXPECT_NE(result.err.find("memory"), std::string::npos);
    }
    ExpectResumes(command, 40);
    if (HasFailure()) break;
  }
  EXPECT_GE(errors, 4);
}

// What decoders get comes from aligned_alloc.
TEST_F(FailingResources, MemoryThatADecoderDoesNotGetIsNoFaultOfItsFile) {
  uint64_t documents = 0;
  for (const Compression compression : kAllCompressions) {
    for (const char* name : {"a", "b"}) {
      const std::string file = "docs/" + std::string(name) + "." + EndingOf(compression);
      directory_.Write(file, Compress(compression, "common\n"));
      ++documents;
    }
  }
  for (const char* format : {"files", "lines"}) {
    const std::vector<std::string> command = {
        "index", directory_ / "docs", "--index", Store(),  "--format", format, "--threads",
        "1",     "--memory",          "64M",     "--quiet"};
    int errors = 0;
    for (int number = 1; number < 1000 && !HasFailure(); ++number) {
      fs::remove_all(Store());
      const ProgramResult result = RunFailing(command, "PMDEX_FAIL_ALIGNED_ALLOC_AT", number);
      SCOPED_TRACE(std::to_string(number) + ": " + result.err);
      if (!fs::exists(Mark())) break;
      if (result.exit_status != 0) {
        ++errors;
        ExpectOneLineOfError(result);
        EXPECT_NE(result.err.find("memory"), std::string::npos);
      }
      ExpectResumes(command, documents);
    }
    EXPECT_GE(errors, 8) << "one of each file";
  }
}

}  // namespace exhaustion_test
}  // namespace pmdex
