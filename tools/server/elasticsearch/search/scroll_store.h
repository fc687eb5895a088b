// Keeps searches whose pages are asked for one after the other (scroll). Each keeps its indexes as
// they were, expires some time after its last page, and there are only so many. A scroll belongs to
// the user that its search was made for: others do not find it. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
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

  // HttpRequest::user: of nullopt are all scrolls.
  using User = std::optional<uint32_t>;
  struct Limits {
    size_t all = 0;
    size_t of_one_user = 0;  // so that one leaves some to the others
  };

  explicit ScrollStore(const Limits& most) : most_(most) {}

  // Returns the id of the new scroll; ids cannot be guessed. An error (429) if there are too many.
  absl::StatusOr<std::string> Add(SearchRun run, const User& user,
                                  std::chrono::milliseconds keep_alive, Clock::time_point now);
  // The scroll of this id, which then expires keep_alive after now; nullptr if there is none.
  std::shared_ptr<Scroll> Find(std::string_view id, const User& user,
                               std::optional<std::chrono::milliseconds> keep_alive,
                               Clock::time_point now);
  // Return how many there were.
  size_t Remove(const std::vector<std::string>& ids, const User& user);
  size_t RemoveAll(const User& user);
  void RemoveExpired(Clock::time_point now);

  size_t size() const;

 private:
  struct Kept {
    std::shared_ptr<Scroll> scroll;
    User user;
    std::chrono::milliseconds keep_alive{};
    Clock::time_point expires;
    bool IsOf(const User& other) const { return !other.has_value() || user == other; }
  };

  absl::Status CheckRoomFor(const User& user) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Limits most_;
  mutable Mutex mutex_;
  std::map<std::string, Kept, std::less<>> scrolls_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmdex
