// Finds what the file system of a directory supports for mapped files, for `pmdex doctor`. It
// creates a probe file, tries with it, and removes it at once; flags and mount options alone are
// not reliable. The engine itself uses granularity_probe.h. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pmem/persister.h"
#include "pmem/status.h"

namespace pmdex {

struct MountFacts {
  std::string filesystem;  // "ext4", "tmpfs" ...; empty: unknown
  std::string mount_point;
  std::string options;  // of the mount and of the file system, comma separated
  std::string device;   // "/dev/pmem0"
};

// How many 2 MiB pieces a new file has, and how many of them lie on one extent that is aligned to 2
// MiB. Only such pieces can be mapped with 2 MiB pages on DAX.
struct AlignedPieces {
  uint64_t pieces = 0;
  uint64_t aligned_pieces = 0;
};

struct PlaceFacts {
  std::string path;  // absolute
  MountFacts mount;
  absl::Status writable;  // OK if a probe file could be created
  bool dax = false;       // STATX_ATTR_DAX of the probe file, or of the path if there is none
  bool map_sync = false;  // mmap accepts MAP_SHARED_VALIDATE | MAP_SYNC
  // PMEM2_FORCE_GRANULARITY is set: `granularity` is not that of the medium.
  bool granularity_forced = false;
  StoreGranularity granularity = StoreGranularity::kPage;
  absl::Status libpmem2;                 // why libpmem2, which this medium needs, cannot be used
  std::optional<AlignedPieces> extents;  // nullopt: no block device below, or no space
  uint64_t free_bytes = 0;
  uint64_t total_bytes = 0;
};

// path: a directory, or a file in it. Returns kNotFound if it does not exist.
absl::StatusOr<PlaceFacts> ProbePlace(const std::string& path, std::string_view root = "/");

// The mount of an absolute, canonical path, from ROOT/proc/self/mountinfo.
MountFacts FindMount(std::string_view absolute_path, std::string_view root);

struct Extent {
  uint64_t logical_byte = 0;
  uint64_t physical_byte = 0;
  uint64_t size_bytes = 0;
};
// Counts the whole 2 MiB pieces of a file of file_bytes. Requires extents in logical order.
AlignedPieces CountAlignedPieces(const std::vector<Extent>& extents, uint64_t file_bytes);

}  // namespace pmdex
