// What store granularity a new file of a directory would get, found by mapping one: file system
// flags alone do not tell (virtio-pmem says DAX and refuses MAP_SYNC). A directory asks once,
// when it first has to know. Thread-safe: no state.
#pragma once

#include <string_view>

#include "pmem/file_descriptor.h"
#include "pmem/persister.h"
#include "pmem/status.h"

namespace pmdex {

// Whether the name is one that probe files get on file systems without O_TMPFILE:
// ".pmdex-probe-PID-NUMBER". List and ListOthers hide them.
bool IsProbeName(std::string_view name);

// A new empty file of the directory that has no name any more. An error where nothing can be
// created.
absl::StatusOr<FileDescriptor> OpenProbeFile(int directory_fd);

// Where nothing can be created, a file that is there is mapped read-only instead, and where there
// is none the answer is kPage, which promises least. Fails only when this process lacks the
// descriptor or the memory to find out.
absl::StatusOr<StoreGranularity> ProbeGranularity(int directory_fd);

}  // namespace pmdex
