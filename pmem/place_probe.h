// What the file system of a directory gives a mapped file: found by trying with a probe file that
// is gone again at once, because flags and mount options promise more than some stacks keep. For
// `pmdex doctor`; the engine asks granularity_probe. Thread-safe: no state.
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

// How many of a new file's 2 MiB pieces lie on one 2 MiB-aligned extent, which a 2 MiB mapping on
// DAX needs.
struct AlignedPieces {
  uint64_t pieces = 0;
  uint64_t aligned_pieces = 0;
};

struct PlaceFacts {
  std::string path;  // made absolute
  MountFacts mount;
  absl::Status writable;  // OK when a probe file could be created
  bool dax = false;       // STATX_ATTR_DAX of the probe file (of the path, if not writable)
  bool map_sync = false;  // MAP_SHARED_VALIDATE | MAP_SYNC maps
  bool granularity_forced =
      false;  // PMEM2_FORCE_GRANULARITY is set: granularity is not the medium's
  StoreGranularity granularity = StoreGranularity::kPage;
  absl::Status libpmem2;                 // why it cannot be used, where the granularity needs it
  std::optional<AlignedPieces> extents;  // nullopt: not a block-backed file system, or no space
  uint64_t free_bytes = 0;
  uint64_t total_bytes = 0;
};

// kNotFound when the path does not exist; a file stands for its directory.
absl::StatusOr<PlaceFacts> ProbePlace(const std::string& path, std::string_view root = "/");

// The mount that covers an absolute, canonical path, by ROOT/proc/self/mountinfo.
MountFacts FindMount(std::string_view absolute_path, std::string_view root);

struct Extent {
  uint64_t logical_byte = 0;
  uint64_t physical_byte = 0;
  uint64_t size_bytes = 0;
};
// Counts the whole 2 MiB pieces of a file of file_bytes. `extents` in logical order.
AlignedPieces CountAlignedPieces(const std::vector<Extent>& extents, uint64_t file_bytes);

}  // namespace pmdex
