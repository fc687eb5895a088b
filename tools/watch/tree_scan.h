// Walks a tree below a directory and tells which files and directories there are. It follows no
// link, enters no directory of the index, and holds one descriptor however deep the tree is.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "pmem/status.h"
#include "tools/watch/tree_root.h"

namespace pmdex {

struct ScanVisitor {
  // Is called with each directory, opened, before its names are read. May be empty.
  std::function<void(const std::string& path, int fd)> directory;
  // Is called with all that is no directory. May be empty; then the scan does not look at files.
  std::function<void(const std::string& path, const PathFacts& facts)> entry;
  // Is called with what could not be looked at, and errno.
  std::function<void(const std::string& path, int error)> problem;
};

// `directory` is the root or lies below it. kResourceExhausted if there is no descriptor or no
// memory to look at a directory: what the visitor was told is then incomplete.
absl::Status ScanTree(const TreeRoot& root, const std::string& directory,
                      const ScanVisitor& visitor);

}  // namespace pmdex
