#include "tools/profile/process_profile.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "gtest/gtest.h"

#include "nlohmann/json.hpp"
#include "tests/support/run_program.h"
#include "tests/tools/profile/fake_counters.h"
#include "tools/counters/perf_counters.h"
#include "tools/profile/process_report.h"
#include "tools/report/report_files.h"

namespace pmdex {
namespace process_profile_test {

// A thread that uses a CPU until the end of the scope.
class BusyThread {
 public:
  BusyThread() : thread_([this] { Spin(); }) {}
  ~BusyThread() {
    stop_ = true;
    thread_.join();
  }
  BusyThread(const BusyThread&) = delete;
  BusyThread& operator=(const BusyThread&) = delete;

 private:
  void Spin() {
    pthread_setname_np(pthread_self(), "busy<thread>");
    volatile uint64_t sink = 0;
    while (!stop_) sink = sink + 1;
  }
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

TEST(ProcessProfile, FindsTheThreadThatUsesTheCpu) {
  const BusyThread busy;
  PerfCounterSource source;
  const auto profile = ProfileProcess(static_cast<uint32_t>(getpid()),
                                      std::chrono::milliseconds(200), 1000, ThisMachine(source));
  if (!profile.ok()) GTEST_SKIP() << profile.status();
  ASSERT_FALSE(profile->threads.empty());
  EXPECT_EQ(profile->threads[0].name, "busy<thread>");
  EXPECT_GT(profile->threads[0].samples, 0u);
  EXPECT_FALSE(profile->has_ended);
  const auto document = nlohmann::json::parse(ProcessProfileToJson(*profile));
  EXPECT_EQ(document["pid"], getpid());
  EXPECT_EQ(document["threads"][0]["name"], "busy<thread>");
  EXPECT_NE(ProcessProfileToText(*profile).find("busy<thread>"), std::string::npos);
  const TemporaryDirectory out;
  ASSERT_TRUE(WriteProcessReport(*profile, out.path()).ok());
  const auto page = ReadReportFile(out / "report.html");
  ASSERT_TRUE(page.ok());
  EXPECT_NE(page->find("busy&lt;thread&gt;"), std::string::npos);
}

TEST(ProcessProfile, CountsEachThreadByGroupsInTurns) {
  const BusyThread busy;
  FakeCounterSource source;
  const ProfileMachine machine = Zen4Machine(source);
  const auto profile = ProfileProcess(static_cast<uint32_t>(getpid()),
                                      std::chrono::milliseconds(500), 1000, machine);
  if (!profile.ok()) GTEST_SKIP() << profile.status();
  ASSERT_NE(profile->metrics.Find("retiring"), nullptr);
  EXPECT_NEAR(profile->metrics.Find("retiring")->value, 0.45, 1e-9);
  ASSERT_FALSE(profile->threads.empty());
  EXPECT_NE(profile->threads[0].metrics.Find("retiring"), nullptr);
  EXPECT_EQ(profile->metrics.Find("cycles_per_query"), nullptr) << "there are no queries";
  std::string notes;
  for (const std::string& note : profile->notes) notes += note + "\n";
  EXPECT_NE(notes.find("had no turn: watch the process for longer"), std::string::npos) << notes;
  const auto document = nlohmann::json::parse(ProcessProfileToJson(*profile));
  EXPECT_EQ(document["source"], "hardware");
  EXPECT_EQ(document["machine"]["table"], "zen4");
  EXPECT_TRUE(document["threads"][0]["metrics"].contains("retiring"));
  EXPECT_NE(ProcessProfileToText(*profile).find("backend_bound"), std::string::npos);
}

TEST(ProcessProfile, ListsInconsistentMetricsAndDroppedGroups) {
  const BusyThread busy;
  FakeCounterSource source;
  source.extra_no_ops = 1'000'000;
  source.multiplexed_event = "not_complete";
  const ProfileMachine machine = Zen4Machine(source);
  const auto profile = ProfileProcess(static_cast<uint32_t>(getpid()),
                                      std::chrono::milliseconds(700), 1000, machine);
  if (!profile.ok()) GTEST_SKIP() << profile.status();
  const std::string text = ProcessProfileToText(*profile);
  EXPECT_NE(text.find("the categories of level 1 add up to 1.167"), std::string::npos) << text;
  EXPECT_NE(text.find("the group 'memory bound' counted 50 % of the time"), std::string::npos);
  const TemporaryDirectory out;
  ASSERT_TRUE(WriteProcessReport(*profile, out.path()).ok());
  EXPECT_NE(ReadReportFile(out / "report.html")->find("add up to 1.167"), std::string::npos);
}

TEST(ProcessProfile, NotesTheGroupsThatAreRefused) {
  const BusyThread busy;
  FakeCounterSource source;
  source.refused_event = "no_ops";
  const ProfileMachine machine = Zen4Machine(source);
  const auto profile = ProfileProcess(static_cast<uint32_t>(getpid()),
                                      std::chrono::milliseconds(100), 1000, machine);
  if (!profile.ok()) GTEST_SKIP() << profile.status();
  ASSERT_FALSE(profile->notes.empty());
  EXPECT_EQ(profile->notes[0].find("the group 'level 1' was not counted"), 0u);
}

TEST(ProcessProfile, SaysThatThereIsNoSuchProcess) {
  const ProgramResult run =
      RunProgram({PMDEX_BINARY, "profile", "--pid", "1073741824", "--seconds", "1"});
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_NE(run.err.find("no such process"), std::string::npos) << run.err;
}

}  // namespace process_profile_test
}  // namespace pmdex
