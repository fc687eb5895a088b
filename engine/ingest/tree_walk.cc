#include "engine/ingest/tree_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "pmem/file_descriptor.h"

namespace pmdex {
namespace {

struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

struct Entry {
  std::string name;
  unsigned char type = DT_UNKNOWN;
};

class TreeWalk {
 public:
  TreeWalk(const IngestOptions& options, ProblemLog& problems,
           const std::function<bool(InputFile)>& visit)
      : options_(options), problems_(problems), visit_(visit) {
    struct stat facts;
    if (!options.exclude_directory.empty() &&
        stat(options.exclude_directory.c_str(), &facts) == 0) {
      excluded_ = FileIdentity{facts.st_dev, facts.st_ino};
    }
  }

  bool WalkInput(uint64_t number);

 private:
  bool WalkDirectory(const std::string& path, int open_flags);
  bool WalkEntry(std::string path, unsigned char type);
  bool VisitWalked(std::string path);
  std::optional<std::vector<Entry>> ReadEntries(const std::string& path, int open_flags);
  void Report(const std::string& path, int error);

  const IngestOptions& options_;
  ProblemLog& problems_;
  const std::function<bool(InputFile)>& visit_;
  std::optional<FileIdentity> excluded_;
  uint64_t input_ = 0;  // number of the one being walked
};

InputFormat FormatOfFile(InputFormat asked, std::string_view path) {
  if (asked != InputFormat::kAuto) return asked;
  return path == kStandardInput || IsNamedJsonLines(path) ? InputFormat::kJsonl
                                                          : InputFormat::kFiles;
}

bool TreeWalk::WalkInput(uint64_t number) {
  input_ = number;
  const std::string& input = options_.inputs[number];
  InputFile file;
  file.input = number;
  file.path = input;
  file.format = FormatOfFile(options_.format, input);
  if (input == kStandardInput) return visit_(std::move(file));
  struct stat facts;
  if (stat(input.c_str(), &facts) != 0) {
    Report(input, errno);
    return true;
  }
  if (S_ISDIR(facts.st_mode)) return WalkDirectory(input, 0);
  if (!S_ISREG(facts.st_mode)) {
    problems_.Add(ProblemKind::kSpecialFile, input, "not a regular file");
    return true;
  }
  file.size_bytes = static_cast<uint64_t>(facts.st_size);
  return visit_(std::move(file));
}

// All at once and closed again: the walk holds one descriptor however deep it is.
std::optional<std::vector<Entry>> TreeWalk::ReadEntries(const std::string& path, int open_flags) {
  const int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | open_flags);
  DIR* directory = fd < 0 ? nullptr : fdopendir(fd);
  if (directory == nullptr) {
    Report(path, errno);
    if (fd >= 0) close(fd);
    return std::nullopt;
  }
  std::vector<Entry> entries;
  struct stat facts;
  const bool excluded = fstat(fd, &facts) == 0 && excluded_.has_value() &&
                        *excluded_ == FileIdentity{facts.st_dev, facts.st_ino};
  errno = 0;
  while (const dirent* entry = excluded ? nullptr : readdir(directory)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") entries.push_back({std::string(name), entry->d_type});
  }
  if (errno != 0) Report(path, errno);
  closedir(directory);
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return entries;
}

bool TreeWalk::WalkDirectory(const std::string& path, int open_flags) {
  const auto entries = ReadEntries(path, open_flags);
  if (!entries.has_value()) return true;
  const std::string prefix = path.ends_with('/') ? path : path + "/";
  for (const Entry& entry : *entries) {
    if (!WalkEntry(prefix + entry.name, entry.type)) return false;
  }
  return true;
}

bool TreeWalk::WalkEntry(std::string path, unsigned char type) {
  switch (type) {
    case DT_DIR:
      return WalkDirectory(path, O_NOFOLLOW);
    case DT_REG:
    case DT_UNKNOWN:  // some file systems do not say
      return VisitWalked(std::move(path));
    case DT_LNK:
      return true;
    default:
      problems_.Add(ProblemKind::kSpecialFile, path, "not a regular file");
      return true;
  }
}

bool TreeWalk::VisitWalked(std::string path) {
  struct stat facts;
  if (lstat(path.c_str(), &facts) != 0) {
    Report(path, errno);
    return true;
  }
  if (S_ISDIR(facts.st_mode)) return WalkDirectory(path, O_NOFOLLOW);
  if (!S_ISREG(facts.st_mode)) {
    return WalkEntry(std::move(path), S_ISLNK(facts.st_mode) ? DT_LNK : DT_FIFO);
  }
  InputFile file;
  file.format = options_.format == InputFormat::kAuto ? InputFormat::kFiles : options_.format;
  file.walked = true;
  file.input = input_;
  file.size_bytes = static_cast<uint64_t>(facts.st_size);
  file.path = std::move(path);
  return visit_(std::move(file));
}

void TreeWalk::Report(const std::string& path, int error) {
  ProblemKind kind = ProblemKind::kUnreadableFile;
  if (error == ENOENT || error == ENOTDIR) kind = ProblemKind::kVanishedFile;
  if (error == ELOOP) kind = ProblemKind::kSymlinkLoop;
  problems_.Add(kind, path, std::strerror(error));
}

// Closed, or opened for something else than reading.
absl::Status CheckStandardInput() {
  const int flags = fcntl(STDIN_FILENO, F_GETFL);
  const bool readable = flags >= 0 && (flags & O_PATH) == 0 && (flags & O_ACCMODE) != O_WRONLY;
  return readable ? absl::OkStatus() : ErrnoStatus(EBADF, "standard input");
}

}  // namespace

absl::Status CheckInputs(const IngestOptions& options) {
  for (const std::string& input : options.inputs) {
    if (input == kStandardInput) {
      PMDEX_RETURN_IF_ERROR(CheckStandardInput());
      continue;
    }
    struct stat facts;
    if (stat(input.c_str(), &facts) != 0) {
      if (errno == ELOOP) continue;
      return ErrnoStatus(errno, input);
    }
    if (!S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode)) continue;
    const FileDescriptor fd(open(input.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd.valid()) return ErrnoStatus(errno, input);
  }
  return absl::OkStatus();
}

void WalkInputs(const IngestOptions& options, ProblemLog& problems,
                const std::function<bool(InputFile)>& visit) {
  TreeWalk walk(options, problems, visit);
  for (uint64_t number = 0; number < options.inputs.size(); ++number) {
    if (!walk.WalkInput(number)) return;
  }
}

bool IdsMayRepeat(const IngestOptions& options) {
  std::vector<std::string> paths;
  for (const std::string& input : options.inputs) {
    const InputFormat format = FormatOfFile(options.format, input);
    if (format != InputFormat::kFiles && format != InputFormat::kLines) return true;
    paths.push_back(input.ends_with('/') ? input : input + "/");
  }
  // In this order what lies below a path follows it.
  std::sort(paths.begin(), paths.end());
  return std::adjacent_find(paths.begin(), paths.end(), [](const auto& above, const auto& below) {
           return below.starts_with(above);
         }) != paths.end();
}

}  // namespace pmdex
