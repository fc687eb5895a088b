// Opens the directory that a command writes an index to, and makes a new index in it.
#pragma once

#include <memory>
#include <string>

#include "engine/store/index_writer.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

// Opens the directory of an index, or one that may become an index (own_files.h). Changes nothing
// in it. Returns kFailedPrecondition if there are files of others, and the errors of
// OpenFileDirectory.
absl::StatusOr<std::unique_ptr<Directory>> OpenDirectoryForIndex(
    const std::string& path, const FileDirectoryOptions& options);

// What the set operations and `copy` write.
struct NewIndex {
  std::unique_ptr<Directory> directory;  // outlives the writer
  std::unique_ptr<IndexWriter> writer;
};

// Creates the directory if it is missing. Returns kAlreadyExists if there is an index, and
// kFailedPrecondition if there are files of others. origin: what `pmdex info` shows as the inputs
// of the index.
absl::StatusOr<NewIndex> CreateIndex(const std::string& path, const IndexSettings& settings,
                                     std::string origin);

}  // namespace pmdex
