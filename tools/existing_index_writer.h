// Opens a writer for commands that change an index that is there: `tier`, `delete`.
#pragma once

#include <memory>

#include "engine/store/index_writer.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

// Returns kFailedPrecondition, with a hint, while a build is unfinished, because publishing would
// drop it; and the errors of IndexWriter::Open.
absl::StatusOr<std::unique_ptr<IndexWriter>> OpenWriterOfExistingIndex(Directory& directory);

}  // namespace pmdex
