// What a build tells of itself: while it runs, and at its end. Plain values.
#pragma once

#include <cstdint>
#include <map>

#include "engine/ingest/pipeline/node_groups.h"
#include "engine/ingest/pipeline/stage_report.h"
#include "engine/ingest/problem_kind.h"

namespace pmdex {

// A moment of the run, for the progress bar. Read with relaxed atomics: approximate.
struct IngestProgress {
  uint64_t bytes_done = 0;
  uint64_t bytes_total = 0;  // 0 while unknown
  uint64_t documents = 0;
  double elapsed_seconds = 0;
};

// Of the whole build: this run, and what it has taken up.
struct IngestReport {
  uint64_t documents = 0;
  uint64_t resumed_documents = 0;  // of these, from earlier runs
  uint64_t skipped = 0;
  uint64_t bytes_in = 0;
  uint64_t tokens = 0;
  uint64_t segments = 0;
  uint64_t repeated_ids = 0;  // documents whose id came before, in this index
  double seconds = 0;
  std::map<ProblemKind, ProblemSummary> problems;
  NodeGroups::Report numa;  // of this run
  PipelineReport stages;    // of this run
  // PeakRssBytes() at the end of the build, which --memory is to bound.
  uint64_t peak_rss_bytes = 0;
};

}  // namespace pmdex
