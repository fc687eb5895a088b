// Sees every call with which this process changes files below a directory, as it reaches the kernel
// and libpmem2: system calls because the functions of libc that make them are defined here too, and
// a program's own definition comes first; libpmem2 by its table of functions. It notes their order
// and tells a DurableShadow. A mutation leaves out, changes or delays one kind of call before it is
// noted, as a mistake in pmem/ would: the tests that use the spy must notice each of them.
//
// One spy at a time, in a test of one thread; files that were mapped under it are closed before it
// goes. Without a spy every call goes on as it is.
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
  kNoDrain,                // on PAGE: no msync
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

  // The calls since the last time, "VERB PATH" with paths relative to the root, which is ".";
  // copies or writes of one file in a row are one. Verbs: create, allocate, write, msync, truncate,
  // fsync, rename (FROM TO), remove, mkdir; and of libpmem2: copy (past the caches), cached-copy,
  // flush, drain.
  std::vector<std::string> Take();
  // From now on somebody else makes each directory just before this process would.
  void RaceMakingDirectories() { races_ = true; }

  DurableShadow& shadow() { return shadow_; }

  // For the definitions behind it.
  int Fsync(int fd);
  int Msync(void* address, size_t size, int flags);
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
  std::map<ino_t, int> delayed_;  // descriptors, by file
  std::vector<std::string> parents_;
};

}  // namespace pmdex
