// Runs `pmdex watch` as users do: its report, its errors, its end by a signal, and what is left
// after it is killed.
#include "tools/watch/watch_command.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include "tests/support/background_program.h"
#include "tests/support/notify_socket.h"
#include "tests/support/run_program.h"
#include "tools/watch/document_facts.h"

namespace pmdex {
namespace watch_command_test {

namespace fs = std::filesystem;
using nlohmann::json;

class WatchCommand : public testing::Test {
 protected:
  ProgramResult Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    ProgramOptions options;
    options.directory = directory_.path();
    options.environment = {"PMDEX_INDEX="};
    return RunProgram(arguments, options);
  }
  json RunJson(const std::vector<std::string>& arguments) {
    const ProgramResult result = Run(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return json::parse(result.out, nullptr, false);
  }
  json Once() { return RunJson({"watch", "tree", "--once", "--json", "--index", "ix"}); }
  // The watch in the background, with absolute paths.
  std::vector<std::string> Watching() {
    return {PMDEX_BINARY, "watch", directory_ / "tree", "--index", directory_ / "ix", "--json"};
  }
  // Ids of the documents that a query finds.
  std::set<std::string> Find(const std::string& query, const std::string& index = "ix") {
    std::set<std::string> ids;
    const json found =
        RunJson({"search", query, "-k", "1000", "--json", "--exhaustive", "--index", index});
    for (const auto& hit : found["hits"]) ids.insert(hit["id"]);
    return ids;
  }
  // The lines of `pmdex find -ls`.
  std::multiset<std::string> EntriesOf(const std::string& index) {
    const ProgramResult found = Run({"find", "--index", index, "-ls"});
    EXPECT_EQ(found.exit_status, 0) << found.err;
    const std::vector<std::string> lines = absl::StrSplit(found.out, '\n', absl::SkipEmpty());
    return {lines.begin(), lines.end()};
  }
  void AwaitDocument(const std::string& query) {
    while (Find(query).empty()) {
    }
  }

  const TemporaryDirectory directory_;
};

TEST_F(WatchCommand, OnceBringsTheIndexUpToDateAndSaysWhatItDid) {
  directory_.Write("tree/a.txt", "apple");
  directory_.Write("tree/sub/b.txt", "banana");
  directory_.Write("tree/sub/c.txt", "cherry");
  directory_.Write("tree/binary", std::string("x\0y", 3));
  json report = Once();
  EXPECT_EQ(report["added"], 3);
  EXPECT_EQ(report["skipped"], 1);
  EXPECT_TRUE(report["seconds"].is_number());
  EXPECT_EQ(Find("banana"), std::set<std::string>{"tree/sub/b.txt"});

  directory_.Write("tree/a.txt", "apricots");
  fs::remove(directory_ / "tree/sub/b.txt");
  ASSERT_EQ(std::rename((directory_ / "tree/sub/c.txt").c_str(), (directory_ / "tree/d").c_str()),
            0);
  directory_.Write("tree/new", "apple");
  report = Once();
  EXPECT_EQ(report["added"], 1);
  EXPECT_EQ(report["updated"], 1);
  EXPECT_EQ(report["renamed"], 1);
  EXPECT_EQ(report["removed"], 1);
  EXPECT_EQ(report["unchanged"], 1);  // the binary file
  EXPECT_EQ(Find("apple"), std::set<std::string>{"tree/new"});
  EXPECT_EQ(Find("path:*sub*"), std::set<std::string>());

  report = Once();
  for (const char* key : {"added", "updated", "renamed", "removed"}) EXPECT_EQ(report[key], 0);
  EXPECT_EQ(report["unchanged"], 4);
  EXPECT_EQ(Run({"verify", "--index", "ix"}).exit_status, 0);
}

TEST_F(WatchCommand, TheIndexIsThatOfPmdexIndex) {
  std::mt19937 random(5);
  for (int i = 0; i < 200; ++i) {
    directory_.Write(absl::StrCat("tree/d", i % 7, "/f", i),
                     absl::StrCat("word", random() % 20, " word", random() % 20));
  }
  Once();
  for (int i = 0; i < 200; i += 3) {
    directory_.Write(absl::StrCat("tree/d", i % 7, "/f", i), absl::StrCat("changed word", i % 20));
  }
  Once();
  EXPECT_EQ(Run({"index", "tree", "--index", "fresh", "--quiet"}).exit_status, 0);
  for (int word = 0; word < 20; ++word) {
    const std::string query = absl::StrCat("word", word);
    EXPECT_EQ(Find(query), Find(query, "fresh")) << query;
  }
  EXPECT_EQ(Find("*:*"), Find("*:*", "fresh"));
}

TEST_F(WatchCommand, TakesOverAnIndexOfTheSameTreeAndLeavesItsOwnFilesOut) {
  directory_.Write("tree/a", "apple");
  const auto last_change_ns = [](const std::string& path) {
    struct stat facts;
    EXPECT_EQ(stat(path.c_str(), &facts), 0);
    return facts.st_ctim.tv_sec * int64_t{1'000'000'000} + facts.st_ctim.tv_nsec;
  };
  // The build begins in a later tick of the clock.
  const int64_t changed_ns = last_change_ns(directory_ / "tree/a");
  while (last_change_ns(directory_.Write("clock", "")) < changed_ns + 2 * kRacyNanoseconds) {
  }
  EXPECT_EQ(Run({"index", "tree", "--index", "tree/ix", "--quiet"}).exit_status, 0);
  const std::vector<std::string> watch = {"watch",  "tree",    "--once",
                                          "--json", "--index", "tree/ix"};
  json report = RunJson(watch);
  EXPECT_EQ(report["unchanged"], 1) << report;
  EXPECT_EQ(report["updated"], 0) << "no file is read again";
  directory_.Write("tree/b", "banana");
  report = RunJson(watch);
  EXPECT_EQ(report["added"], 1);
  EXPECT_EQ(report["updated"], 0);
  EXPECT_EQ(Find("*:*", "tree/ix"), (std::set<std::string>{"tree/a", "tree/b"}));
}

TEST_F(WatchCommand, ASignalEndsItAfterAllChangesAreApplied) {
  directory_.Write("tree/a", "apple");
  for (const int signal : {SIGTERM, SIGINT}) {
    BackgroundProgram watch(Watching());
    EXPECT_NE(watch.AwaitLine("up to date"), "");
    const std::string name = absl::StrCat("tree/by-", signal);
    directory_.Write(name, absl::StrCat("signal", signal));
    watch.Signal(signal);
    EXPECT_EQ(watch.AwaitEnd(), 0) << watch.err();
    EXPECT_EQ(Find(absl::StrCat("signal", signal)), std::set<std::string>{directory_ / name});
  }
}

TEST_F(WatchCommand, TellsTheServiceManagerTheLagEvenIfItIsQuiet) {
  directory_.Write("tree/a", "apple");
  NotifySocket socket(directory_ / "notify");
  std::vector<std::string> arguments = Watching();
  arguments.back() = "--quiet";
  BackgroundProgram watch(arguments, {"NOTIFY_SOCKET=" + (directory_ / "notify")});
  EXPECT_EQ(socket.Read(), "READY=1");
  directory_.Write("tree/b", "banana");
  const std::string status = socket.Read();
  EXPECT_TRUE(status.starts_with("STATUS=")) << status;
  EXPECT_NE(status.find(" added, "), std::string::npos) << status;
  EXPECT_NE(status.find("; lag p50 "), std::string::npos) << status;
  // Generations that follow each other closely do not make the manager busy.
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 8; ++i) {
    directory_.Write(absl::StrCat("tree/", i), absl::StrCat("cherry", i));
    AwaitDocument(absl::StrCat("cherry", i));
  }
  watch.Signal(SIGTERM);
  int statuses = 0;
  while (socket.Read() != "STOPPING=1") ++statuses;
  EXPECT_LE(statuses, (std::chrono::steady_clock::now() - start) / std::chrono::seconds(1) + 1);
  EXPECT_EQ(watch.AwaitEnd(), 0) << watch.err();
  EXPECT_EQ(watch.err(), "");
}

TEST_F(WatchCommand, GivesTheFilesOfTheIndexTheMode) {
  directory_.Write("tree/a", "apple");
  ASSERT_EQ(Run({"watch", "tree", "--once", "--mode", "0640", "--index", "ix"}).exit_status, 0);
  directory_.Write("tree/b", "banana");
  ASSERT_EQ(Run({"watch", "tree", "--once", "--index", "ix"}).exit_status, 0);
  const auto mode_of = [](const fs::path& path) {
    struct stat facts = {};
    EXPECT_EQ(stat(path.c_str(), &facts), 0) << path;
    return facts.st_mode & 0777;
  };
  EXPECT_EQ(mode_of(directory_ / "ix"), 0750u);
  size_t segments = 0;
  for (const auto& entry : fs::directory_iterator(directory_ / "ix")) {
    if (!entry.path().filename().string().starts_with("segment-")) continue;
    EXPECT_EQ(mode_of(entry.path()), 0640u) << entry.path();
    ++segments;
  }
  EXPECT_EQ(segments, 2u);
  EXPECT_EQ(Run({"watch", "tree", "--once", "--mode", "0777", "--index", "ix"}).exit_status, 2);
}

// The kernel's queue holds more than one Read of a source takes.
TEST_F(WatchCommand, ASignalEndsItAfterTheWholeQueueOfTheKernelIsRead) {
  directory_.Write("tree/a", "apple");
  const std::string names[] = {directory_ / ("tree/b" + std::string(200, 'x')),
                               directory_ / ("tree/c" + std::string(200, 'x'))};
  directory_.Write("tree/b" + std::string(200, 'x'), "banana");
  BackgroundProgram watch(Watching());
  EXPECT_NE(watch.AwaitLine("up to date"), "");
  watch.Signal(SIGSTOP);
  for (int i = 0; i < 7000; ++i) {
    ASSERT_EQ(std::rename(names[i % 2].c_str(), names[1 - i % 2].c_str()), 0);
  }
  directory_.Write("tree/last", "cherry");
  watch.Signal(SIGTERM);
  watch.Signal(SIGCONT);
  EXPECT_EQ(watch.AwaitEnd(), 0) << watch.err();
  EXPECT_EQ(Find("cherry"), std::set<std::string>{directory_ / "tree/last"});
}

// A watch that can no longer read the changes must not look as if nothing changed.
TEST_F(WatchCommand, EndsWithAnErrorWhenChangesCanNoLongerBeRead) {
  directory_.Write("tree/a", "apple");
  std::vector<std::string> arguments = Watching();
  arguments.insert(arguments.end(), {"--events", "inotify"});
  BackgroundProgram watch(arguments);
  EXPECT_NE(watch.AwaitLine("up to date"), "");
  const rlimit none = {3, 3};
  ASSERT_EQ(prlimit(watch.pid(), RLIMIT_NOFILE, &none, nullptr), 0);
  fs::create_directories(directory_ / "tree/new");  // no descriptor is left to look at it
  EXPECT_EQ(watch.AwaitEnd(), 1) << watch.err();
  EXPECT_NE(watch.err().find("tree/new"), std::string::npos) << watch.err();
}

TEST_F(WatchCommand, AKilledWatchLosesNothing) {
  for (int i = 0; i < 50; ++i) directory_.Write(absl::StrCat("tree/moved0/f", i), "moved");
  for (int round = 0; round < 5; ++round) {
    {
      BackgroundProgram watch(Watching());
      EXPECT_NE(watch.AwaitLine("up to date"), "");
      for (int i = 0; i < 50; ++i) {
        directory_.Write(absl::StrCat("tree/f", i), absl::StrCat("round", round, " file", i));
        if (i % 10 == 3) fs::remove(directory_ / absl::StrCat("tree/f", i - 1));
        // The first batch is applied, others are on the way.
        if (i == 20) AwaitDocument(absl::StrCat("+round", round, " +file0"));
        if (i == 30) {
          fs::rename(directory_ / absl::StrCat("tree/moved", round),
                     directory_ / absl::StrCat("tree/moved", round + 1));
        }
      }
      watch.Signal(SIGKILL);
      EXPECT_EQ(watch.AwaitEnd(), 128 + SIGKILL);
    }
    EXPECT_EQ(Run({"verify", "--index", "ix"}).exit_status, 0);
    RunJson({"watch", directory_ / "tree", "--once", "--json", "--index", "ix"});
    EXPECT_EQ(Run({"index", directory_ / "tree", "--index", "fresh", "--overwrite", "--quiet"})
                  .exit_status,
              0);
    EXPECT_EQ(Find("*:*"), Find("*:*", "fresh"));
    EXPECT_EQ(Find(absl::StrCat("round", round)), Find(absl::StrCat("round", round), "fresh"));
    EXPECT_EQ(Find("moved"), Find("moved", "fresh"));
  }
}

TEST_F(WatchCommand, KeepsEveryEntryOfAnIndexThatHasThem) {
  directory_.Write("tree/a", "apple");
  directory_.Write("tree/sub/binary", std::string(9, '\0'));
  fs::create_symlink("a", directory_ / "tree/link");
  ASSERT_EQ(Run({"index", "tree", "--attributes", "--index", "ix", "--quiet"}).exit_status, 0);
  const std::multiset<std::string> before = EntriesOf("ix");
  ASSERT_EQ(before.size(), 5u);
  EXPECT_EQ(Run({"watch", "tree", "--once", "--index", "ix"}).exit_status, 0);
  EXPECT_EQ(EntriesOf("ix"), before);
  fs::remove(directory_ / "tree/link");
  fs::rename(directory_ / "tree/sub", directory_ / "tree/other");
  fs::create_symlink("nowhere", directory_ / "tree/other/link");
  ASSERT_EQ(mkfifo((directory_ / "tree/pipe").c_str(), 0600), 0);
  const json report = RunJson({"watch", "tree", "--once", "--json", "--index", "ix"});
  EXPECT_EQ(report["skipped"], 0);
  for (const std::string index : {"new", "fresh"}) {
    const char* const command = index == "new" ? "watch" : "index";
    std::vector<std::string> arguments = {command,   "tree", "--attributes",
                                          "--index", index,  "--quiet"};
    if (index == "new") arguments.emplace_back("--once");
    ASSERT_EQ(Run(arguments).exit_status, 0);
  }
  EXPECT_EQ(EntriesOf("ix").size(), 6u);
  EXPECT_EQ(EntriesOf("ix"), EntriesOf("fresh"));
  EXPECT_EQ(EntriesOf("new"), EntriesOf("fresh"));
  EXPECT_EQ(Run({"verify", "--index", "ix"}).exit_status, 0);
}

TEST_F(WatchCommand, TakesOverThousandsOfEntries) {
  for (int i = 0; i < 5000; ++i) directory_.Write(absl::StrCat("tree/d", i % 7, "/f", i), "");
  ASSERT_EQ(Run({"index", "tree", "--attributes", "--index", "ix", "--quiet"}).exit_status, 0);
  const std::multiset<std::string> before = EntriesOf("ix");
  ASSERT_EQ(before.size(), 5008u);
  EXPECT_EQ(Run({"watch", "tree", "--once", "--index", "ix"}).exit_status, 0);
  EXPECT_EQ(EntriesOf("ix"), before);
}

TEST_F(WatchCommand, KeepsEveryEntryOfATreeThatIsALink) {
  directory_.Write("real/a", "apple");
  fs::create_symlink("a", directory_ / "real/link");
  fs::create_symlink("real", directory_ / "tree");
  ASSERT_EQ(Run({"watch", "tree", "--attributes", "--once", "--index", "ix"}).exit_status, 0);
  const std::multiset<std::string> before = EntriesOf("ix");
  ASSERT_EQ(before.size(), 3u);
  EXPECT_EQ(Run({"watch", "tree", "--once", "--index", "ix"}).exit_status, 0);
  EXPECT_EQ(EntriesOf("ix"), before);
}

TEST_F(WatchCommand, TriesAFileAgainWhoseTextItCouldNotRead) {
  directory_.Write("tree/long", std::string(size_t{12} << 20, 'a'));
  std::vector<std::string> small = {"watch",   "tree", "--attributes", "--once",
                                    "--index", "ix",   "--memory",     "32M"};
  ASSERT_EQ(Run(small).exit_status, 0);
  EXPECT_EQ(EntriesOf("ix").size(), 2u);
  EXPECT_EQ(Find("body:*"), std::set<std::string>());
  const json report = Once();  // with more memory
  EXPECT_EQ(report["updated"], 1);
  EXPECT_EQ(report["added"], 0);
  EXPECT_EQ(Find("body:*"), std::set<std::string>{"tree/long"});
}

TEST_F(WatchCommand, AnIndexOfFilesGetsOtherEntriesWhereAsked) {
  directory_.Write("tree/a", "apple");
  directory_.Write("tree/binary", std::string(9, '\0'));
  ASSERT_EQ(Run({"watch", "tree", "--once", "--index", "ix"}).exit_status, 0);
  EXPECT_EQ(EntriesOf("ix").size(), 1u);
  ASSERT_EQ(Run({"watch", "tree", "--once", "--attributes", "--index", "ix"}).exit_status, 0);
  EXPECT_EQ(EntriesOf("ix").size(), 3u);
}

TEST_F(WatchCommand, RefusesWhatItCannotKeepTrue) {
  directory_.Write("tree/a", "apple");
  ProgramResult result = Run({"watch", "nothing", "--once", "--index", "ix"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_FALSE(fs::exists(directory_ / "ix"));
  EXPECT_EQ(Run({"watch", "tree/a", "--once", "--index", "ix"}).exit_status, 1);
  EXPECT_EQ(Run({"watch", "tree", "./tree", "--once", "--index", "ix"}).exit_status, 2);
  EXPECT_EQ(Run({"watch", "--once", "--index", "ix"}).exit_status, 2);
  EXPECT_EQ(Run({"watch", "tree", "--throttle", "much", "--index", "ix"}).exit_status, 2);
  EXPECT_EQ(
      Run({"index", "tree/a", "--format", "lines", "--index", "lines", "--quiet"}).exit_status, 0);
  result = Run({"watch", "tree", "--once", "--index", "lines"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.err.find("format lines"), std::string::npos) << result.err;
}

}  // namespace watch_command_test
}  // namespace pmdex
