#include "tools/watch/tree_scan.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"

#include "pmem/exhaustion.h"
#include "pmem/file_descriptor.h"

namespace pmdex {
namespace {

class Scan {
 public:
  Scan(const TreeRoot& root, const ScanVisitor& visitor) : root_(root), visitor_(visitor) {}

  absl::Status Run(const std::string& directory) {
    directories_ = {directory};
    while (!directories_.empty()) {
      const std::string path = std::move(directories_.back());
      directories_.pop_back();
      PMDEX_RETURN_IF_ERROR(Report(path, ReadDirectory(path)));
    }
    return absl::OkStatus();
  }

 private:
  // Returns errno; 0: all of its names were read. An error of an entry is in status_.
  int ReadDirectory(const std::string& path);
  void ReadEntry(int fd, std::string_view directory, const dirent& entry);
  absl::Status Report(const std::string& path, int error) {
    PMDEX_RETURN_IF_ERROR(status_);
    if (IsExhaustion(error)) return ExhaustionStatus(error, path);
    if (error != 0 && visitor_.problem) visitor_.problem(path, error);
    return absl::OkStatus();
  }

  const TreeRoot& root_;
  const ScanVisitor& visitor_;
  std::vector<std::string> directories_;  // that are not read yet
  absl::Status status_;
};

int Scan::ReadDirectory(const std::string& path) {
  const FileDescriptor fd = root_.OpenPath(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK);
  if (!fd.valid()) return errno;
  if (root_.IsExcluded(fd.get())) return 0;
  if (visitor_.directory) visitor_.directory(path, fd.get());
  const int own_fd = fcntl(fd.get(), F_DUPFD_CLOEXEC, 0);  // closed with the stream
  DIR* const stream = own_fd < 0 ? nullptr : fdopendir(own_fd);
  if (stream == nullptr) {
    const int error = errno;
    if (own_fd >= 0) close(own_fd);
    return error;
  }
  const absl::Cleanup close_stream = [stream] { closedir(stream); };
  errno = 0;
  while (const dirent* entry = readdir(stream)) {
    ReadEntry(fd.get(), path, *entry);
    errno = 0;
  }
  return errno;
}

void Scan::ReadEntry(int fd, std::string_view directory, const dirent& entry) {
  const std::string_view name = entry.d_name;
  if (name == "." || name == "..") return;
  std::string path = TreeRoot::Join(directory, name);
  if (entry.d_type == DT_DIR) {
    directories_.push_back(std::move(path));
    return;
  }
  if (!visitor_.entry && entry.d_type != DT_UNKNOWN) return;
  PathFacts facts;
  const int error = TreeRoot::StatAt(fd, entry.d_name, facts);
  if (error != 0) {
    status_.Update(Report(path, error));
  } else if (facts.kind == PathKind::kDirectory) {
    directories_.push_back(std::move(path));
  } else if (visitor_.entry) {
    visitor_.entry(path, facts);
  }
}

}  // namespace

absl::Status ScanTree(const TreeRoot& root, const std::string& directory,
                      const ScanVisitor& visitor) {
  return Scan(root, visitor).Run(directory);
}

}  // namespace pmdex
