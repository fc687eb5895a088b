// Finds the store granularity that new files of a directory will have, by mapping such a file. The
// flags of the file system are not enough: virtio-pmem has the DAX flag but refuses MAP_SYNC. A
// Directory calls it once, when it first needs the granularity. Thread-safe: no state.
#pragma once

#include <string_view>

#include "pmem/file_descriptor.h"
#include "pmem/persister.h"
#include "pmem/status.h"

namespace pmdex {

// True for ".pmdex-probe-PID-NUMBER", the names of probe files on file systems without O_TMPFILE.
// Directory::List and ListOthers leave these files out.
bool IsProbeName(std::string_view name);

// Creates an empty file in the directory and removes its name. Returns an error if no file can be
// created there.
absl::StatusOr<FileDescriptor> OpenProbeFile(int directory_fd);

// If no file can be created, it maps a file of the directory read-only instead. If the directory
// has no file, it returns kPage, which promises least. Returns an error only if this process lacks
// the descriptor or the memory to find out.
absl::StatusOr<StoreGranularity> ProbeGranularity(int directory_fd);

}  // namespace pmdex
