// A directory of files that are written once, then mapped and read in place. The engine reads and
// writes all its files through this interface. Tests implement it with directories that log, fail
// or lose power.
//
// A file is written durably in these steps: Create, CopyNonTemporal for all data, Drain,
// StoreAndFlush for the header, Drain, Seal, Rename, and Sync of the directory. The file may be
// missing or incomplete after a power cut until Sync has returned. A name is one path component and
// neither empty nor "." nor "..".
//
// Implementations of Directory are thread-safe. A WritableFile belongs to one thread at a time.
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
#include "pmem/block_io/uncached_file.h"
#include "pmem/persister.h"
#include "pmem/status.h"

namespace pmdex {

// Larger files are allocated in multiples of this, and mappings of them are aligned to it, so that
// the kernel can map them with 2 MiB pages.
inline constexpr uint64_t kHugePageBytes = uint64_t{2} << 20;

// A file that is being written. Its bytes are volatile until all steps above are done.
class WritableFile {
 public:
  // A file that was not sealed stays in the directory; recovery removes it.
  virtual ~WritableFile() = default;

  // The bytes that are allocated. Writes behind them are a broken invariant (PMDEX_CHECK).
  virtual uint64_t capacity_bytes() const = 0;
  // For bulk data: writes past the caches. Durable once Drain, Seal and Sync have returned.
  virtual void CopyNonTemporal(uint64_t offset, std::span<const std::byte> bytes) = 0;
  // For small data: stores and flushes. Durable once Drain, Seal and Sync have returned.
  virtual void StoreAndFlush(uint64_t offset, std::span<const std::byte> bytes) = 0;
  // Waits until all writes have reached the medium. Drain and Seal return kDataLoss if the medium
  // failed a store (fault_guard.h), and kResourceExhausted if the file system had no block for one.
  virtual absl::Status Drain() = 0;
  // Truncates the file to length_bytes, fsyncs it and closes it. Requires length_bytes <=
  // capacity_bytes(). No write may follow.
  virtual absl::Status Seal(uint64_t length_bytes) = 0;
  virtual const PersistCounters& counters() const = 0;
};

// A read-only view of a whole file. The bytes stay valid at the same address until the object is
// destroyed, even if the file is removed or renamed.
class ReadableFile {
 public:
  virtual ~ReadableFile() = default;

  virtual std::span<const std::byte> bytes() const = 0;
  // Asks the kernel to map [offset, offset + size_bytes) now, so that later loads do not fault.
  // Returns an error if the kernel knows the range to be damaged. Does nothing where the bytes are
  // always mapped.
  virtual absl::Status Populate(uint64_t offset, uint64_t size_bytes) const = 0;
  // Begins to read [offset, offset + size_bytes) from the disk and does not wait for it. The range
  // is cut to the file; the kernel reads nothing around it. A caller that first names all ranges it
  // needs waits only once. Does nothing on media that are memory. Reports no errors: they show when
  // the bytes are read.
  virtual void Prefetch(uint64_t /*offset*/, uint64_t /*size_bytes*/) const {}
  // Unmaps the pages of [offset, offset + size_bytes), so that they do not count as memory of this
  // process until they are read again. For callers that read a large file once. Does nothing where
  // the bytes are always mapped.
  virtual void Release(uint64_t /*offset*/, uint64_t /*size_bytes*/) const {}
  // OK until the medium fails a load from bytes(); from then on kDataLoss, with the file and the
  // offset in the message. Bytes that could not be read are zeros. Callers must therefore ask after
  // each use of bytes(), and drop what they computed if this is not OK.
  virtual absl::Status Health() const = 0;
  // True if Health is OK; cheaper where many files are asked.
  virtual bool is_healthy() const { return Health().ok(); }
  // The offset of the first failed load; nullopt while Health is OK.
  virtual std::optional<uint64_t> failed_offset() const { return std::nullopt; }
  // The bad blocks that the kernel knew when the file was opened. Empty on media without such a
  // list.
  virtual std::span<const BadBlock> known_bad_blocks() const { return {}; }
};

// A lock that is held for as long as the object lives. The kernel releases it when the process
// dies.
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

  // Creates a new file of at least capacity_bytes, as AllocatedBytes says or more. All its blocks
  // are allocated. Returns kAlreadyExists, or kResourceExhausted without enough space.
  virtual absl::StatusOr<std::unique_ptr<WritableFile>> Create(std::string_view name,
                                                               uint64_t capacity_bytes) = 0;
  // Maps an existing file; bytes() of an empty file is empty. Returns kNotFound if there is no such
  // file.
  virtual absl::StatusOr<std::unique_ptr<ReadableFile>> Open(std::string_view name) const = 0;
  // Opens an existing file to be read past the page cache, beside its mapping. Returns nullptr on
  // media whose files are memory of this process, and the errors of Open.
  virtual absl::StatusOr<std::unique_ptr<UncachedFile>> OpenUncached(
      std::string_view /*name*/) const {
    return std::unique_ptr<UncachedFile>();
  }
  // Replaces `to` if it exists. Durable once Sync has returned.
  virtual absl::Status Rename(std::string_view from, std::string_view to) = 0;
  // Returns kNotFound if there is no such file. Durable once Sync has returned.
  virtual absl::Status Remove(std::string_view name) = 0;
  // Makes all creates, renames and removes before it durable.
  virtual absl::Status Sync() = 0;
  // The regular files, sorted by name.
  virtual absl::StatusOr<std::vector<DirectoryEntry>> List() const = 0;
  // The names of List without the sizes, for which a file system asks each file.
  virtual absl::StatusOr<std::vector<std::string>> ListNames() const {
    PMDEX_ASSIGN_OR_RETURN(const std::vector<DirectoryEntry> entries, List());
    std::vector<std::string> names;
    names.reserve(entries.size());
    for (const DirectoryEntry& entry : entries) names.push_back(entry.name);
    return names;
  }
  // The names of all other entries (subdirectories, links, devices), sorted.
  virtual absl::StatusOr<std::vector<std::string>> ListOthers() const {
    return std::vector<std::string>();
  }
  // Takes a lock that only one process can hold. Returns kUnavailable if another process holds it.
  virtual absl::StatusOr<std::unique_ptr<DirectoryLock>> Lock(std::string_view name) = 0;

  // From now on gives new files the group of the file `name` and, unless the directory was opened
  // with a mode, its mode. Returns kFailedPrecondition if this user cannot give a file that group,
  // and the mode grants the group more than it grants others. No other call may run at the same
  // time as TakeAccessOf or ApplyMode. Both do nothing where files have no owner.
  virtual absl::Status TakeAccessOf(std::string_view /*name*/) { return absl::OkStatus(); }
  // Gives the file `name` the mode that the directory was opened with; an empty name stands for the
  // directory itself. Does nothing if the directory was opened without a mode.
  virtual absl::Status ApplyMode(std::string_view /*name*/) { return absl::OkStatus(); }

  // The granularity of files that are created here.
  virtual StoreGranularity granularity() const = 0;
  // The bytes that can still be allocated.
  virtual absl::StatusOr<uint64_t> FreeBytes() const = 0;
  // The path, or "dram:NAME", for messages.
  virtual const std::string& path() const = 0;

  // Opens another directory on a medium of the same kind, for files of the same owner: its new
  // files get the access that those of this directory get. create: makes the directory and its
  // parents if they are missing. Returns kInvalidArgument if IsPlainAbsolutePath(path) is false,
  // kNotFound if there is no such directory, and kFailedPrecondition if a part of the path is a
  // symbolic link.
  virtual absl::StatusOr<std::unique_ptr<Directory>> OpenElsewhere(std::string_view /*path*/,
                                                                   bool /*create*/) const {
    return MakeStatus(absl::StatusCode::kUnimplemented, "no other directories here");
  }
  // The absolute path without symbolic links; path() on media without paths.
  virtual std::string canonical_path() const { return path(); }
};

// The mode of a directory whose files have file_mode: users who may read the files may also enter
// the directory.
constexpr uint32_t DirectoryMode(uint32_t file_mode) {
  return file_mode | (file_mode & 0444) >> 2;
}

struct FileDirectoryOptions {
  bool create = false;  // create the directory and its parents if they are missing
  bool durable = true;  // false: Seal and Sync skip fsync (benches, bulk loads)
  // The mode of new files, whatever the umask is; new directories get DirectoryMode of it. Without
  // a mode, new files get 0600 and new directories 0700, less what the umask takes away.
  std::optional<uint32_t> mode = std::nullopt;
};

// Opens a directory of a mounted file system. On a DAX file system loads and stores reach the
// medium itself, elsewhere the page cache; granularity() says which, after mapping a probe file.
// Returns kNotFound if the directory does not exist.
absl::StatusOr<std::unique_ptr<Directory>> OpenFileDirectory(std::string_view path,
                                                             const FileDirectoryOptions& options);

// How a directory in DRAM allocates its files.
enum class DramAllocation {
  kHugePages,  // as a medium does: multiples of kHugePageBytes, in huge pages where there are some
  kExact,      // as few bytes as possible, for many small files that are made and dropped quickly
};

// A directory in the memory of this process, for segments that are not on a medium yet, for tests,
// and for benches that leave the medium out.
std::unique_ptr<Directory> NewDramDirectory(std::string_view name,
                                            DramAllocation allocation = DramAllocation::kHugePages);

}  // namespace pmdex
