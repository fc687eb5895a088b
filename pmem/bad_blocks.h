// Which bytes of a file lie on blocks that the kernel already knows to be bad, so that they need
// not be found out by touching them. On persistent memory the kernel keeps such a list (ARS,
// earlier machine checks); elsewhere it is empty. Asked when a file is opened. Thread-safe.
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

// Whether the block device of a file system has any known bad block: one small read below `root`
// ("/" in use). False for what is on no block device.
bool DeviceHasBadBlocks(dev_t device, std::string_view root);

// Those of an open regular file on `device`, in ascending order. Costs one small read while the
// device has none; otherwise libpmem2 maps them to the file's extents. An error means that this
// could not be found out (it takes libpmem2, a pmem namespace, and the right to read its list).
absl::StatusOr<std::vector<BadBlock>> KnownBadBlocks(int fd, dev_t device,
                                                     std::string_view root = "/");

}  // namespace pmdex
