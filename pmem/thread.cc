#include "pmem/thread.h"

#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "pmem/exhaustion.h"
#include "pmem/mutex.h"

namespace pmdex {
namespace {

// The first error of several threads.
class FirstError {
 public:
  void Update(const absl::Status& status) ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(&mutex_);
    status_.Update(status);
  }
  absl::Status Take() ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(&mutex_);
    return status_;
  }

 private:
  Mutex mutex_;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

absl::StatusOr<std::thread> StartThread(std::function<void()> body) {
  try {
    return std::thread(std::move(body));
  } catch (const std::system_error& error) {
    return Exhausted(Resource::kThreads, std::string("cannot start a thread: ") + error.what());
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  }
}

absl::Status RunOnThreads(size_t threads, const std::function<absl::Status(size_t)>& work) {
  OutOfMemory().IgnoreError();  // makes it while there is memory
  FirstError error;
  const auto run = [&](size_t number) {
    error.Update(CatchOutOfMemory([&] { return work(number); }));
  };
  std::vector<std::thread> others;
  const absl::Status started = CatchOutOfMemory([&]() -> absl::Status {
    others.reserve(threads - 1);
    for (size_t number = 1; number < threads; ++number) {
      PMDEX_ASSIGN_OR_RETURN(std::thread other, StartThread([&run, number] { run(number); }));
      others.push_back(std::move(other));
    }
    return absl::OkStatus();
  });
  started.IgnoreError();  // those that run do the work of the others
  run(0);
  for (std::thread& other : others) other.join();
  return error.Take();
}

}  // namespace pmdex
