// The files of the Directory that OpenFileDirectory returns: each joins a descriptor, its mapping
// and a persister. directory.h has the contract and says what is thread-safe.
#pragma once

#include <sys/stat.h>

#include <memory>
#include <string>

#include "pmem/directory.h"
#include "pmem/file_descriptor.h"

namespace pmdex {

// Maps a new file, whose blocks must be allocated. path: named in messages.
absl::StatusOr<std::unique_ptr<WritableFile>> MapWritableFile(FileDescriptor fd, std::string path,
                                                              bool durable);

// Maps an existing file. facts: the result of fstat. Closes the descriptor on return.
absl::StatusOr<std::unique_ptr<ReadableFile>> MapReadableFile(FileDescriptor fd, std::string path,
                                                              const struct stat& facts);

}  // namespace pmdex
