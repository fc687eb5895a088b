#include "tools/server/http/work_pool.h"

#include <utility>

#include "pmem/numa_placement.h"
#include "pmem/thread.h"
#include "tools/server/http/thread_priority.h"

namespace pmdex {

absl::StatusOr<std::unique_ptr<WorkPool>> WorkPool::Start(const WorkPoolOptions& options) {
  std::unique_ptr<WorkPool> pool(new WorkPool(options));
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

void WorkPool::Run() {
  LetLoopsGoAhead();
  if (!options_.cpus.empty()) (void)RunOnCpus(options_.cpus);  // slower without, but right
  while (true) {
    Waiting next;
    {
      MutexLock lock(&mutex_);
      mutex_.Await(this, &WorkPool::HasWorkOrEnds);
      if (queue_.empty()) return;
      next = std::move(queue_.begin()->second);
      queue_.erase(queue_.begin());
      ++running_;
    }
    if (next.Begin()) next.work();
    MutexLock lock(&mutex_);
    --running_;
  }
}

}  // namespace pmdex
