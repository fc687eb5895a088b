// Counts of one process by PerfCounterSource and by `perf stat` at the same time. Software events
// wherever perf is installed; raw hardware events where this machine has a PMU.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "pmem/pmu_probe.h"
#include "pmem/status.h"
#include "tests/support/run_program.h"
#include "tools/child_process.h"
#include "tools/counters/event_table.h"
#include "tools/counters/perf_counters.h"
#include "tools/report/report_files.h"

namespace pmdex {
namespace perf_stat_test {

// Work whose page faults, instructions and branches are many.
void Work() {
  constexpr size_t kPages = 5000;
  const auto page = static_cast<size_t>(getpagesize());
  void* memory =
      mmap(nullptr, kPages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(memory, kPages * page, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < kPages; ++i) static_cast<volatile char*>(memory)[i * page] = 1;
  volatile uint64_t sink = 0;
  for (uint64_t i = 0; i < 50'000'000; ++i) sink = sink + i;
}

// A process that waits until it is told to work, and then ends.
class Worker {
 public:
  Worker() {
    EXPECT_EQ(pipe(go_.data()), 0);
    pid_ = fork();
    if (pid_ != 0) return;
    char byte;
    (void)!read(go_[0], &byte, 1);
    Work();
    _exit(0);
  }
  ~Worker() {
    close(go_[0]);
    close(go_[1]);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  int pid() const { return pid_; }
  void WorkAndEnd() {
    (void)!write(go_[1], "g", 1);
    waitpid(pid_, nullptr, 0);
  }

 private:
  std::array<int, 2> go_ = {};
  int pid_ = 0;
};

// The counts in the lines of `perf stat -x,`: "5001,,page-faults:u,...", in their order.
std::vector<double> CountsOf(const std::string& text) {
  std::vector<double> counts;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    char* end = nullptr;
    const double count = std::strtod(line.c_str(), &end);
    if (*end == ',' && end != line.c_str()) counts.push_back(count);
  }
  return counts;
}

// Counts the work of a process by both and compares. perf_names: how perf names the events. The two
// do not begin at the same moment, so that events of the PMU that are rare may differ by some.
// Returns an error if the events cannot be counted here.
absl::Status Compare(const std::vector<CounterEvent>& events, const std::string& perf_names) {
  const TemporaryDirectory out;
  Worker worker;
  auto counters = PerfCounterSource().OpenForThread(events, worker.pid());
  std::thread perf([&] {
    (void)RunChild({"perf", "stat", "-x,", "-e", perf_names, "-o", out / "counts", "-p",
                    std::to_string(worker.pid())});
  });
  std::this_thread::sleep_for(std::chrono::seconds(1));  // perf attaches meanwhile
  worker.WorkAndEnd();
  perf.join();
  PMDEX_RETURN_IF_ERROR(counters.status());
  PMDEX_ASSIGN_OR_RETURN(const auto ours, (*counters)->Read());
  PMDEX_ASSIGN_OR_RETURN(const std::string text, ReadReportFile(out / "counts"));
  const std::vector<double> theirs = CountsOf(text);
  EXPECT_EQ(theirs.size(), events.size()) << text;
  if (theirs.size() != events.size()) return absl::OkStatus();
  const bool is_hardware = events[0].type != EventType::kSoftware;
  for (size_t i = 0; i < events.size(); ++i) {
    if (!is_hardware || events[i].never_zero) {
      EXPECT_GT(theirs[i], 0) << events[i].name;
    }
    EXPECT_NEAR(static_cast<double>(ours.counts[i]), theirs[i],
                std::max(0.01 * theirs[i], is_hardware ? 200.0 : 0.0))
        << events[i].name << ", " << perf_names;
  }
  return absl::OkStatus();
}

// How perf names a raw event in user space.
std::string PerfNameOf(const CounterEvent& event) {
  std::array<char, 32> code;
  std::snprintf(code.data(), code.size(), "r%llx:u", static_cast<unsigned long long>(event.config));
  return code.data();
}

TEST(PerfStat, CountsSoftwareEventsAlike) {
  if (!RunChild({"perf", "--version"}).ok()) GTEST_SKIP() << "perf is not installed";
  const absl::Status status = Compare({*SoftwareTable().FindEvent("page_faults")}, "page-faults:u");
  if (!status.ok()) GTEST_SKIP() << status;
}

// Both count at the same time and need a counter each for every event: two events at a time are few
// enough that the kernel never shares counters out.
TEST(PerfStat, CountsRawEventsOfEachGroupAlike) {
  if (!RunChild({"perf", "--version"}).ok()) GTEST_SKIP() << "perf is not installed";
  if (ProbePmu().state != PmuState::kWorks) GTEST_SKIP() << "no PMU that counts";
  const EventTable& table = TableOf(ThisCpu());
  if (table.width == 0) GTEST_SKIP() << "no table for this CPU";
  std::set<std::string_view> seen;  // events such as cycles are in several groups
  size_t compared = 0;
  std::string refused;
  for (const EventGroup& group : table.groups) {
    SCOPED_TRACE(std::string(group.name));
    std::vector<CounterEvent> events;
    for (const std::string_view name : group.events) {
      const CounterEvent* const event = table.FindEvent(name);
      ASSERT_NE(event, nullptr) << name;
      if (event->type == EventType::kRaw && seen.insert(name).second) events.push_back(*event);
    }
    for (size_t i = 0; i < events.size(); i += 2) {
      std::vector<CounterEvent> some = {events[i]};
      std::string names = PerfNameOf(events[i]);
      if (i + 1 < events.size()) {
        some.push_back(events[i + 1]);
        names += "," + PerfNameOf(events[i + 1]);
      }
      const absl::Status status = Compare(some, names);
      if (status.ok()) ++compared;
      if (!status.ok()) refused += names + ": " + status.ToString() + "\n";
    }
  }
  EXPECT_GT(compared, 0u) << refused;
  if (!refused.empty()) GTEST_SKIP() << "not compared: " << refused;
}

}  // namespace perf_stat_test
}  // namespace pmdex
