#include "tools/server/users/user_views.h"

#include <algorithm>
#include <utility>

namespace pmdex {
namespace {

bool IsSameUser(const UserIdentity& a, const UserIdentity& b) {
  return a.uid == b.uid && a.gids == b.gids;
}

absl::StatusOr<std::shared_ptr<const ServedIndex>> ViewOf(const ServedIndex& index,
                                                          const UserIdentity& user) {
  auto view = std::make_shared<ServedIndex>(index);
  PMDEX_ASSIGN_OR_RETURN(view->searcher, index.searcher->ForUser(user));
  view->written = nullptr;
  view->is_of_a_user = true;
  return std::shared_ptr<const ServedIndex>(std::move(view));
}

}  // namespace

std::optional<UserViews::View> UserViews::Find(const UserIdentity& user) {
  MutexLock lock(&mutex_);
  const auto found = std::find_if(views_.begin(), views_.end(), [&user](const View& view) {
    return IsSameUser(view.user, user);
  });
  if (found == views_.end()) return std::nullopt;
  views_.splice(views_.begin(), views_, found);
  return views_.front();
}

void UserViews::Keep(View view) {
  MutexLock lock(&mutex_);
  std::erase_if(views_, [&view](const View& old) { return IsSameUser(old.user, view.user); });
  views_.push_front(std::move(view));
  if (views_.size() > kMostUsers) views_.pop_back();
}

void UserViews::KeepOnly(const std::shared_ptr<const ServedIndexes>& indexes) {
  MutexLock lock(&mutex_);
  if (kept_ == indexes) return;
  kept_ = indexes;
  for (View& view : views_) {
    if (view.whole == indexes) continue;
    auto whole = std::make_shared<ServedIndexes>();
    auto shown = std::make_shared<ServedIndexes>();
    for (size_t i = 0; i < view.whole->size(); ++i) {
      const auto& index = (*view.whole)[i];
      if (std::find(indexes->begin(), indexes->end(), index) == indexes->end()) continue;
      whole->push_back(index);
      shown->push_back((*view.shown)[i]);
    }
    view.whole = std::move(whole);
    view.shown = std::move(shown);
  }
}

absl::StatusOr<std::shared_ptr<const ServedIndexes>> UserViews::Get(
    const UserIdentity& user, const std::shared_ptr<const ServedIndexes>& indexes) {
  const std::optional<View> kept = Find(user);
  if (kept.has_value() && kept->whole == indexes) return kept->shown;
  auto shown = std::make_shared<ServedIndexes>();
  for (const auto& index : *indexes) {
    if (kept.has_value()) {
      const auto same = std::find(kept->whole->begin(), kept->whole->end(), index);
      if (same != kept->whole->end()) {
        shown->push_back((*kept->shown)[static_cast<size_t>(same - kept->whole->begin())]);
        continue;
      }
    }
    PMDEX_ASSIGN_OR_RETURN(shown->emplace_back(), ViewOf(*index, user));
  }
  std::shared_ptr<const ServedIndexes> view = std::move(shown);
  Keep({user, indexes, view});
  return view;
}

}  // namespace pmdex
