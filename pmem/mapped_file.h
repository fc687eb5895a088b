// The files of a FileDirectory: a descriptor, its mapping, and the persister that fits. See
// directory.h for the contract, thread-safety included; this is where its protocol meets the
// kernel.
#pragma once

#include <sys/stat.h>

#include <memory>
#include <string>

#include "pmem/directory.h"
#include "pmem/file_descriptor.h"

namespace pmdex {

// Maps a new file whose blocks are allocated. `path` is for messages.
absl::StatusOr<std::unique_ptr<WritableFile>> MapWritableFile(FileDescriptor fd, std::string path,
                                                              bool durable);

// Maps an existing file, of which `facts` are what fstat says; the descriptor is not kept.
absl::StatusOr<std::unique_ptr<ReadableFile>> MapReadableFile(FileDescriptor fd, std::string path,
                                                              const struct stat& facts);

}  // namespace pmdex
