// A directory inside an index for temporary data on the medium of the index.
//
// Its name is unique (mkdtemp) and has a fixed form, so that the next writer finds the directories
// that a killed writer left. A file inside says that pmdex made it. A directory without this file
// is removed only if it is empty. Belongs to one thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "pmem/status.h"

namespace pmdex {

// True for ".pmdex-scratch-" with six letters or digits behind it.
bool IsScratchDirectoryName(std::string_view name);

class ScratchDirectory {
 public:
  // Creates a directory inside `parent` that only this user may read.
  static absl::StatusOr<ScratchDirectory> Create(const std::string& parent);
  // Removes the directory and all files in it.
  ~ScratchDirectory();
  ScratchDirectory(ScratchDirectory&& other) noexcept
      : path_(std::exchange(other.path_, std::string())) {}
  ScratchDirectory& operator=(ScratchDirectory&&) = delete;

  const std::string& path() const { return path_; }

 private:
  explicit ScratchDirectory(std::string path) : path_(std::move(path)) {}

  std::string path_;  // empty after a move
};

// Removes the scratch directories in `parent` that pmdex made. Requires the writer lock of the
// index, so that nobody uses one of them. Directories that cannot be removed stay.
void RemoveScratchDirectories(const std::string& parent);

}  // namespace pmdex
