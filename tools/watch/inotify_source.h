// Changes from inotify(7), which any user may use. It watches single directories, so that this
// source sets one watch for each directory of a tree, and new ones as directories appear. What was
// made in a directory before its watch was set is found by a scan of it (kRescan).
//
// The kernel limits the watches of a user (fs.inotify.max_user_watches). Directories beyond the
// limit, and those that this process may not read, are not watched; is_partial() then says that the
// trees must be scanned from time to time. So it does while a root is gone: WatchAgain looks for
// it.
#pragma once

#include <sys/inotify.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pmem/file_descriptor.h"
#include "tools/watch/change_source.h"
#include "tools/watch/tree_root.h"
#include "tools/watch/watched_directories.h"

namespace pmdex {

class InotifySource final : public ChangeSource {
 public:
  // The roots outlive the source. Returns the errors of inotify_init1(2), and of a root that cannot
  // be watched.
  static absl::StatusOr<std::unique_ptr<ChangeSource>> Open(const std::vector<TreeRoot>& roots);

  std::string_view name() const override { return "inotify"; }
  int descriptor() const override { return inotify_.get(); }
  absl::Status Read(const ChangeSink& sink) override;
  uint64_t overflows() const override { return overflows_; }
  std::string TakeWarning() override { return std::exchange(warning_, {}); }
  bool is_partial() const override { return unwatched_ > 0 || !lost_roots_.empty(); }
  absl::Status WatchAgain() override;

 private:
  // The first half of a rename; the other half follows it, unless the file leaves the watched
  // trees.
  struct MovedFrom {
    uint32_t cookie = 0;
    std::string path;
  };

  InotifySource(const std::vector<TreeRoot>& roots, FileDescriptor inotify)
      : roots_(roots), inotify_(std::move(inotify)) {}

  // Watches the directory and all below it.
  absl::Status WatchBelow(const TreeRoot& root, const std::string& directory);
  void WatchDirectory(const TreeRoot& root, const std::string& path, int fd);
  void CountUnwatched(const std::string& path, int error);
  absl::Status HandleLostRoot(const TreeRoot& root, const ChangeSink& sink);
  void UnwatchBelow(const std::string& directory);
  absl::Status Handle(const inotify_event& event, std::string_view name, const ChangeSink& sink);
  absl::Status HandleEntry(const inotify_event& event, const std::string& path,
                           const ChangeSink& sink);
  absl::Status HandleArrival(const inotify_event& event, const std::string& path,
                             const ChangeSink& sink);
  absl::Status RescanAll(const ChangeSink& sink);
  void EndMove(const ChangeSink& sink);
  const TreeRoot* RootOf(std::string_view path) const;

  const std::vector<TreeRoot>& roots_;
  const FileDescriptor inotify_;
  WatchedDirectories directories_;
  std::optional<MovedFrom> moved_from_;
  // Directories for which no watch was left, or that this process may not read.
  uint64_t unwatched_ = 0;
  std::set<std::string> lost_roots_;  // whose directories were removed or renamed
  uint64_t overflows_ = 0;
  std::string warning_;
};

}  // namespace pmdex
