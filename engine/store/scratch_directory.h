// A directory inside an index for data that is only wanted for a while, on the index's own medium.
//
// Its name is unique (mkdtemp), so it never meets anything of the user's, and of a fixed form, so
// that the next writer finds what a killed one left. A file inside says that pmdex made it: a
// directory without this file is only removed when it is empty. Belongs to one thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "pmem/status.h"

namespace pmdex {

// ".pmdex-scratch-" and six letters or digits.
bool IsScratchDirectoryName(std::string_view name);

class ScratchDirectory {
 public:
  // Creates one inside `parent`, which only this user may read.
  static absl::StatusOr<ScratchDirectory> Create(const std::string& parent);
  // Removes it with all that it holds.
  ~ScratchDirectory();
  ScratchDirectory(ScratchDirectory&& other) noexcept
      : path_(std::exchange(other.path_, std::string())) {}
  ScratchDirectory& operator=(ScratchDirectory&&) = delete;

  const std::string& path() const { return path_; }

 private:
  explicit ScratchDirectory(std::string path) : path_(std::move(path)) {}

  std::string path_;  // empty: moved away
};

// Removes the scratch directories of `parent` that pmdex made. Requires that nobody uses one: that
// this process is the index's only writer. What cannot be removed stays for the next time.
void RemoveScratchDirectories(const std::string& parent);

}  // namespace pmdex
