// Drops the pages of an index from the page cache, so that the next run reads the medium.
// Thread-safe: no state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pmem/status.h"

namespace pmdex {

struct DroppedPages {
  uint64_t pages = 0;     // of all files
  uint64_t resident = 0;  // still in memory afterwards
  std::string why_not;    // why a run would not be cold; empty: it is
};

// Writes back and drops all files below the directories (fsync, posix_fadvise), and asks the kernel
// what stayed (mincore). Pages that a process maps stay: the index must be closed. Pages of tmpfs
// and of DAX are the medium itself: if a directory is there, nothing is dropped. why_not names the
// directory. Returns an error if a file cannot be read.
absl::StatusOr<DroppedPages> DropPages(const std::vector<std::string>& directories);

}  // namespace pmdex
