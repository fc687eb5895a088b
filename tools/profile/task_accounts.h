// What the kernel keeps of the threads of a process in any case: /proc/PID/task/*/stat, schedstat
// and status. It stands in for samples and counters where perf_event_open(2) is refused. It says
// how much each thread ran, waited and faulted, and nothing of where.
//
//   PMDEX_ASSIGN_OR_RETURN(TaskWatch watch, TaskWatch::Start(pid));
//   ... some seconds, with a Look() a few times a second ...
//   const ProcessAccounts accounts = watch.Take();
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pmem/status.h"

namespace pmdex {

// What a thread or a process did between two looks. What the kernel does not tell is absent, never
// 0: a 0 was counted.
struct TaskAccount {
  std::optional<double> cpu_s;  // in user and kernel space
  // The kernel divides CPU time by its ticks: only of 100 ms and more, and only a part of a tick
  // or more.
  std::optional<double> user_s;
  std::optional<double> system_s;
  std::optional<double> wait_s;  // ready to run, while others had the CPU
  std::optional<uint64_t> minor_faults;
  std::optional<uint64_t> major_faults;
  std::optional<uint64_t> voluntary_switches;    // the thread waited for something
  std::optional<uint64_t> involuntary_switches;  // the kernel gave the CPU to another one
};

struct ThreadAccount {
  uint32_t thread = 0;
  std::string name;
  bool has_ended = false;  // counted up to the last look before its end
  TaskAccount account;
};

struct ProcessAccounts {
  // CPU time and faults have those of threads that no look has seen; waits and switches are the sum
  // of `threads`.
  TaskAccount whole;
  std::vector<ThreadAccount> threads;  // by falling CPU time; only those that did something
  uint64_t idle_threads = 0;           // the other ones
  std::vector<std::string> notes;      // what this kernel does not tell
};

// The kernel's numbers of one task since it began.
struct TaskNumbers {
  std::string name;
  char state = '?';  // 'Z' and 'X': it has ended
  uint64_t minor_faults = 0;
  uint64_t major_faults = 0;
  uint64_t user_ticks = 0;  // of sysconf(_SC_CLK_TCK) a second
  uint64_t system_ticks = 0;
  uint64_t start_ticks = 0;        // since the machine started: tells tasks with one number apart
  std::optional<uint64_t> run_ns;  // nullopt, here and below: the kernel has no readable number
  std::optional<uint64_t> wait_ns;
  std::optional<uint64_t> voluntary_switches;
  std::optional<uint64_t> involuntary_switches;
};

// Of the task whose files lie in `directory`, as they stand there: zeros, too, where nobody counts.
// nullopt if it has no readable `stat`.
std::optional<TaskNumbers> ReadTaskNumbers(const std::string& directory);

// For one thread.
class TaskWatch {
 public:
  // Reads all threads of the process. proc: where /proc is; tests give a made-up one. Returns
  // kNotFound if there is no such process, or /proc hides it.
  static absl::StatusOr<TaskWatch> Start(uint32_t pid, const std::string& proc = "/proc");

  // Reads all threads again, and takes in those that have started. What a thread does between the
  // last look and its end is missing from it.
  void Look();
  bool has_ended() const { return has_ended_; }      // at the last look
  const std::string& name() const { return name_; }  // of the process
  // What was done from the start to the last look.
  ProcessAccounts Take() const;

 private:
  struct Watched {
    uint32_t thread = 0;
    TaskNumbers begin;  // for a thread that started later: zeros
    TaskNumbers end;
    bool has_ended = false;
  };

  explicit TaskWatch(std::string directory) : directory_(std::move(directory)) {}
  void LookAtThreads(bool is_first);

  std::string directory_;  // of the process
  std::string name_;
  TaskNumbers begin_;
  TaskNumbers end_;
  std::map<uint32_t, Watched> threads_;
  std::vector<Watched> replaced_;  // whose numbers new threads have taken
  std::set<uint32_t> unread_;      // listed at the start, but not readable then
  bool has_ended_ = false;
};

}  // namespace pmdex
