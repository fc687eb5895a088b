// Keeps searches whose pages are asked for one after the other (scroll). Each keeps its indexes as
// they were, expires some time after its last page, and there are only so many. Thread-safe.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "pmem/mutex.h"
#include "pmem/status.h"
#include "tools/server/elasticsearch/search/search_run.h"

namespace pmdex {

// A search that goes on. Whoever makes a page locks it.
struct Scroll {
  explicit Scroll(SearchRun started) : run(std::move(started)) {}
  Mutex mutex;
  SearchRun run ABSL_GUARDED_BY(mutex);
};

class ScrollStore {
 public:
  using Clock = std::chrono::steady_clock;

  explicit ScrollStore(size_t most) : most_(most) {}

  // Returns the id of the new scroll; ids cannot be guessed. An error (429) if there are too many.
  absl::StatusOr<std::string> Add(SearchRun run, std::chrono::milliseconds keep_alive,
                                  Clock::time_point now);
  // The scroll of this id, which then expires keep_alive after now; nullptr if there is none.
  std::shared_ptr<Scroll> Find(std::string_view id,
                               std::optional<std::chrono::milliseconds> keep_alive,
                               Clock::time_point now);
  // Return how many there were.
  size_t Remove(const std::vector<std::string>& ids);
  size_t RemoveAll();
  void RemoveExpired(Clock::time_point now);

  size_t size() const;

 private:
  struct Kept {
    std::shared_ptr<Scroll> scroll;
    std::chrono::milliseconds keep_alive{};
    Clock::time_point expires;
  };

  const size_t most_;
  mutable Mutex mutex_;
  std::map<std::string, Kept, std::less<>> scrolls_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmdex
