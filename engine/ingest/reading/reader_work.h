// What one reader thread has done and not yet handed over with a block. Files that were passed
// over, and their problems, are handed over with the next block.
#pragma once

#include <utility>

#include "engine/ingest/problem_log.h"
#include "engine/ingest/resume/done_work.h"
#include "pmem/status.h"

namespace pmdex {

struct ReaderWork {
  ProblemLog problems;
  DoneWork done;
  absl::Status error;  // if the reader has to stop the run; then none of its work counts

  DoneWork Take() {
    MergeProblems(problems.Take(), done.problems);
    return std::exchange(done, {});
  }
};

}  // namespace pmdex
