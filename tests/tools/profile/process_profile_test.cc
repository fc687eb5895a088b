#include "tools/profile/process_profile.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>

#include "gtest/gtest.h"

#include "nlohmann/json.hpp"
#include "tests/support/background_program.h"
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
  EXPECT_NE(ProcessProfileToText(*profile).find("backend"), std::string::npos);
}

TEST(ProcessProfile, SaysThatItHasNoTableForACpu) {
  const BusyThread busy;
  FakeCounterSource source;
  ProfileMachine machine = Zen4Machine(source);
  const auto has_note = [&] {
    const auto profile = ProfileProcess(static_cast<uint32_t>(getpid()),
                                        std::chrono::milliseconds(50), 1000, machine);
    EXPECT_TRUE(profile.ok()) << profile.status();
    return profile.ok() &&
           ProcessProfileToText(*profile).find("no table for this CPU") != std::string::npos;
  };
  EXPECT_FALSE(has_note());
  machine.cpu.family = 0x99;
  EXPECT_TRUE(has_note());
  machine.pmu = {PmuCause::kHidden, "the hypervisor hides it", "use another machine"};
  EXPECT_FALSE(has_note()) << "nothing of the PMU is counted";
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

// A kernel that answers this to each attempt to sample.
OpenEvent Refusing(int error) {
  return [error](perf_event_attr*, int, int, int, unsigned) {
    errno = error;
    return -1;
  };
}

absl::StatusOr<ProcessProfile> ProfileRefused(int error) {
  PerfCounterSource source;
  return ProfileProcess(static_cast<uint32_t>(getpid()), std::chrono::milliseconds(300), 1000,
                        ThisMachine(source), Refusing(error));
}

TEST(ProcessProfile, HasTheAccountsOfTheKernelWhereSamplesAreRefused) {
  const BusyThread busy;
  const auto profile = ProfileRefused(EPERM);
  ASSERT_TRUE(profile.ok()) << profile.status();
  ASSERT_TRUE(profile->accounts.has_value());
  EXPECT_EQ(profile->samples, 0u);
  EXPECT_NE(profile->no_samples.cause, PmuCause::kNone);
  ASSERT_FALSE(profile->accounts->threads.empty());
  EXPECT_EQ(profile->accounts->threads[0].name, "busy<thread>");
  EXPECT_GT(profile->accounts->threads[0].account.cpu_s.value_or(0), 0);

  const auto document = nlohmann::json::parse(ProcessProfileToJson(*profile));
  EXPECT_EQ(document["source"], "accounts");
  EXPECT_EQ(document["why_no_samples"]["cause"], ToString(profile->no_samples.cause));
  EXPECT_EQ(document["threads"][0]["name"], "busy<thread>");
  EXPECT_GT(document["process"]["cpu_s"], 0);
  EXPECT_FALSE(document["machine"].contains("table"));
  for (const char* key : {"samples", "lost", "phases", "metrics"}) {
    EXPECT_FALSE(document.contains(key)) << key << " was not measured";
  }
  const std::string text = ProcessProfileToText(*profile);
  EXPECT_NE(text.find("accounts in /proc"), std::string::npos) << text;
  EXPECT_NE(text.find(profile->no_samples.change), std::string::npos) << text;
  EXPECT_EQ(text.find("0 samples"), std::string::npos) << text;
  const TemporaryDirectory out;
  ASSERT_TRUE(WriteProcessReport(*profile, out.path()).ok());
  const auto page = ReadReportFile(out / "report.html");
  ASSERT_TRUE(page.ok());
  EXPECT_NE(page->find("busy&lt;thread&gt;"), std::string::npos);
  EXPECT_NE(page->find("so that nothing is known of phases"), std::string::npos);
  EXPECT_EQ(page->find("Flame graph"), std::string::npos);
}

TEST(ProcessProfile, NamesACauseOnceIfItIsThatOfTheCountersToo) {
  ProcessProfile profile;
  profile.accounts.emplace();
  profile.no_samples = {PmuCause::kSeccomp, "a filter", "remove it"};
  profile.pmu = profile.no_samples;
  const std::string once = ProcessProfileToText(profile);
  EXPECT_NE(once.find("note: no samples and no hardware counters"), std::string::npos) << once;
  EXPECT_EQ(once.find("a filter"), once.rfind("a filter")) << once;
  profile.pmu = {PmuCause::kHidden, "a hypervisor", "ask it"};
  const std::string both = ProcessProfileToText(profile);
  EXPECT_NE(both.find("note: no samples, so that"), std::string::npos) << both;
  EXPECT_NE(both.find("note: no hardware counters: a hypervisor"), std::string::npos) << both;
}

TEST(ProcessProfile, SaysWhyEachErrorKeepsItFromSampling) {
  for (const int error : {EACCES, EPERM, ENOSYS, ENODEV, ENOENT, EMFILE, EINVAL}) {
    PerfCounterSource source;
    const auto profile =
        ProfileProcess(static_cast<uint32_t>(getpid()), std::chrono::milliseconds(1), 1000,
                       ThisMachine(source), Refusing(error));
    ASSERT_TRUE(profile.ok()) << profile.status();
    EXPECT_TRUE(profile->accounts.has_value()) << error;
    EXPECT_NE(profile->no_samples.why, "") << error;
    EXPECT_NE(profile->no_samples.change, "") << error;
  }
}

TEST(ProcessProfile, NotesThreadsThatCannotBeSampledBesideOthers) {
  const BusyThread busy;
  int calls = 0;
  PerfCounterSource source;
  const auto profile = ProfileProcess(
      static_cast<uint32_t>(getpid()), std::chrono::milliseconds(100), 1000, ThisMachine(source),
      [&](perf_event_attr* attributes, int thread, int cpu, int group, unsigned flags) {
        if (++calls > 1) {
          errno = EMFILE;
          return -1;
        }
        return OpenPerfEvent(attributes, thread, cpu, group, flags);
      });
  ASSERT_TRUE(profile.ok()) << profile.status();
  if (profile->accounts.has_value()) GTEST_SKIP() << profile->no_samples.why;
  ASSERT_FALSE(profile->notes.empty());
  EXPECT_EQ(profile->notes[0].find("threads that could not be sampled: "), 0u);
}

// As the filter of a container does it. Async-signal-safe.
void ForbidPerfEvents() {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {sizeof(rules) / sizeof(rules[0]), rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    _exit(77);
  }
}

TEST(ProcessProfile, CountsARealProcessUnderAFilterWithoutPerfEvents) {
  const BackgroundProgram process({"/bin/sh", "-c", "while :; do :; done"});
  ProgramOptions options;
  options.prepare = ForbidPerfEvents;
  const ProgramResult run = RunProgram(
      {PMDEX_BINARY, "profile", "--pid", std::to_string(process.pid()), "--seconds", "1", "--json"},
      options);
  if (run.exit_status == 77) GTEST_SKIP() << "this kernel has no seccomp filters";
  ASSERT_EQ(run.exit_status, 0) << run.err;
  const auto document = nlohmann::json::parse(run.out);
  EXPECT_EQ(document["source"], "accounts");
  EXPECT_EQ(document["command"], "sh");
  EXPECT_EQ(document["threads"][0]["thread"], process.pid());
  EXPECT_GT(document["threads"][0]["cpu_s"], 0);
  EXPECT_FALSE(document["ended"]);
}

TEST(ProcessProfile, SaysThatThereIsNoSuchProcess) {
  const ProgramResult run =
      RunProgram({PMDEX_BINARY, "profile", "--pid", "1073741824", "--seconds", "1"});
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_NE(run.err.find("no such process"), std::string::npos) << run.err;
}

}  // namespace process_profile_test
}  // namespace pmdex
