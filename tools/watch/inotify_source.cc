#include "tools/watch/inotify_source.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

#include "tools/watch/tree_scan.h"

namespace pmdex {
namespace {

constexpr uint32_t kWatchedChanges = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM |
                                     IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF |
                                     IN_ONLYDIR;
constexpr size_t kInotifyBufferBytes = size_t{64} << 10;
// So many buffers are read before the caller takes note of the changes, and of the time.
constexpr int kMostInotifyBuffers = 16;

}  // namespace

absl::StatusOr<std::unique_ptr<ChangeSource>> InotifySource::Open(
    const std::vector<TreeRoot>& roots) {
  FileDescriptor inotify(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!inotify.valid()) return ErrnoStatus(errno, "inotify_init1");
  std::unique_ptr<InotifySource> source(new InotifySource(roots, std::move(inotify)));
  for (const TreeRoot& root : roots) {
    PMDEX_RETURN_IF_ERROR(source->WatchBelow(root, root.path()));
  }
  return std::unique_ptr<ChangeSource>(std::move(source));
}

absl::Status InotifySource::WatchBelow(const TreeRoot& root, const std::string& directory) {
  ScanVisitor visitor;
  // The watch is set before the names are read, so that no new directory is missed.
  visitor.directory = [&](const std::string& path, int fd) { WatchDirectory(root, path, fd); };
  visitor.problem = [this](const std::string& path, int error) {
    // What is gone, or has become a link, needs no watch.
    const bool is_gone = error == ENOENT || error == ENOTDIR || error == ELOOP;
    if (!is_gone) CountUnwatched(path, error);
  };
  return ScanTree(root, directory, visitor);
}

// By its descriptor, so that a link that replaces the directory in this moment is not followed.
void InotifySource::WatchDirectory(const TreeRoot& root, const std::string& path, int fd) {
  const std::string by_descriptor = absl::StrCat("/proc/self/fd/", fd);
  const int watch = inotify_add_watch(inotify_.get(), by_descriptor.c_str(), kWatchedChanges);
  if (watch < 0) return CountUnwatched(path, errno);
  directories_.Set(watch, path);
  if (path != root.path()) return;
  // Below a file system that was unmounted lies another directory: it is not the root.
  struct stat facts;
  if (fstat(fd, &facts) == 0 && facts.st_dev == root.device()) lost_roots_.erase(path);
}

void InotifySource::CountUnwatched(const std::string& path, int error) {
  if (unwatched_++ > 0) return;
  if (error == ENOSPC) {
    warning_ = absl::StrCat("no inotify watch is left for ", path, ": ", directories_.size(),
                            " directories are watched, and the trees are scanned from time to time "
                            "(hint: raise /proc/sys/fs/inotify/max_user_watches)");
  } else {
    warning_ = absl::StrCat(
        path,
        " cannot be watched, and the trees are scanned from time to time: ", std::strerror(error));
  }
}

void InotifySource::UnwatchBelow(const std::string& directory) {
  for (const int watch : directories_.ForgetBelow(directory)) {
    inotify_rm_watch(inotify_.get(), watch);
  }
}

const TreeRoot* InotifySource::RootOf(std::string_view path) const {
  for (const TreeRoot& root : roots_) {
    if (root.Contains(path)) return &root;
  }
  return nullptr;
}

absl::Status InotifySource::Read(const ChangeSink& sink) {
  alignas(inotify_event) std::array<char, kInotifyBufferBytes> buffer;
  for (int buffers = 0; buffers < kMostInotifyBuffers || moved_from_.has_value(); ++buffers) {
    const ssize_t size = read(inotify_.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno != EAGAIN) return ErrnoStatus(errno, "inotify");
    if (size <= 0) break;
    for (ssize_t at = 0; at < size;) {
      inotify_event event;
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* const name = buffer.data() + at + sizeof event;
      PMDEX_RETURN_IF_ERROR(Handle(event, {name, strnlen(name, event.len)}, sink));
      at += static_cast<ssize_t>(sizeof event) + event.len;
    }
  }
  EndMove(sink);
  return absl::OkStatus();
}

// The other half did not come: the file has left the trees.
void InotifySource::EndMove(const ChangeSink& sink) {
  if (moved_from_.has_value()) sink({ChangeKind::kRemoved, moved_from_->path, {}});
  moved_from_.reset();
}

// Directories that were made meanwhile have no watch yet.
absl::Status InotifySource::RescanAll(const ChangeSink& sink) {
  ++overflows_;
  for (const TreeRoot& root : roots_) {
    PMDEX_RETURN_IF_ERROR(WatchBelow(root, root.path()));
    sink({ChangeKind::kRescan, root.path(), {}});
  }
  return absl::OkStatus();
}

absl::Status InotifySource::Handle(const inotify_event& event, std::string_view name,
                                   const ChangeSink& sink) {
  const bool ends_move = moved_from_.has_value() && (event.mask & IN_MOVED_TO) != 0 &&
                         event.cookie == moved_from_->cookie;
  if (!ends_move) EndMove(sink);
  if ((event.mask & IN_Q_OVERFLOW) != 0) return RescanAll(sink);
  const std::string* const directory = directories_.Find(event.wd);
  if (directory == nullptr) return absl::OkStatus();  // an event from before it was forgotten
  if ((event.mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT)) != 0) {
    // The directory above tells of other directories; a root has none that is watched.
    const TreeRoot* const root = RootOf(*directory);
    if (root != nullptr && *directory == root->path()) return HandleLostRoot(*root, sink);
  }
  if ((event.mask & IN_IGNORED) != 0) directories_.Forget(event.wd);
  if (name.empty()) return absl::OkStatus();
  return HandleEntry(event, TreeRoot::Join(*directory, name), sink);
}

// Another directory may have taken the place of the root already.
absl::Status InotifySource::HandleLostRoot(const TreeRoot& root, const ChangeSink& sink) {
  UnwatchBelow(root.path());
  lost_roots_.insert(root.path());
  PMDEX_RETURN_IF_ERROR(WatchBelow(root, root.path()));
  sink({ChangeKind::kRescan, root.path(), {}});
  return absl::OkStatus();
}

absl::Status InotifySource::WatchAgain() {
  for (const TreeRoot& root : roots_) {
    if (lost_roots_.contains(root.path())) PMDEX_RETURN_IF_ERROR(WatchBelow(root, root.path()));
  }
  return absl::OkStatus();
}

absl::Status InotifySource::HandleEntry(const inotify_event& event, const std::string& path,
                                        const ChangeSink& sink) {
  const bool is_directory = (event.mask & IN_ISDIR) != 0;
  if ((event.mask & (IN_CREATE | IN_MOVED_TO)) != 0) return HandleArrival(event, path, sink);
  if ((event.mask & IN_MOVED_FROM) != 0) {
    // Its watches are set anew where it arrives: the paths of all that lies below change.
    if (is_directory) UnwatchBelow(path);
    moved_from_ = MovedFrom{event.cookie, path};
  } else if ((event.mask & IN_DELETE) != 0) {
    if (is_directory) UnwatchBelow(path);
    sink({ChangeKind::kRemoved, path, {}});
  } else if ((event.mask & IN_CLOSE_WRITE) != 0) {
    sink({ChangeKind::kWritten, path, {}});
  } else if (!is_directory) {
    sink({ChangeKind::kTouched, path, {}});
  } else if (const TreeRoot* const root = RootOf(path); root != nullptr) {
    // Whether it may be read has changed, perhaps.
    PMDEX_RETURN_IF_ERROR(WatchBelow(*root, path));
    sink({ChangeKind::kRescan, path, {}});
  }
  return absl::OkStatus();
}

absl::Status InotifySource::HandleArrival(const inotify_event& event, const std::string& path,
                                          const ChangeSink& sink) {
  const std::optional<MovedFrom> from = std::exchange(moved_from_, std::nullopt);
  const TreeRoot* const root = RootOf(path);
  if (root == nullptr) return absl::OkStatus();  // the directory of the index
  if ((event.mask & IN_ISDIR) != 0) PMDEX_RETURN_IF_ERROR(WatchBelow(*root, path));
  if (from.has_value()) {
    sink({ChangeKind::kRenamed, path, from->path});
  } else if ((event.mask & IN_ISDIR) != 0) {
    sink({ChangeKind::kRescan, path, {}});
  } else {
    sink({ChangeKind::kTouched, path, {}});
  }
  return absl::OkStatus();
}

}  // namespace pmdex
