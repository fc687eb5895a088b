// Threads that answer heavy requests, with a bounded queue before them. The kernel prefers the
// threads of the event loops to them, so that no cheap request waits behind a heavy one. In the
// queue, work goes ahead of work that is much heavier (WorkPool::Submit). Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "pmem/mutex.h"
#include "pmem/status.h"

namespace pmdex {

struct WorkPoolOptions {
  size_t threads = 1;
  size_t most_waiting = 256;
  std::vector<int> cpus;  // on which the threads may run; empty for all
};

// Work that waits for its turn. Thread-safe.
class WorkTicket {
 public:
  // True for the first caller alone: the thread that begins the work, or who drops it.
  bool Take() { return !is_taken_.exchange(true, std::memory_order_relaxed); }
  bool is_taken() const { return is_taken_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> is_taken_{false};
};

class WorkPool {
 public:
  // kResourceExhausted if no thread can be started.
  static absl::StatusOr<std::unique_ptr<WorkPool>> Start(const WorkPoolOptions& options);
  // Does the work that is waiting, then ends the threads.
  ~WorkPool();

  // Returns false, and does not take the work, if the queue is full. Work throws nothing but
  // std::bad_alloc, which is its own to handle. estimate: how long the work is likely to take. Work
  // may wait kPatience times as long as it takes: of all that waits, the threads take what reaches
  // that time first. So clients that ask for little do not wait behind those that ask for much, and
  // everything has its turn.
  static constexpr int kPatience = 10;
  // ticket: who takes it before its turn drops the work. May be nullptr.
  using Ticket = std::shared_ptr<WorkTicket>;
  bool Submit(std::chrono::microseconds estimate, std::function<void()> work, Ticket ticket = {});

  size_t waiting() const;
  size_t running() const;

 private:
  struct Waiting {
    std::function<void()> work;
    Ticket ticket;
    bool IsDropped() const { return ticket != nullptr && ticket->is_taken(); }
    bool Begin() const { return ticket == nullptr || ticket->Take(); }
  };

  explicit WorkPool(const WorkPoolOptions& options) : options_(options) {}
  void Run();
  void AwaitWork(WakeUp& wake_up) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WakeOne() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const WorkPoolOptions options_;
  mutable Mutex mutex_;
  // By the time at which the work has waited long enough; of equal times the first to come first.
  std::multimap<std::chrono::steady_clock::time_point, Waiting> queue_ ABSL_GUARDED_BY(mutex_);
  // Of the threads that wait for work. The last one began to wait last, and is the next to work:
  // what it used is in the caches, and what it freed is there to be allocated again.
  std::vector<WakeUp*> idle_ ABSL_GUARDED_BY(mutex_);
  size_t running_ ABSL_GUARDED_BY(mutex_) = 0;
  bool ends_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace pmdex
