#include "tools/watch/fanotify_source.h"

#include <fcntl.h>
#include <sys/fanotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"

namespace pmdex {
namespace {

constexpr uint64_t kMarkedChanges = FAN_CLOSE_WRITE | FAN_CREATE | FAN_DELETE | FAN_MOVED_FROM |
                                    FAN_MOVED_TO | FAN_ATTRIB | FAN_ONDIR;
constexpr size_t kFanotifyBufferBytes = size_t{64} << 10;
constexpr int kMostFanotifyBuffers = 16;

// Errors that say that this source is none for the tree, not that something is broken.
absl::Status UnusableStatus(int error, std::string_view what) {
  const bool is_denied = error == EPERM || error == EACCES;
  return MakeStatus(
      is_denied ? absl::StatusCode::kPermissionDenied : absl::StatusCode::kUnimplemented,
      absl::StrCat(std::string(what), ": ", std::strerror(error)));
}

// True if the path of a mount point lies below the directory.
bool HasMountsBelow(const std::string& directory) {
  std::ifstream mounts("/proc/self/mountinfo");
  const std::string prefix = directory == "/" ? directory : directory + "/";
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream fields(line);
    std::string id, parent, device, inner, point;
    fields >> id >> parent >> device >> inner >> point;
    if (point != "/" && point.starts_with(prefix)) return true;
  }
  return false;
}

uint64_t FileSystemOf(const void* bytes) {
  uint64_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

absl::StatusOr<std::string> PathOfDescriptor(int fd) {
  std::array<char, PATH_MAX> path;
  const std::string link = absl::StrCat("/proc/self/fd/", fd);
  const ssize_t size = readlink(link.c_str(), path.data(), path.size());
  if (size <= 0) return ErrnoStatus(errno, link);
  if (static_cast<size_t>(size) == path.size()) return ErrnoStatus(ENAMETOOLONG, link);
  return std::string(path.data(), static_cast<size_t>(size));
}

// The path of the directory that the handle names; empty if it is gone. Other errors say that its
// path could not be learned.
absl::StatusOr<std::string> PathOfHandle(int mount, const std::byte* handle) {
  struct {
    file_handle head;
    unsigned char bytes[MAX_HANDLE_SZ];
  } copy;
  std::memcpy(&copy.head, handle, sizeof copy.head);
  if (copy.head.handle_bytes > MAX_HANDLE_SZ) return ErrnoStatus(EOVERFLOW, "a file handle");
  std::memcpy(copy.bytes, handle + sizeof(file_handle), copy.head.handle_bytes);
  const FileDescriptor fd(open_by_handle_at(mount, &copy.head, O_PATH | O_CLOEXEC));
  if (!fd.valid() && (errno == ESTALE || errno == ENOENT)) return std::string();
  if (!fd.valid()) return ErrnoStatus(errno, "open_by_handle_at");
  struct stat facts;
  if (fstat(fd.get(), &facts) != 0) return ErrnoStatus(errno, "fstat");
  if (facts.st_nlink == 0) return std::string();
  return PathOfDescriptor(fd.get());
}

// Whether this process may open handles of the file system.
absl::Status CheckHandles(const std::string& path, int directory) {
  struct {
    file_handle head;
    unsigned char bytes[MAX_HANDLE_SZ];
  } handle;
  handle.head.handle_bytes = MAX_HANDLE_SZ;
  int mount_id = 0;
  if (name_to_handle_at(directory, "", &handle.head, &mount_id, AT_EMPTY_PATH) != 0) {
    return UnusableStatus(errno, path);
  }
  const FileDescriptor fd(open_by_handle_at(directory, &handle.head, O_PATH | O_CLOEXEC));
  return fd.valid() ? absl::OkStatus() : UnusableStatus(errno, path);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ChangeSource>> FanotifySource::Open(
    const std::vector<TreeRoot>& roots) {
  constexpr unsigned kFlags = FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK | FAN_REPORT_DFID_NAME;
  FileDescriptor fanotify(fanotify_init(kFlags, O_RDONLY | O_CLOEXEC | O_LARGEFILE));
  if (!fanotify.valid()) return UnusableStatus(errno, "fanotify_init");
  std::unique_ptr<FanotifySource> source(new FanotifySource(std::move(fanotify)));
  for (const TreeRoot& root : roots) {
    PMDEX_ASSIGN_OR_RETURN(Marked marked, source->Mark(root));
    source->marked_.push_back(std::move(marked));
  }
  return std::unique_ptr<ChangeSource>(std::move(source));
}

absl::StatusOr<FanotifySource::Marked> FanotifySource::Mark(const TreeRoot& root) const {
  const std::string& path = root.path();
  Marked marked;
  marked.root = &root;
  marked.directory = FileDescriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const int fd = marked.directory.get();
  struct stat facts;
  if (!marked.directory.valid() || fstat(fd, &facts) != 0) return ErrnoStatus(errno, path);
  PMDEX_ASSIGN_OR_RETURN(marked.real_path, PathOfDescriptor(fd));
  const bool is_other = facts.st_dev != root.device();
  if (is_other || HasMountsBelow(marked.real_path)) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      absl::StrCat("another file system is mounted ", is_other ? "over " : "below ",
                                   marked.real_path));
  }
  PMDEX_RETURN_IF_ERROR(CheckHandles(path, fd));
  struct statfs file_system;
  if (fstatfs(fd, &file_system) != 0) return ErrnoStatus(errno, path);
  marked.file_system = FileSystemOf(&file_system.f_fsid);
  if (fanotify_mark(fanotify_.get(), FAN_MARK_ADD | FAN_MARK_FILESYSTEM, kMarkedChanges, fd,
                    nullptr) != 0) {
    return UnusableStatus(errno, absl::StrCat("fanotify_mark ", path));
  }
  return marked;
}

// A link that is the root may lead to the same directory after that has been renamed.
bool FanotifySource::IsInPlace(const Marked& marked) {
  struct stat now;
  struct stat before;
  if (stat(marked.root->path().c_str(), &now) != 0) return false;
  if (fstat(marked.directory.get(), &before) != 0) return false;
  if (now.st_dev != before.st_dev || now.st_ino != before.st_ino) return false;
  const absl::StatusOr<std::string> path = PathOfDescriptor(marked.directory.get());
  return path.ok() && *path == marked.real_path;
}

bool FanotifySource::FollowRoot(Marked& marked) const {
  if (!marked.is_lost && IsInPlace(marked)) return false;
  absl::StatusOr<Marked> other = Mark(*marked.root);
  if (!other.ok()) return !std::exchange(marked.is_lost, true);
  marked = *std::move(other);
  return true;
}

bool FanotifySource::is_partial() const {
  return std::any_of(marked_.begin(), marked_.end(),
                     [](const Marked& marked) { return marked.is_lost || !IsInPlace(marked); });
}

absl::Status FanotifySource::WatchAgain() {
  for (Marked& marked : marked_) FollowRoot(marked);  // the caller scans all roots
  return absl::OkStatus();
}

absl::Status FanotifySource::Read(const ChangeSink& sink) {
  alignas(fanotify_event_metadata) std::array<std::byte, kFanotifyBufferBytes> buffer;
  for (int buffers = 0; buffers < kMostFanotifyBuffers; ++buffers) {
    const ssize_t size = read(fanotify_.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno != EAGAIN) return ErrnoStatus(errno, "fanotify");
    if (size <= 0) break;
    size_t at = 0;
    while (at + FAN_EVENT_METADATA_LEN <= static_cast<size_t>(size)) {
      fanotify_event_metadata event;
      std::memcpy(&event, buffer.data() + at, sizeof event);
      if (event.vers != FANOTIFY_METADATA_VERSION) {
        return MakeStatus(absl::StatusCode::kUnimplemented,
                          absl::StrCat("fanotify has version ", event.vers, " of its events"));
      }
      Handle(event, buffer.data() + at + event.metadata_len, event.event_len - event.metadata_len,
             sink);
      at += event.event_len;
    }
  }
  // The changes may have been those of a root itself, or of a directory above it.
  for (Marked& marked : marked_) {
    if (FollowRoot(marked)) sink({ChangeKind::kRescan, marked.root->path(), {}});
  }
  return absl::OkStatus();
}

void FanotifySource::Handle(const fanotify_event_metadata& event, const std::byte* infos,
                            size_t size_bytes, const ChangeSink& sink) {
  if ((event.mask & FAN_Q_OVERFLOW) != 0) {
    ++overflows_;
    for (const Marked& marked : marked_) sink({ChangeKind::kRescan, marked.root->path(), {}});
    return;
  }
  for (size_t at = 0; at + sizeof(fanotify_event_info_fid) <= size_bytes;) {
    fanotify_event_info_fid info;
    std::memcpy(&info, infos + at, sizeof info);
    if (info.hdr.len == 0) return;
    const std::byte* const handle = infos + at + sizeof info;
    file_handle head;
    std::memcpy(&head, handle, sizeof head);
    const size_t name_at = sizeof info + sizeof head + head.handle_bytes;
    if (info.hdr.info_type == FAN_EVENT_INFO_TYPE_DFID_NAME && name_at < info.hdr.len) {
      const char* const text = reinterpret_cast<const char*>(infos + at + name_at);
      const std::string_view name(text, strnlen(text, info.hdr.len - name_at));
      // A change of a directory itself has the name ".": the directory above reports it, too.
      if (name != ".") HandleNamed(event.mask, FileSystemOf(&info.fsid), handle, name, sink);
    }
    at += info.hdr.len;
  }
}

// Nobody knows where something has changed: for want of descriptors or memory, say.
void FanotifySource::RescanFileSystem(uint64_t file_system, const ChangeSink& sink) const {
  for (const Marked& marked : marked_) {
    if (marked.file_system == file_system) sink({ChangeKind::kRescan, marked.root->path(), {}});
  }
}

// Several roots may lie in one file system.
void FanotifySource::HandleNamed(uint64_t mask, uint64_t file_system, const std::byte* handle,
                                 std::string_view name, const ChangeSink& sink) const {
  std::string directory;
  for (const Marked& marked : marked_) {
    if (marked.file_system != file_system) continue;
    if (directory.empty()) {
      auto found = PathOfHandle(marked.directory.get(), handle);
      if (!found.ok()) return RescanFileSystem(file_system, sink);
      if (found->empty()) return;
      directory = *std::move(found);
    }
    const std::string& real = marked.real_path;
    if (directory == real) {
      HandleEntry(mask, TreeRoot::Join(marked.root->path(), name), sink);
      continue;
    }
    const std::string prefix = real == "/" ? real : real + "/";
    if (!directory.starts_with(prefix)) continue;
    const std::string path = marked.root->prefix() + directory.substr(prefix.size());
    HandleEntry(mask, TreeRoot::Join(path, name), sink);
  }
}

void FanotifySource::HandleEntry(uint64_t mask, const std::string& path, const ChangeSink& sink) {
  // One event may stand for several changes of a name: what is there now decides.
  const bool is_directory = (mask & FAN_ONDIR) != 0;
  if ((mask & (FAN_CREATE | FAN_MOVED_TO | FAN_ATTRIB)) != 0) {
    sink({is_directory ? ChangeKind::kRescan : ChangeKind::kTouched, path, {}});
  }
  if ((mask & FAN_CLOSE_WRITE) != 0) sink({ChangeKind::kWritten, path, {}});
  if ((mask & (FAN_DELETE | FAN_MOVED_FROM)) != 0) sink({ChangeKind::kRemoved, path, {}});
}

}  // namespace pmdex
