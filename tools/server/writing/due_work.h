// A thread that does a piece of work whenever it is due or somebody calls for it. Thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"

#include "pmem/mutex.h"
#include "pmem/status.h"

namespace pmdex {

class DueWork {
 public:
  // Does the work and returns after how long it is due again. Called by the thread alone.
  using Work = std::function<std::chrono::milliseconds()>;

  // first: after how long the work is due if nobody calls for it. Returns the errors of
  // StartThread.
  static absl::StatusOr<std::unique_ptr<DueWork>> Start(std::chrono::milliseconds first, Work work);
  // Waits for the work that is being done.
  ~DueWork();
  DueWork(const DueWork&) = delete;
  DueWork& operator=(const DueWork&) = delete;

  // The work will be done once more, and begins after this call.
  void Call();

 private:
  explicit DueWork(Work work) : work_(std::move(work)) {}
  void Run(std::chrono::milliseconds wait);
  bool IsCalled() const ABSL_NO_THREAD_SAFETY_ANALYSIS { return is_called_ || stop_; }

  const Work work_;
  Mutex mutex_;
  bool is_called_ ABSL_GUARDED_BY(mutex_) = false;
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace pmdex
