// Observes all calls by which this process changes files below a directory, as they reach the
// kernel and libpmem2. It defines the functions of libc that make system calls, which replaces
// those of libc, and replaces the function table of libpmem2. It records the order of the calls and
// reports them to a DurableShadow.
//
// A mutation leaves out, changes or delays one kind of call, as a mistake in pmem/ would. Tests
// that use the spy must detect every mutation.
//
// Only one spy may live at a time, in a test with one thread. Close all files that were mapped
// while it lived before it is destroyed. Without a spy all calls are passed on unchanged.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pmem/persister.h"
#include "pmem/pmem2_library.h"
#include "tests/support/durable_shadow.h"

namespace pmdex {

enum class MediumMutation {
  kNone,
  kNoFsyncOfFiles,
  kNoFsyncOfTheDirectory,  // of files
  kNoFsyncOfParents,       // directories that got a directory
  kNoFlush,                // BYTE, CACHE_LINE
  kCachedCopies,           // BYTE, CACHE_LINE: ordinary stores, not flushed
  kNoDrain,                // BYTE, CACHE_LINE
  kRenameBeforeFsync,
  kNoAllocation,
};
std::string_view ToString(MediumMutation mutation);

class MediumSpy {
 public:
  explicit MediumSpy(const std::string& root, MediumMutation mutation = MediumMutation::kNone);
  ~MediumSpy();
  MediumSpy(const MediumSpy&) = delete;
  MediumSpy& operator=(const MediumSpy&) = delete;

  // The calls since the last call of this function, as "VERB PATH". Paths are relative to the root,
  // which is "."; consecutive copies or writes of one file are one call. The verbs are create,
  // allocate, write, truncate, fsync, rename (FROM TO), remove and mkdir, and for libpmem2
  // copy (past the caches), cached-copy, flush and drain.
  std::vector<std::string> Take();
  // From now on another process seems to make each directory just before this process does.
  void RaceMakingDirectories() { races_ = true; }

  DurableShadow& shadow() { return shadow_; }

  // Called by the functions that replace those of libc and libpmem2.
  int Fsync(int fd);
  int Truncate(int fd, off_t size);
  int Allocate(int fd, off_t offset, off_t size);
  int Open(int directory, const char* path, int flags, mode_t mode);
  int Rename(int from_directory, const char* from, int to_directory, const char* to);
  int Remove(int directory, const char* path, int flags);
  int MakeDirectory(const char* path, mode_t mode);
  void Wrote(int fd);
  void Mapped(const void* address, StoreGranularity granularity);
  void Copy(pmem2_memcpy_fn copy, void* to, const void* from, size_t size, unsigned flags);
  void Flush(pmem2_flush_fn flush, const void* address, size_t size);
  void Drain(pmem2_drain_fn drain);

 private:
  void Note(const std::string& call);
  bool IsBelow(const std::string& path) const;
  std::string Relative(const std::string& path) const;
  void FsyncWhatWasDelayed(ino_t inode);

  const std::string root_;
  const MediumMutation mutation_;
  bool races_ = false;
  DurableShadow shadow_;
  std::vector<std::string> log_;
  std::map<ino_t, int> delayed_;  // descriptors, keyed by file
  std::vector<std::string> parents_;
};

}  // namespace pmdex
