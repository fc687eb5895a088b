// What a build reports while it runs and when it ends. Plain values.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "engine/ingest/pipeline/node_groups.h"
#include "engine/ingest/pipeline/stage_report.h"
#include "engine/ingest/problem_kind.h"
#include "pmem/cpu_features.h"

namespace pmdex {

// The state of a run, for the progress bar. The numbers are approximate and may not match one
// another.
struct IngestProgress {
  uint64_t bytes_done = 0;
  uint64_t bytes_total = 0;  // 0 while unknown
  uint64_t documents = 0;
  uint64_t written_documents = 0;  // how many of them are in segments, not only in memory
  double elapsed_seconds = 0;
};

// The whole build: this run and the earlier ones that it resumed.
struct IngestReport {
  uint64_t documents = 0;
  uint64_t resumed_documents = 0;  // how many of these are from earlier runs
  uint64_t skipped = 0;
  uint64_t bytes_in = 0;
  uint64_t tokens = 0;
  uint64_t segments = 0;
  uint64_t repeated_ids = 0;  // documents whose id came before, in this index
  uint64_t updated = 0;       // documents that later ones replaced
  double seconds = 0;
  std::map<ProblemKind, ProblemSummary> problems;
  std::map<std::string, uint64_t> bad_values;  // values that did not fit the type of their field
  NodeGroups::Report numa;                     // of this run only
  PipelineReport stages;                       // of this run only
  SimdLevel simd = SimdLevel::kScalar;         // of the kernels that ran
  // PeakRssBytes() at the end of the build; IngestOptions::memory_bytes bounds it.
  uint64_t peak_rss_bytes = 0;
};

}  // namespace pmdex
