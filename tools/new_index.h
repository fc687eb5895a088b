// Makes the index that a command writes to a new place: the set operations and `copy`.
#pragma once

#include <memory>
#include <string>

#include "engine/store/index_writer.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

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
