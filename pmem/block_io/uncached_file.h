// A file that is read past the page cache, for BlockCache. Owns its descriptor. Thread-safe: it
// does not change once it is open.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "pmem/file_descriptor.h"
#include "pmem/status.h"

namespace pmdex {

class UncachedFile {
 public:
  // Opens an existing file with O_DIRECT. Where the file system refuses that (tmpfs on older
  // kernels), its reads go through the page cache, and is_direct() says so.
  static absl::StatusOr<std::unique_ptr<UncachedFile>> Open(const std::string& path);
  // The same for the file `name` of an open directory; follows no symbolic link. path: for
  // messages.
  static absl::StatusOr<std::unique_ptr<UncachedFile>> OpenIn(int directory,
                                                              const std::string& name,
                                                              const std::string& path);

  int descriptor() const { return file_.get(); }
  bool is_direct() const { return is_direct_; }
  // No other file that this process opens so has the same number, not even after this one closed.
  uint64_t number() const { return number_; }

 private:
  UncachedFile(FileDescriptor file, bool is_direct);
  static absl::StatusOr<std::unique_ptr<UncachedFile>> OpenAt(int directory,
                                                              const std::string& name,
                                                              int more_flags,
                                                              const std::string& path);

  const FileDescriptor file_;
  const bool is_direct_;
  const uint64_t number_;
};

}  // namespace pmdex
