// What `pmdex index` tells a person who cannot go on: the error, and the flag that helps.
#pragma once

#include "engine/store/index_writer.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

// Adds a hint to the error of opening an index for writing. overwrite: whether --overwrite is
// given. directory: nullptr if it could not be opened.
absl::Status ExplainOpenError(const absl::Status& status, bool overwrite,
                              const Directory* directory);

// Says that a signal has ended the build, and how much of it is durable.
absl::Status ExplainStop(int signal, const IndexWriter& writer);

// Adds what helps to the error of a build. A run that failed may have left work that another can
// take up.
absl::Status ExplainBuildError(const absl::Status& status, const IndexWriter& writer);

// Warns if the writer drops an unfinished build. replaces: whether it also drops what readers see.
void WarnDropped(const IndexWriter& writer, bool replaces);

}  // namespace pmdex
