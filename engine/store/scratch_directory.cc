#include "engine/store/scratch_directory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

#include "absl/strings/ascii.h"

#include "pmem/file_descriptor.h"

namespace pmdex {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScratchPrefix = ".pmdex-scratch-";
constexpr std::string_view kRandomPart = "XXXXXX";  // what mkdtemp replaces
constexpr char kScratchMark[] = "made-by-pmdex";
constexpr std::string_view kScratchMarkText =
    "pmdex removes this directory with all that it holds.\n";

bool HasMark(const fs::path& path) {
  const fs::path mark = path / kScratchMark;
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(mark, error))) return false;
  std::ifstream stream(mark, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return text == kScratchMarkText;
}

absl::Status WriteMark(const std::string& path) {
  const std::string mark = path + "/" + kScratchMark;
  const FileDescriptor file(
      open(mark.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.valid()) return ErrnoStatus(errno, "create " + mark);
  const ssize_t written = write(file.get(), kScratchMarkText.data(), kScratchMarkText.size());
  if (written != static_cast<ssize_t>(kScratchMarkText.size())) {
    return ErrnoStatus(written < 0 ? errno : ENOSPC, "write " + mark);
  }
  // Make the mark durable before any data.
  if (fsync(file.get()) != 0) return ErrnoStatus(errno, "fsync " + mark);
  return absl::OkStatus();
}

// Removes the mark last. If this is interrupted, the next writer still knows the directory.
void RemoveMarked(const fs::path& path) {
  std::error_code error;
  std::vector<fs::path> contents;
  for (fs::directory_iterator at(path, error), end; !error && at != end; at.increment(error)) {
    if (at->path().filename() != kScratchMark) contents.push_back(at->path());
  }
  for (const fs::path& content : contents) {
    fs::remove_all(content, error);
    if (error) return;
  }
  fs::remove(path / kScratchMark, error);
  fs::remove(path, error);
}

}  // namespace

bool IsScratchDirectoryName(std::string_view name) {
  if (!name.starts_with(kScratchPrefix)) return false;
  name.remove_prefix(kScratchPrefix.size());
  return name.size() == kRandomPart.size() && std::all_of(name.begin(), name.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c));
         });
}

absl::StatusOr<ScratchDirectory> ScratchDirectory::Create(const std::string& parent) {
  std::string path = parent + "/" + std::string(kScratchPrefix) + std::string(kRandomPart);
  if (mkdtemp(path.data()) == nullptr) return ErrnoStatus(errno, "create directory " + path);
  const absl::Status marked = WriteMark(path);
  if (marked.ok()) return ScratchDirectory(std::move(path));
  unlink((path + "/" + kScratchMark).c_str());
  rmdir(path.c_str());
  return marked;
}

ScratchDirectory::~ScratchDirectory() {
  if (!path_.empty()) RemoveMarked(path_);
}

void RemoveScratchDirectories(const std::string& parent) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator at(parent, error), end; !error && at != end; at.increment(error)) {
    std::error_code vanished;
    const bool is_directory = fs::is_directory(fs::symlink_status(at->path(), vanished));
    if (is_directory && IsScratchDirectoryName(at->path().filename().string())) {
      found.push_back(at->path());
    }
  }
  for (const fs::path& path : found) {
    if (HasMark(path)) {
      RemoveMarked(path);
    } else {
      fs::remove(path, error);  // only if it is empty: its writer was killed before the mark
    }
  }
}

}  // namespace pmdex
