#include "tools/server/http/work_pool.h"

#include <utility>

#include "pmem/numa_placement.h"
#include "pmem/thread.h"
#include "tools/server/http/thread_priority.h"

namespace pmdex {

absl::StatusOr<std::unique_ptr<WorkPool>> WorkPool::Start(const WorkPoolOptions& options) {
  std::unique_ptr<WorkPool> pool(new WorkPool(options));
  {
    MutexLock lock(&pool->mutex_);
    pool->idle_.reserve(options.threads);  // no thread needs memory to wait
  }
  for (size_t i = 0; i < options.threads; ++i) {
    auto thread = StartThread([self = pool.get()] { self->Run(); });
    if (thread.ok()) {
      pool->threads_.push_back(*std::move(thread));
    } else if (i == 0) {
      return thread.status();
    }
  }
  return pool;
}

WorkPool::~WorkPool() {
  {
    MutexLock lock(&mutex_);
    ends_ = true;
    while (!idle_.empty()) WakeOne();
  }
  for (std::thread& thread : threads_) thread.join();
}

bool WorkPool::Submit(std::chrono::microseconds estimate, std::function<void()> work,
                      Ticket ticket) {
  const auto due = std::chrono::steady_clock::now() + kPatience * estimate;
  MutexLock lock(&mutex_);
  if (queue_.size() >= options_.most_waiting) {
    std::erase_if(queue_, [](const auto& waiting) { return waiting.second.IsDropped(); });
  }
  if (queue_.size() >= options_.most_waiting) return false;
  queue_.emplace(due, Waiting{std::move(work), std::move(ticket)});
  if (!idle_.empty()) WakeOne();
  return true;
}

size_t WorkPool::waiting() const {
  MutexLock lock(&mutex_);
  return queue_.size();
}

size_t WorkPool::running() const {
  MutexLock lock(&mutex_);
  return running_;
}

void WorkPool::WakeOne() {
  idle_.back()->Send();
  idle_.pop_back();
}

// Another thread may have taken the work that this one was woken for.
void WorkPool::AwaitWork(WakeUp& wake_up) {
  while (queue_.empty() && !ends_) {
    idle_.push_back(&wake_up);
    wake_up.Await(&mutex_);
  }
}

void WorkPool::Run() {
  LetLoopsGoAhead();
  if (!options_.cpus.empty()) (void)RunOnCpus(options_.cpus);  // slower without, but right
  WakeUp wake_up;
  mutex_.Lock();
  while (true) {
    AwaitWork(wake_up);
    if (queue_.empty()) break;
    Waiting next = std::move(queue_.begin()->second);
    queue_.erase(queue_.begin());
    ++running_;
    mutex_.Unlock();
    if (next.Begin()) next.work();
    next = {};  // without the lock
    mutex_.Lock();
    --running_;
  }
  mutex_.Unlock();
}

}  // namespace pmdex
