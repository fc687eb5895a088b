// What one reader thread has done with its files and not yet handed over with a block: files that
// were passed over, and their problems, travel with the next block.
#pragma once

#include "engine/ingest/problem_log.h"
#include "engine/ingest/resume/done_work.h"
#include "pmem/status.h"

namespace pmdex {

struct ReaderWork {
  ProblemLog problems;
  DoneWork done;
  absl::Status error;  // of the reader that has to stop the run; nothing of its work counts then

  DoneWork Take() {
    MergeProblems(problems.Take(), done.problems);
    return std::exchange(done, {});
  }
};

}  // namespace pmdex
