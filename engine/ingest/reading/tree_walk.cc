#include "engine/ingest/reading/tree_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "absl/cleanup/cleanup.h"

#include "engine/ingest/entries/access_text.h"
#include "engine/ingest/entries/entry_facts.h"
#include "engine/ingest/ingest_options.h"
#include "engine/ingest/problem_kind.h"
#include "engine/ingest/reading/directory_names.h"
#include "pmem/exhaustion.h"
#include "pmem/file_descriptor.h"

namespace pmdex {
namespace {

struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const FileIdentity&) const = default;
};

// Of what directories above leave, one may take half; but never less than this.
constexpr size_t kLeastBytesADirectory = 1024;

bool TakesFiles(InputFormat format) {
  return format == InputFormat::kFiles || format == InputFormat::kAuto;
}

class TreeWalk {
 public:
  TreeWalk(const IngestOptions& options, ProblemLog& problems,
           const std::function<bool(InputFile)>& visit, size_t names_bytes)
      : options_(options), problems_(problems), visit_(visit), free_bytes_(names_bytes) {
    struct stat facts;
    if (options.exclude_directory.empty()) return;
    if (stat(options.exclude_directory.c_str(), &facts) == 0) {
      excluded_ = FileIdentity{facts.st_dev, facts.st_ino};
    } else if (errno != ENOENT && errno != ENOTDIR) {
      status_ = ErrnoStatus(errno, options.exclude_directory);  // or it might be walked
    }
  }

  // Like the functions below, false when the walk ends here: the visitor has enough, or status()
  // says why.
  bool WalkInput(uint64_t number);
  const absl::Status& status() const { return status_; }

 private:
  // Who may reach an entry, and what is in a directory (access_text.h).
  using Parents = std::shared_ptr<const std::string>;
  struct OpenDirectory {
    bool excluded = false;
    Parents inner;  // the parents of its entries; nullptr before it was opened
  };

  bool WalkDirectory(const std::string& path, int open_flags, const Parents& parents);
  bool WalkEntries(const std::string& prefix, const DirectoryNames& names, const Parents& parents);
  bool WalkEntry(std::string path, unsigned char type, const Parents& parents);
  bool VisitWalked(std::string path, const Parents& parents);
  // Hands over what is no regular file.
  bool VisitEntry(std::string path, const Parents& parents);
  // One pass over the directory. Returns errno; 0: all entries were read.
  int ReadEntries(const std::string& path, int open_flags, const Parents& parents,
                  DirectoryNames& names, OpenDirectory& directory);
  bool KeepsEntries() const { return options_.attributes && TakesFiles(options_.format); }
  bool Report(const std::string& path, int error);

  const IngestOptions& options_;
  ProblemLog& problems_;
  const std::function<bool(InputFile)>& visit_;
  std::optional<FileIdentity> excluded_;
  uint64_t input_ = 0;  // number of the one being walked
  size_t free_bytes_;   // for names
  absl::Status status_;
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
  if (stat(input.c_str(), &facts) != 0) return Report(input, errno);
  file.parents = TakesFiles(options_.format) ? ParentsOfPath(input) : nullptr;
  if (S_ISDIR(facts.st_mode)) return WalkDirectory(input, 0, file.parents);
  file.keeps_entry = KeepsEntries() && file.format == InputFormat::kFiles;
  if (!S_ISREG(facts.st_mode)) {
    if (KeepsEntries()) return VisitEntry(input, file.parents);
    problems_.Add(ProblemKind::kSpecialFile, input, "not a regular file");
    return true;
  }
  file.size_bytes = static_cast<uint64_t>(facts.st_size);
  return visit_(std::move(file));
}

// Opened and closed again: the walk holds one descriptor however deep it is.
int TreeWalk::ReadEntries(const std::string& path, int open_flags, const Parents& parents,
                          DirectoryNames& names, OpenDirectory& directory_facts) {
  names.BeginPass();
  const int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | open_flags);
  DIR* directory = fd < 0 ? nullptr : fdopendir(fd);
  if (directory == nullptr) {
    const int error = errno;
    if (fd >= 0) close(fd);
    return error;
  }
  const absl::Cleanup close_directory = [directory] { closedir(directory); };
  const EntryLookup found = LookAtOpened(fd);
  if (found.error != 0) return found.error;
  const EntryFacts& facts = found.entry.facts;
  if (parents != nullptr && directory_facts.inner == nullptr) {
    directory_facts.inner =
        ParentsWith(*parents, RightsText(facts.uid, facts.gid, facts.mode, found.entry.acl));
  }
  directory_facts.excluded =
      excluded_.has_value() && *excluded_ == FileIdentity{facts.device, facts.inode};
  errno = 0;
  while (const dirent* entry = directory_facts.excluded ? nullptr : readdir(directory)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.Add(name, entry->d_type);
    errno = 0;
  }
  const int error = errno;
  names.EndPass();
  return error;
}

bool TreeWalk::WalkDirectory(const std::string& path, int open_flags, const Parents& parents) {
  const std::string prefix = path.ends_with('/') ? path : path + "/";
  DirectoryNames names(std::max(free_bytes_ / 2, kLeastBytesADirectory));
  int reported = 0;
  OpenDirectory directory;
  bool is_visited = !KeepsEntries();
  do {
    const int error = ReadEntries(path, open_flags, parents, names, directory);
    // Every pass meets the same error again.
    if (error != 0 && error != reported && !Report(path, error)) return false;
    reported = error;
    const bool visits = !std::exchange(is_visited, true) && !directory.excluded;
    if (visits && !VisitEntry(path, parents)) return false;
    const size_t taken = std::min(names.used_bytes(), free_bytes_);
    free_bytes_ -= taken;
    const bool going_on = WalkEntries(prefix, names, directory.inner);
    free_bytes_ += taken;
    if (!going_on) return false;
  } while (names.has_more());
  return true;
}

bool TreeWalk::WalkEntries(const std::string& prefix, const DirectoryNames& names,
                           const Parents& parents) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (!WalkEntry(prefix + std::string(names.name(i)), names.type(i), parents)) return false;
  }
  return true;
}

bool TreeWalk::WalkEntry(std::string path, unsigned char type, const Parents& parents) {
  switch (type) {
    case DT_DIR:
      return WalkDirectory(path, O_NOFOLLOW, parents);
    case DT_REG:
    case DT_UNKNOWN:  // some file systems do not say
      return VisitWalked(std::move(path), parents);
    case DT_LNK:
      return !KeepsEntries() || VisitEntry(std::move(path), parents);
    default:
      if (KeepsEntries()) return VisitEntry(std::move(path), parents);
      problems_.Add(ProblemKind::kSpecialFile, path, "not a regular file");
      return true;
  }
}

bool TreeWalk::VisitEntry(std::string path, const Parents& parents) {
  InputFile file;
  file.format = InputFormat::kFiles;
  file.walked = true;
  file.input = input_;
  file.path = std::move(path);
  file.parents = parents;
  file.keeps_entry = true;
  file.is_entry_only = true;
  return visit_(std::move(file));
}

bool TreeWalk::VisitWalked(std::string path, const Parents& parents) {
  struct stat facts;
  if (lstat(path.c_str(), &facts) != 0) return Report(path, errno);
  if (S_ISDIR(facts.st_mode)) return WalkDirectory(path, O_NOFOLLOW, parents);
  if (!S_ISREG(facts.st_mode)) {
    return WalkEntry(std::move(path), S_ISLNK(facts.st_mode) ? DT_LNK : DT_FIFO, parents);
  }
  InputFile file;
  file.format = options_.format == InputFormat::kAuto ? InputFormat::kFiles : options_.format;
  file.walked = true;
  file.input = input_;
  file.size_bytes = static_cast<uint64_t>(facts.st_size);
  file.path = std::move(path);
  file.parents = parents;
  file.keeps_entry = KeepsEntries();
  return visit_(std::move(file));
}

bool TreeWalk::Report(const std::string& path, int error) {
  if (IsExhaustion(error)) {
    status_ = ExhaustionStatus(error, path);
    return false;
  }
  ProblemKind kind = ProblemKind::kUnreadableFile;
  if (error == ENOENT || error == ENOTDIR) kind = ProblemKind::kVanishedFile;
  if (error == ELOOP) kind = ProblemKind::kSymlinkLoop;
  problems_.Add(kind, path, std::strerror(error));
  return true;
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

absl::Status WalkInputs(const IngestOptions& options, ProblemLog& problems,
                        const std::function<bool(InputFile)>& visit, size_t names_bytes) {
  TreeWalk walk(options, problems, visit, names_bytes);
  for (uint64_t number = 0; number < options.inputs.size(); ++number) {
    if (!walk.status().ok() || !walk.WalkInput(number)) break;
  }
  return walk.status();
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
