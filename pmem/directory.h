// A directory of immutable files that are written once, mapped, and read in place: all the
// persistence that the engine knows. An implementation that logs and crashes can stand in its place
// in tests.
//
// Protocol of a durable file: Create (exclusive, space allocated) -> CopyNonTemporal... -> Drain ->
// header -> Drain -> Seal (truncate to its length, fsync) -> Rename -> Sync (the directory).
// Nothing is promised before Sync returns. A name is one path component, never empty, "." or "..".
//
// Implementations are thread-safe; a WritableFile belongs to one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pmem/bad_blocks.h"
#include "pmem/persister.h"
#include "pmem/status.h"

namespace pmdex {

// Space is allocated in multiples of this, and mappings are aligned to it, so that the kernel can
// use 2 MiB pages.
inline constexpr uint64_t kHugePageBytes = uint64_t{2} << 20;

// A file being written. The bytes are volatile until the protocol above is done.
class WritableFile {
 public:
  virtual ~WritableFile() = default;  // unsealed: the file stays as it is, for recovery to remove

  // Bytes allocated; writes beyond are a broken invariant (PMDEX_CHECK).
  virtual uint64_t capacity_bytes() const = 0;
  // Bulk data, past the caches. Durable after Drain (with Seal and the directory's Sync).
  virtual void CopyNonTemporal(uint64_t offset, std::span<const std::byte> bytes) = 0;
  // Small data by ordinary stores, flushed. Durable after Drain (likewise).
  virtual void StoreAndFlush(uint64_t offset, std::span<const std::byte> bytes) = 0;
  // A medium that failed a store (see fault_guard.h) is kDataLoss here and in Seal; a hole without
  // a block to fill it, kResourceExhausted.
  virtual absl::Status Drain() = 0;
  // Truncates to length_bytes (<= capacity), fsyncs the file and closes it. No write may follow.
  virtual absl::Status Seal(uint64_t length_bytes) = 0;
  virtual const PersistCounters& counters() const = 0;
};

// A read-only view of a whole file. The bytes stay valid and unmoved until it is destroyed, also
// after the file was removed or renamed.
class ReadableFile {
 public:
  virtual ~ReadableFile() = default;

  virtual std::span<const std::byte> bytes() const = 0;
  // Asks the kernel to map [offset, offset + size) now: later touches do not fault, and a known
  // media error is a Status instead of a signal. A no-op where memory is always mapped.
  virtual absl::Status Populate(uint64_t offset, uint64_t size_bytes) const = 0;
  // Says that exactly [offset, offset + size), cut to the file, will be read soon. Where that needs
  // a disk the read begins and this returns without waiting for it: whoever names all that it needs
  // first waits once, and the kernel reads nothing around it. No effect on media that are memory,
  // and no promise: a medium that fails shows when the bytes are touched.
  virtual void Prefetch(uint64_t /*offset*/, uint64_t /*size_bytes*/) const {}
  // The opposite, for who reads much and keeps little: pages of [offset, offset + size) no longer
  // count as this process's memory until they are touched again. A no-op where it is always mapped.
  virtual void Release(uint64_t /*offset*/, uint64_t /*size_bytes*/) const {}
  // OK until the medium failed a load from bytes(); from then on kDataLoss that names file and
  // offset. What could not be read is zeros: whoever computed from it must ask, and drop the
  // result.
  virtual absl::Status Health() const = 0;
  // Where the first failed load was; nullopt while Health is OK.
  virtual std::optional<uint64_t> failed_offset() const { return std::nullopt; }
  // What the kernel knew to be bad when the file was opened; empty on media without such a list.
  virtual std::span<const BadBlock> known_bad_blocks() const { return {}; }
};

// Held for as long as the object lives; released by the kernel when the process dies.
class DirectoryLock {
 public:
  virtual ~DirectoryLock() = default;
};

struct DirectoryEntry {
  std::string name;
  uint64_t size_bytes = 0;
};

class Directory {
 public:
  virtual ~Directory() = default;

  // Creates a new file of at least capacity_bytes, rounded up to kHugePageBytes and really
  // allocated (never sparse). kAlreadyExists, kResourceExhausted.
  virtual absl::StatusOr<std::unique_ptr<WritableFile>> Create(std::string_view name,
                                                               uint64_t capacity_bytes) = 0;
  // Maps an existing file. An empty file gives an empty span. kNotFound.
  virtual absl::StatusOr<std::unique_ptr<ReadableFile>> Open(std::string_view name) const = 0;
  // Replaces `to` if it exists. Durable after Sync.
  virtual absl::Status Rename(std::string_view from, std::string_view to) = 0;
  // kNotFound when there is none. Durable after Sync.
  virtual absl::Status Remove(std::string_view name) = 0;
  // Makes creates, renames and removes durable.
  virtual absl::Status Sync() = 0;
  // Regular files, sorted by name.
  virtual absl::StatusOr<std::vector<DirectoryEntry>> List() const = 0;
  // Names of everything else that is in the directory (subdirectories, links, devices), sorted.
  // None where there can only be files.
  virtual absl::StatusOr<std::vector<std::string>> ListOthers() const {
    return std::vector<std::string>();
  }
  // Exclusive among all processes; kUnavailable when another holds it.
  virtual absl::StatusOr<std::unique_ptr<DirectoryLock>> Lock(std::string_view name) = 0;

  // Files that are created from here on get the group of the file `name` and, unless the directory
  // was opened with a mode, its mode. kFailedPrecondition when this user cannot give a file that
  // group and the mode grants the group something that it does not grant others. The two calls
  // about access have no effect where files belong to nobody, and must not run beside others.
  virtual absl::Status TakeAccessOf(std::string_view /*name*/) { return absl::OkStatus(); }
  // Gives the file `name`, or with an empty name the directory, the mode that the directory was
  // opened with; no effect when it was opened without one.
  virtual absl::Status ApplyMode(std::string_view /*name*/) { return absl::OkStatus(); }

  // What a file created here gets.
  virtual StoreGranularity granularity() const = 0;
  // Bytes that can still be allocated.
  virtual absl::StatusOr<uint64_t> FreeBytes() const = 0;
  // For messages: the path, or "dram:NAME".
  virtual const std::string& path() const = 0;
};

// The mode of a directory whose files have this mode: who may read them may also go there.
constexpr uint32_t DirectoryMode(uint32_t file_mode) {
  return file_mode | (file_mode & 0444) >> 2;
}

struct FileDirectoryOptions {
  bool create = false;  // mkdir -p first
  bool durable = true;  // false: Drain, Seal and Sync skip fsync/msync (benches, bulk loads)
  // Of new files, whatever the umask; of new directories DirectoryMode of it. Without one they are
  // for this user alone (0600 and 0700, less what the umask takes away).
  std::optional<uint32_t> mode = std::nullopt;
};

// A directory of a mounted file system: DAX (loads and stores reach the medium) or page cache;
// which one is found out by mapping a probe file and reported by granularity(). kNotFound when it
// does not exist.
absl::StatusOr<std::unique_ptr<Directory>> OpenFileDirectory(std::string_view path,
                                                             const FileDirectoryOptions& options);

// A directory in this process's memory, for tests and for measuring the medium's share of a cost.
std::unique_ptr<Directory> NewDramDirectory(std::string_view name);

}  // namespace pmdex
