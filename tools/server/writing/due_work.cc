#include "tools/server/writing/due_work.h"

#include "pmem/thread.h"

namespace pmdex {

absl::StatusOr<std::unique_ptr<DueWork>> DueWork::Start(std::chrono::milliseconds first,
                                                        Work work) {
  std::unique_ptr<DueWork> due(new DueWork(std::move(work)));
  PMDEX_ASSIGN_OR_RETURN(due->thread_,
                         StartThread([self = due.get(), first] { self->Run(first); }));
  return due;
}

DueWork::~DueWork() {
  {
    MutexLock lock(&mutex_);
    stop_ = true;
  }
  if (thread_.joinable()) thread_.join();
}

void DueWork::Call() {
  MutexLock lock(&mutex_);
  is_called_ = true;
}

void DueWork::Run(std::chrono::milliseconds wait) {
  while (true) {
    {
      MutexLock lock(&mutex_);
      mutex_.AwaitFor(wait, this, &DueWork::IsCalled);
      if (stop_) return;
      is_called_ = false;
    }
    wait = work_();
  }
}

}  // namespace pmdex
