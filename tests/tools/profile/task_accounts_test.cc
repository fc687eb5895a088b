#include "tools/profile/task_accounts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "absl/strings/str_cat.h"

#include "nlohmann/json.hpp"
#include "tests/support/run_program.h"
#include "tools/profile/accounts_report.h"

namespace pmdex {
namespace task_accounts_test {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// What the made-up kernel says of a task.
struct MadeUpTask {
  std::string name = "task";
  char state = 'S';
  uint64_t minor_faults = 100;
  uint64_t major_faults = 0;
  uint64_t user_ticks = 0;
  uint64_t system_ticks = 0;
  uint64_t start_ticks = 500;
  std::string schedstat = "0 0 0\n";
  std::string status = "Name:\ttask\nvoluntary_ctxt_switches:\t1\nnonvoluntary_ctxt_switches:\t2\n";
};

std::string Status(uint64_t voluntary, uint64_t involuntary) {
  return absl::StrCat("Name:\tvoluntary_ctxt_switches:\t77\nvoluntary_ctxt_switches:\t", voluntary,
                      "\nnonvoluntary_ctxt_switches:\t", involuntary, "\n");
}

// A second of the made-up kernel has as many ticks as one of the real one, mostly 100.
uint64_t TicksOf(double seconds) {
  return static_cast<uint64_t>(seconds * static_cast<double>(sysconf(_SC_CLK_TCK)));
}

// A directory in the place of /proc, with the process 7.
class TaskAccounts : public testing::Test {
 protected:
  void Write(const std::string& directory, const MadeUpTask& task) const {
    proc_.Write(directory + "/stat",
                absl::StrCat("7 (", task.name, ") ", std::string(1, task.state),
                             " 1 7 7 0 -1 4194560 ", task.minor_faults, " 11111 ",
                             task.major_faults, " 22222 ", task.user_ticks, " ", task.system_ticks,
                             " 33333 44444 20 0 3 0 ", task.start_ticks, " 1000000 200\n"));
    proc_.Write(directory + "/schedstat", task.schedstat);
    proc_.Write(directory + "/status", task.status);
  }
  void WriteThread(uint32_t thread, const MadeUpTask& task) const {
    Write(absl::StrCat("7/task/", thread), task);
  }
  void WriteProcess(const MadeUpTask& task) const { Write("7", task); }
  void Remove(const std::string& path) const { std::filesystem::remove_all(proc_ / path); }

  TaskWatch Start() const {
    auto watch = TaskWatch::Start(7, proc_.path());
    EXPECT_TRUE(watch.ok()) << watch.status();
    return *std::move(watch);
  }

  const TemporaryDirectory proc_;
};

TEST_F(TaskAccounts, AreTheDifferencesOfEachThread) {
  WriteProcess({.minor_faults = 1000, .user_ticks = TicksOf(50), .system_ticks = TicksOf(5)});
  WriteThread(7, {.name = "main"});
  WriteThread(8, {.name = "a (b) S 1",
                  .minor_faults = 300,
                  .major_faults = 3,
                  .user_ticks = TicksOf(20),
                  .system_ticks = TicksOf(2),
                  .schedstat = "22000000000 1000000000 500\n",
                  .status = Status(1000, 50)});
  TaskWatch watch = Start();
  WriteProcess({.minor_faults = 1042,
                .major_faults = 1,
                .user_ticks = TicksOf(51.5),
                .system_ticks = TicksOf(5.5)});
  WriteThread(8, {.name = "a (b) S 1",
                  .minor_faults = 340,
                  .major_faults = 4,
                  .user_ticks = TicksOf(21),
                  .system_ticks = TicksOf(2.25),
                  .schedstat = "23250000000 1500000000 700\n",
                  .status = Status(1100, 57)});
  watch.Look();
  EXPECT_FALSE(watch.has_ended());
  const ProcessAccounts accounts = watch.Take();
  ASSERT_EQ(accounts.threads.size(), 1u);
  EXPECT_EQ(accounts.idle_threads, 1u);
  const ThreadAccount& thread = accounts.threads[0];
  EXPECT_EQ(thread.thread, 8u);
  EXPECT_EQ(thread.name, "a (b) S 1");
  EXPECT_FALSE(thread.has_ended);
  EXPECT_DOUBLE_EQ(thread.account.cpu_s.value(), 1.25);
  EXPECT_DOUBLE_EQ(thread.account.user_s.value(), 1.0);
  EXPECT_DOUBLE_EQ(thread.account.system_s.value(), 0.25);
  EXPECT_DOUBLE_EQ(thread.account.wait_s.value(), 0.5);
  EXPECT_EQ(thread.account.minor_faults, 40u);
  EXPECT_EQ(thread.account.major_faults, 1u);
  EXPECT_EQ(thread.account.voluntary_switches, 100u);
  EXPECT_EQ(thread.account.involuntary_switches, 7u);
  // Half a second of it was in threads that no look has seen.
  EXPECT_DOUBLE_EQ(accounts.whole.cpu_s.value(), 2.0);
  EXPECT_DOUBLE_EQ(accounts.whole.user_s.value(), 1.5);
  EXPECT_EQ(accounts.whole.minor_faults, 42u);
  EXPECT_DOUBLE_EQ(accounts.whole.wait_s.value(), 0.5);
  EXPECT_EQ(accounts.whole.voluntary_switches, 100u);
  EXPECT_THAT(accounts.notes, IsEmpty());
}

TEST_F(TaskAccounts, SayNothingWhereTheKernelDoesNotCount) {
  // As a sandbox writes them: zeros for faults, no schedstat, no switches.
  const MadeUpTask before = {.minor_faults = 0, .status = "Name:\ttask\n"};
  MadeUpTask after = before;
  after.user_ticks = TicksOf(1);
  WriteProcess(before);
  WriteThread(7, before);
  WriteThread(8, before);
  Remove("7/task/8/schedstat");
  TaskWatch watch = Start();
  WriteProcess(after);
  WriteThread(7, after);
  watch.Look();
  const ProcessAccounts accounts = watch.Take();
  ASSERT_EQ(accounts.threads.size(), 1u);
  const TaskAccount& account = accounts.threads[0].account;
  EXPECT_DOUBLE_EQ(account.cpu_s.value(), 1.0);
  for (const TaskAccount* one : {&account, &accounts.whole}) {
    EXPECT_FALSE(one->wait_s.has_value());
    EXPECT_FALSE(one->minor_faults.has_value());
    EXPECT_FALSE(one->major_faults.has_value());
    EXPECT_FALSE(one->voluntary_switches.has_value());
    EXPECT_FALSE(one->involuntary_switches.has_value());
  }
  EXPECT_THAT(accounts.notes, Contains(HasSubstr("counts no page faults")));
  EXPECT_THAT(accounts.notes, Contains(HasSubstr("/proc/PID/schedstat")));
  EXPECT_THAT(accounts.notes, Contains(HasSubstr("/proc/PID/status")));

  const ReportTable table = AccountsTable(accounts);
  ASSERT_EQ(table.columns.size(), 4u) << TableToText(table);
  EXPECT_EQ(table.columns[2].name, "CPU s");
  EXPECT_EQ(table.columns[3].name, "user s");
}

TEST_F(TaskAccounts, HaveNoTimeBelowATickAndDivideNoneBelow100Milliseconds) {
  WriteProcess({});
  WriteThread(7, {});
  WriteThread(8, {});
  TaskWatch watch = Start();
  WriteThread(7, {.minor_faults = 101});
  WriteThread(8, {.user_ticks = TicksOf(0.05)});
  watch.Look();
  const ProcessAccounts accounts = watch.Take();
  ASSERT_EQ(accounts.threads.size(), 2u);
  EXPECT_EQ(accounts.threads[0].thread, 8u);
  EXPECT_DOUBLE_EQ(accounts.threads[0].account.cpu_s.value(), 0.05);
  EXPECT_FALSE(accounts.threads[0].account.user_s.has_value());
  EXPECT_FALSE(accounts.threads[1].account.cpu_s.has_value());
  EXPECT_EQ(accounts.threads[1].account.minor_faults, 1u);
}

TEST_F(TaskAccounts, CountThreadsThatStartFromTheirStart) {
  WriteProcess({});
  WriteThread(7, {.name = "main"});
  WriteThread(8, {.schedstat = "5000000000 0 9\n"});
  TaskWatch watch = Start();
  WriteThread(9, {.start_ticks = 900, .schedstat = "3000000000 0 9\n"});
  watch.Look();
  // The number of the thread 8 is taken by another one.
  WriteThread(8, {.name = "second", .start_ticks = 950, .schedstat = "1000000000 2000000 9\n"});
  Remove("7/task/9");
  watch.Look();
  const ProcessAccounts accounts = watch.Take();
  ASSERT_EQ(accounts.threads.size(), 2u);
  EXPECT_EQ(accounts.threads[0].thread, 9u);
  EXPECT_TRUE(accounts.threads[0].has_ended);
  EXPECT_DOUBLE_EQ(accounts.threads[0].account.cpu_s.value(), 3.0);
  EXPECT_EQ(accounts.threads[1].name, "second");
  EXPECT_FALSE(accounts.threads[1].has_ended);
  EXPECT_DOUBLE_EQ(accounts.threads[1].account.cpu_s.value(), 1.0);
  EXPECT_EQ(accounts.idle_threads, 2u);
  EXPECT_DOUBLE_EQ(accounts.whole.cpu_s.value(), 4.0);
}

TEST_F(TaskAccounts, TakeZerosOfSwitchesAndTimesForNoCount) {
  const std::string zeros = Status(0, 0);
  WriteProcess({.status = zeros});
  WriteThread(7, {.status = zeros});
  TaskWatch watch = Start();
  WriteThread(7, {.minor_faults = 120, .status = zeros});
  watch.Look();
  const ProcessAccounts accounts = watch.Take();
  ASSERT_EQ(accounts.threads.size(), 1u);
  EXPECT_EQ(accounts.threads[0].account.minor_faults, 20u);
  for (const TaskAccount* one : {&accounts.threads[0].account, &accounts.whole}) {
    EXPECT_FALSE(one->cpu_s.has_value());
    EXPECT_FALSE(one->wait_s.has_value());
    EXPECT_FALSE(one->voluntary_switches.has_value());
    EXPECT_FALSE(one->involuntary_switches.has_value());
  }
  EXPECT_EQ(accounts.notes.size(), 2u);
}

TEST_F(TaskAccounts, CountNothingFromBeforeWhatCouldNotBeRead) {
  WriteProcess({});
  WriteThread(7, {.schedstat = "9000000000 0 1\n"});
  WriteThread(8, {.schedstat = "5000000000 0 9\n"});
  Remove("7/task/8/stat");
  Remove("7/task/7/schedstat");
  TaskWatch watch = Start();
  WriteThread(8, {.schedstat = "6000000000 0 9\n"});
  WriteThread(7, {.minor_faults = 101, .schedstat = "9000000000 0 1\n"});
  watch.Look();
  WriteThread(8, {.schedstat = "8000000000 0 9\n"});
  watch.Look();
  const ProcessAccounts accounts = watch.Take();
  ASSERT_EQ(accounts.threads.size(), 2u);
  EXPECT_EQ(accounts.threads[0].thread, 8u);
  EXPECT_DOUBLE_EQ(accounts.threads[0].account.cpu_s.value(), 2.0);
  EXPECT_FALSE(accounts.threads[1].account.cpu_s.has_value());
  EXPECT_EQ(accounts.threads[1].account.minor_faults, 1u);
}

TEST_F(TaskAccounts, DoNotEndWhereTheThreadsCannotBeListed) {
  WriteProcess({});
  WriteThread(7, {});
  TaskWatch watch = Start();
  Remove("7/task");
  watch.Look();
  EXPECT_FALSE(watch.has_ended());
  WriteThread(7, {.schedstat = "1000000000 0 1\n"});
  watch.Look();
  const ProcessAccounts accounts = watch.Take();
  ASSERT_EQ(accounts.threads.size(), 1u);
  EXPECT_FALSE(accounts.threads[0].has_ended);
}

TEST_F(TaskAccounts, OfAProcessAreNotTheErrorOfTicks) {
  WriteProcess({});
  WriteThread(7, {});
  TaskWatch watch = Start();
  WriteProcess({.user_ticks = TicksOf(1) + 1, .system_ticks = 1});
  WriteThread(7, {.schedstat = "1000000000 0 1\n"});
  watch.Look();
  EXPECT_DOUBLE_EQ(watch.Take().whole.cpu_s.value(), 1.0);
  WriteProcess({.user_ticks = TicksOf(1) + 2, .system_ticks = 1});
  watch.Look();
  EXPECT_GT(watch.Take().whole.cpu_s.value(), 1.0);
}

TEST_F(TaskAccounts, EndWithTheProcess) {
  for (const char* how : {"gone", "zombie", "replaced"}) {
    WriteProcess({});
    WriteThread(7, {.schedstat = "1000000000 0 1\n"});
    TaskWatch watch = Start();
    WriteThread(7, {.schedstat = "2000000000 0 1\n"});
    watch.Look();
    ASSERT_FALSE(watch.has_ended());
    if (how == std::string("gone")) Remove("7");
    if (how == std::string("zombie")) {
      WriteProcess({.state = 'Z'});
      WriteThread(7, {.state = 'Z', .schedstat = "2000000000 0 1\n"});
    }
    if (how == std::string("replaced")) {
      WriteProcess({.start_ticks = 501});
      WriteThread(7, {.start_ticks = 501, .schedstat = "9000000000 0 1\n"});
    }
    watch.Look();
    watch.Look();
    EXPECT_TRUE(watch.has_ended()) << how;
    const ProcessAccounts accounts = watch.Take();
    ASSERT_EQ(accounts.threads.size(), 1u) << how;
    EXPECT_TRUE(accounts.threads[0].has_ended) << how;
    EXPECT_DOUBLE_EQ(accounts.threads[0].account.cpu_s.value(), 1.0) << how;
  }
}

TEST_F(TaskAccounts, RefuseFilesThatAreNone) {
  EXPECT_TRUE(absl::IsNotFound(TaskWatch::Start(7, proc_.path()).status()));
  for (const char* text : {"", "7", "7 (a) S", "7 )a( S 1 2 3", "7 (a) S 1 2 3 4 5 6 7 8 9",
                           // A field that is no number, below 0, or too large.
                           "7 (a) S 1 1 1 0 -1 4 x 0 0 0 1 1 0 0 20 0 3 0 500 1 1",
                           "7 (a) S 1 1 1 0 -1 4 9 0 0 0 -1 1 0 0 20 0 3 0 500 1 1",
                           "7 (a) S 1 1 1 0 -1 4 9 0 0 0 1 99999999999999999999 0 0 20 0 3 0 5"}) {
    proc_.Write("7/stat", text);
    EXPECT_FALSE(ReadTaskNumbers(proc_ / "7").has_value()) << text;
  }
  WriteProcess({.schedstat = "1 x 3\n", .status = "A:\t1\nvoluntary_ctxt_switches:\tmany\n"});
  const auto task = ReadTaskNumbers(proc_ / "7");
  ASSERT_TRUE(task.has_value());
  EXPECT_EQ(task->run_ns, 1u);
  EXPECT_FALSE(task->wait_ns.has_value());
  EXPECT_FALSE(task->voluntary_switches.has_value());
}

TEST_F(TaskAccounts, AreWrittenWithoutKeysOfWhatIsNotKnown) {
  ProcessAccounts accounts;
  accounts.whole.cpu_s = 1.5;
  ThreadAccount& thread = accounts.threads.emplace_back();
  thread.thread = 8;
  thread.name = "x";
  thread.has_ended = true;
  thread.account.minor_faults = 0;
  accounts.idle_threads = 2;
  JsonWriter json;
  json.BeginObject();
  WriteAccounts(accounts, json);
  json.EndObject();
  EXPECT_EQ(nlohmann::json::parse(json.result()), nlohmann::json::parse(R"({
    "process": {"cpu_s": 1.5},
    "threads": [{"thread": 8, "name": "x", "ended": true, "minor_faults": 0}],
    "idle_threads": 2})"));
  accounts.threads[0].account.cpu_s = 0.00002;
  const ReportTable table = AccountsTable(accounts);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0], (std::vector<std::string>{"all", "", "1.500", ""}));
  EXPECT_EQ(table.rows[1], (std::vector<std::string>{"8", "x (ended)", "<0.001", "0"}));
}

// The real /proc agrees with getrusage(2), which has the same counts from the kernel.
TEST(TaskAccountsOfThisThread, AgreeWithGetrusage) {
  const std::string directory = absl::StrCat("/proc/self/task/", gettid());
  const auto usage = [] {
    rusage now = {};
    getrusage(RUSAGE_THREAD, &now);
    return now;
  };
  const rusage before = usage();
  const auto task = ReadTaskNumbers(directory);
  const rusage after = usage();
  ASSERT_TRUE(task.has_value());
  EXPECT_GE(task->minor_faults, static_cast<uint64_t>(before.ru_minflt));
  EXPECT_LE(task->minor_faults, static_cast<uint64_t>(after.ru_minflt));
  if (!task->voluntary_switches.has_value()) GTEST_SKIP() << "no switches in status";
  EXPECT_GE(*task->voluntary_switches, static_cast<uint64_t>(before.ru_nvcsw));
  EXPECT_LE(*task->voluntary_switches, static_cast<uint64_t>(after.ru_nvcsw));
}

}  // namespace task_accounts_test
}  // namespace pmdex
