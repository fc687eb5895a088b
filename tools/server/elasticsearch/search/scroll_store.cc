#include "tools/server/elasticsearch/search/scroll_store.h"

#include <algorithm>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "tools/server/elasticsearch/api_error.h"

namespace pmdex {
namespace {

// 128 bits of the system's random numbers.
std::string NewScrollId() {
  std::random_device random;
  std::string id;
  for (int i = 0; i < 4; ++i) absl::StrAppend(&id, absl::StrFormat("%08x", random()));
  return id;
}

}  // namespace

absl::Status ScrollStore::CheckRoomFor(const User& user) const {
  const auto is_of_user = [&user](const auto& kept) { return kept.second.user == user; };
  const bool is_full = scrolls_.size() >= most_.all;
  const auto own = static_cast<size_t>(std::count_if(scrolls_.begin(), scrolls_.end(), is_of_user));
  if (!is_full && (!user.has_value() || own < most_.of_one_user)) return absl::OkStatus();
  return ApiError(429, "rejected_execution_exception",
                  absl::StrCat("Trying to create too many scroll contexts. Must be less than or "
                               "equal to: [",
                               is_full ? most_.all : most_.of_one_user, "]."));
}

absl::StatusOr<std::string> ScrollStore::Add(SearchRun run, const User& user,
                                             std::chrono::milliseconds keep_alive,
                                             Clock::time_point now) {
  RemoveExpired(now);
  MutexLock lock(&mutex_);
  PMDEX_RETURN_IF_ERROR(CheckRoomFor(user));
  std::string id = NewScrollId();
  scrolls_[id] = {std::make_shared<Scroll>(std::move(run)), user, keep_alive, now + keep_alive};
  return id;
}

std::shared_ptr<Scroll> ScrollStore::Find(std::string_view id, const User& user,
                                          std::optional<std::chrono::milliseconds> keep_alive,
                                          Clock::time_point now) {
  RemoveExpired(now);
  MutexLock lock(&mutex_);
  const auto found = scrolls_.find(id);
  if (found == scrolls_.end() || !found->second.IsOf(user)) return nullptr;
  Kept& kept = found->second;
  kept.keep_alive = keep_alive.value_or(kept.keep_alive);
  kept.expires = now + kept.keep_alive;
  return kept.scroll;
}

size_t ScrollStore::Remove(const std::vector<std::string>& ids, const User& user) {
  MutexLock lock(&mutex_);
  size_t removed = 0;
  for (const std::string& id : ids) {
    const auto found = scrolls_.find(id);
    if (found == scrolls_.end() || !found->second.IsOf(user)) continue;
    scrolls_.erase(found);
    ++removed;
  }
  return removed;
}

size_t ScrollStore::RemoveAll(const User& user) {
  MutexLock lock(&mutex_);
  return std::erase_if(scrolls_, [&user](const auto& kept) { return kept.second.IsOf(user); });
}

void ScrollStore::RemoveExpired(Clock::time_point now) {
  MutexLock lock(&mutex_);
  std::erase_if(scrolls_, [now](const auto& kept) { return kept.second.expires <= now; });
}

size_t ScrollStore::size() const {
  MutexLock lock(&mutex_);
  return scrolls_.size();
}

}  // namespace pmdex
