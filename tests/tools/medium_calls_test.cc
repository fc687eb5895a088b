// Which libraries the program loads, and with which calls to the kernel and to libpmem2 it makes an
// index durable. A preloaded library logs the calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "tests/support/run_program.h"

namespace pmdex {
namespace medium_calls_test {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string ContentOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class MediumCalls : public testing::Test {
 protected:
  void SetUp() override {
    docs_ = directory_.Write("docs.jsonl", "{\"id\":\"a\",\"body\":\"common word\"}\n");
  }

  ProgramResult Run(std::vector<std::string> arguments, std::vector<std::string> environment = {},
                    const std::string& index = "index") {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    arguments.insert(arguments.end(), {"--index", directory_ / index});
    if (arguments[1] == "index") {
      arguments.insert(arguments.end(), {"--threads", "1", "--memory", "32M", "--quiet"});
    }
    ProgramOptions options;
    options.environment = std::move(environment);
    return RunProgram(arguments, options);
  }

  // An environment in which dlopen finds a file with `content` instead of libpmem2.
  std::string LibraryPath(const std::string& content) const {
    const std::string library = directory_.Write("lib/libpmem2.so.1", content);
    return "LD_LIBRARY_PATH=" + fs::path(library).parent_path().string();
  }

  const TemporaryDirectory directory_{FastTemporaryParent()};
  std::string docs_;
};

// The libraries of a process, as the dynamic loader reports them.
class LoadedLibraries : public MediumCalls {
 protected:
  std::string TraceOf(const std::vector<std::string>& arguments,
                      std::vector<std::string> environment = {}) {
    const std::string traces = directory_ / "traces";
    fs::remove_all(traces);
    fs::create_directories(traces);
    environment.insert(environment.end(), {"LD_DEBUG=files", "LD_DEBUG_OUTPUT=" + traces + "/t"});
    EXPECT_EQ(Run(arguments, environment).exit_status, 0);
    std::string all;
    for (const auto& file : fs::directory_iterator(traces)) all += ContentOf(file.path().string());
    EXPECT_THAT(all, HasSubstr("libc.so")) << "the loader wrote nothing";
    return all;
  }
};

TEST_F(LoadedLibraries, DoNotHoldLibpmem2OnOrdinaryFiles) {
  EXPECT_THAT(TraceOf({"index", docs_}), Not(HasSubstr("libpmem2")));
  EXPECT_THAT(TraceOf({"search", "common"}), Not(HasSubstr("libpmem2")));
  EXPECT_THAT(TraceOf({"info"}), Not(HasSubstr("libpmem2")));
  EXPECT_THAT(TraceOf({"verify"}), Not(HasSubstr("libpmem2")));
}

TEST_F(LoadedLibraries, HoldLibpmem2WhereAGranularityIsForced) {
  EXPECT_THAT(TraceOf({"index", docs_}, {"PMEM2_FORCE_GRANULARITY=CACHE_LINE"}),
              HasSubstr("libpmem2"));
}

// Runs the program with tests/support/failing_syscalls.cc preloaded.
class Preloaded : public LoadedLibraries {
 protected:
  void SetUp() override {
    if (std::string(PMDEX_FAILING_SYSCALLS).empty()) {
      GTEST_SKIP() << "a sanitizer must come first among the preloaded libraries";
    }
    MediumCalls::SetUp();
  }
  const std::string preload_ = std::string("LD_PRELOAD=") + PMDEX_FAILING_SYSCALLS;
};

class OnDax : public Preloaded {
 protected:
  const std::vector<std::string> dax_ = {preload_, "PMDEX_PRETEND_DAX=1"};
};

TEST_F(OnDax, LibpmemTwoIsLoadedToWriteAndNotToRead) {
  EXPECT_THAT(TraceOf({"index", docs_}, dax_), HasSubstr("libpmem2"));
  EXPECT_THAT(TraceOf({"search", "common"}, dax_), Not(HasSubstr("libpmem2")));
  EXPECT_THAT(TraceOf({"verify"}, dax_), Not(HasSubstr("libpmem2")));
}

// The program must not silently fall back to the calls for the page cache, which do not flush the
// CPU caches.
TEST_F(OnDax, IndexStopsWithAHintWhereLibpmem2CannotBeUsed) {
  ASSERT_EQ(Run({"index", docs_}).exit_status, 0);
  const std::vector<std::string> useless = {
      "no library at all", ContentOf(PMDEX_FAILING_SYSCALLS)};  // one without the functions
  for (const std::string& content : useless) {
    std::vector<std::string> environment = dax_;
    environment.push_back(LibraryPath(content));
    const ProgramResult made = Run({"index", docs_}, environment, "new");
    EXPECT_EQ(made.exit_status, 1);
    EXPECT_THAT(made.err, AllOf(testing::StartsWith("pmdex: error: "), HasSubstr("libpmem2"),
                                HasSubstr("(hint: install libpmem2")));
    EXPECT_EQ(std::count(made.err.begin(), made.err.end(), '\n'), 1) << made.err;
    const ProgramResult found = Run({"search", "common"}, environment);
    EXPECT_EQ(found.exit_status, 0) << found.err;
    EXPECT_THAT(found.out, HasSubstr("a"));
    EXPECT_EQ(Run({"verify"}, environment).exit_status, 0);
  }
}

TEST_F(MediumCalls, AForcedGranularityWithoutLibpmem2IsAnErrorToo) {
  const ProgramResult made = Run(
      {"index", docs_}, {"PMEM2_FORCE_GRANULARITY=BYTE", LibraryPath("no library at all")}, "new");
  EXPECT_EQ(made.exit_status, 1);
  EXPECT_THAT(made.err, HasSubstr("(hint: install libpmem2"));
}

struct Call {
  std::string name;
  std::string path;
};

class CallsOfIndex : public Preloaded {
 protected:
  std::string Root() const { return fs::canonical(directory_.path()).string(); }

  // The calls of a build of a new index in new/store.
  std::vector<Call> LogOfIndex(const std::string& variable) {
    std::vector<std::string> environment = {preload_, "PMDEX_FAIL_BELOW=" + Root(),
                                            "PMDEX_LOG_CALLS=" + Root() + "/log"};
    if (!variable.empty()) environment.push_back(variable);
    const ProgramResult result = Run({"index", docs_}, environment, "new/store");
    EXPECT_EQ(result.exit_status, 0) << result.err;
    std::vector<Call> calls;
    std::ifstream log(Root() + "/log");
    for (std::string line; std::getline(log, line);) {
      const size_t space = line.find(' ');
      calls.push_back({line.substr(0, space), line.substr(space + 1)});
    }
    fs::remove(Root() + "/log");
    fs::remove_all(Root() + "/new");
    return calls;
  }

  static long Count(const std::vector<Call>& calls, const std::string& name) {
    return std::count_if(calls.begin(), calls.end(),
                         [&](const Call& call) { return call.name == name; });
  }

  // Only synced files are renamed, and each new name is synced in the end. Names that were removed
  // need not be.
  void ExpectDurable(const std::vector<Call>& calls) const {
    std::map<std::string, bool> synced;  // by path: since its last change
    const std::string store = Root() + "/new/store";
    for (const Call& call : calls) {
      const std::string parent = fs::path(call.path).parent_path().string();
      if (call.name == "fsync") synced[call.path] = true;
      if (call.name == "pwrite" || call.name == "ftruncate") synced[call.path] = false;
      if (call.name == "mkdir") synced[parent] = false;
      if (call.name != "renameat") continue;
      EXPECT_TRUE(synced[call.path]) << call.path << " was renamed before it was synced";
      synced[parent] = false;
    }
    for (const std::string& path : {Root(), Root() + "/new", store}) {
      EXPECT_TRUE(synced[path]) << path << " was not synced after its last change";
    }
  }
};

TEST_F(CallsOfIndex, MakeFilesAndNamesDurableBehindAPageCache) {
  const std::vector<Call> calls = LogOfIndex("");
  ExpectDurable(calls);
  EXPECT_GE(Count(calls, "renameat"), 3);  // the pending build, a segment, the generation
}

TEST_F(CallsOfIndex, MakeFilesAndNamesDurableOnMemory) {
  for (const std::string granularity : {"CACHE_LINE", "BYTE"}) {
    const std::vector<Call> calls = LogOfIndex("PMEM2_FORCE_GRANULARITY=" + granularity);
    ExpectDurable(calls);
    EXPECT_GE(Count(calls, "renameat"), 3);
  }
}

}  // namespace medium_calls_test
}  // namespace pmdex
