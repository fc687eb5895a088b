#include "tools/server/index_watcher.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "pmem/thread.h"
#include "tools/command.h"
#include "tools/server/http/thread_priority.h"

namespace pmdex {
namespace {

constexpr int kLookMilliseconds = 1000;
// A removed directory goes away only when its removed files are unmapped, so that the removal of
// manifests must tell.
constexpr uint32_t kWatched = IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

}  // namespace

absl::StatusOr<std::unique_ptr<IndexWatcher>> IndexWatcher::Start(IndexCatalog& catalog,
                                                                  std::function<void()> on_change) {
  std::unique_ptr<IndexWatcher> watcher(new IndexWatcher(catalog, std::move(on_change)));
  watcher->inotify_ = FileDescriptor(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  watcher->stop_ = FileDescriptor(eventfd(0, EFD_CLOEXEC));
  if (!watcher->stop_.valid()) return ErrnoStatus(errno, "eventfd");
  const size_t count = catalog.sources().size();
  watcher->watches_.assign(count, -1);
  watcher->changed_.assign(count, false);
  watcher->errors_.assign(count, "");
  PMDEX_ASSIGN_OR_RETURN(watcher->thread_, StartThread([self = watcher.get()] { self->Run(); }));
  return watcher;
}

IndexWatcher::~IndexWatcher() {
  const uint64_t one = 1;
  (void)!write(stop_.get(), &one, sizeof one);
  if (thread_.joinable()) thread_.join();
}

void IndexWatcher::Run() {
  LetLoopsGoAhead();  // mapping a generation takes a while
  while (true) {
    WatchAll();
    ReloadChanged();
    bool is_all_watched = true;
    for (const int watch : watches_) is_all_watched = is_all_watched && watch >= 0;
    std::array<pollfd, 2> waits = {pollfd{stop_.get(), POLLIN, 0},
                                   pollfd{inotify_.get(), POLLIN, 0}};
    const bool looks_again = !is_all_watched || catalog_.has_unused();
    poll(waits.data(), waits.size(), looks_again ? kLookMilliseconds : -1);
    if (waits[0].revents != 0) return;
    ReadEvents();
    catalog_.DropUnused();
  }
}

// A generation that is published before its directory is watched must not be missed, so that a new
// watch always counts as a change.
void IndexWatcher::WatchAll() {
  for (size_t i = 0; i < watches_.size(); ++i) {
    if (watches_[i] >= 0) continue;
    watches_[i] =
        inotify_add_watch(inotify_.get(), catalog_.sources()[i].directory.c_str(), kWatched);
    changed_[i] = true;
  }
}

void IndexWatcher::ReadEvents() {
  alignas(inotify_event) std::array<char, 16384> buffer;
  ssize_t size = 0;
  while ((size = read(inotify_.get(), buffer.data(), buffer.size())) > 0) {
    for (ssize_t at = 0; at < size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      at += static_cast<ssize_t>(sizeof(inotify_event)) + event->len;
      const bool is_lost = (event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED)) != 0;
      const bool is_manifest =
          event->len > 0 && std::string_view(event->name).starts_with("manifest-");
      for (size_t i = 0; i < watches_.size(); ++i) {
        if ((event->mask & IN_Q_OVERFLOW) != 0) changed_[i] = true;
        if (watches_[i] != event->wd) continue;
        if (is_manifest) changed_[i] = true;
        if ((event->mask & IN_MOVE_SELF) != 0) inotify_rm_watch(inotify_.get(), event->wd);
        if (is_lost) watches_[i] = -1;
      }
    }
  }
}

void IndexWatcher::ReloadChanged() {
  for (size_t i = 0; i < changed_.size(); ++i) {
    if (!changed_[i]) continue;
    changed_[i] = false;
    const absl::StatusOr<bool> reloaded = catalog_.Reload(i);
    if (reloaded.ok()) {
      errors_[i].clear();
      if (*reloaded) on_change_();
      continue;
    }
    // The directory may be gone or replaced: it is opened by its path again until that succeeds.
    if (watches_[i] >= 0) inotify_rm_watch(inotify_.get(), watches_[i]);
    watches_[i] = -1;
    std::string error(Message(reloaded.status()));
    if (error == errors_[i]) continue;
    Warn(absl::StrCat("index ", catalog_.sources()[i].name,
                      ": the open generation goes on answering: ", error));
    errors_[i] = std::move(error);
  }
}

}  // namespace pmdex
