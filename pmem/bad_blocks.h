// Finds the bytes of a file that lie on blocks which the kernel already knows to be bad. The kernel
// keeps a list of bad blocks for persistent memory (from address range scrubs and earlier machine
// checks); for other media the list is empty. Thread-safe.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "pmem/status.h"

namespace pmdex {

struct BadBlock {
  uint64_t offset = 0;  // in the file
  uint64_t size_bytes = 0;
};

// True if the kernel knows a bad block of the device. False for a file system without a block
// device. Reads one small file below `root`; tests give another root than "/".
bool DeviceHasBadBlocks(dev_t device, std::string_view root);

// The bad blocks of an open regular file on `device`, in ascending order of their offsets. Costs
// one small read if the device has no bad blocks; otherwise libpmem2 finds those that belong to the
// file. Returns an error if libpmem2 is missing, if the file is not on a pmem namespace, or if this
// user may not read the namespace's list.
absl::StatusOr<std::vector<BadBlock>> KnownBadBlocks(int fd, dev_t device,
                                                     std::string_view root = "/");

}  // namespace pmdex
