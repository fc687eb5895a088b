// A part of the input, and what became of it: blocks carry it from the readers to the indexers, who
// hand it on when its documents are in segments. A value; one thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ingest/problem_log.h"
#include "engine/ingest/resume/watermark.h"

namespace pmdex {

// Whole files that follow one another in the walk. Ordinals count the files of this run.
struct DoneFiles {
  uint64_t first_ordinal = 0;
  uint64_t last_ordinal = 0;
  WalkPosition first;
  WalkPosition last;
};

struct DoneBytes {
  uint64_t ordinal = 0;
  WalkPosition file;
  DoneRange range;
};

struct DoneWork {
  uint64_t documents = 0;
  uint64_t tokens = 0;
  uint64_t bytes_in = 0;
  std::vector<uint64_t> segment_ids;  // that the documents are in
  ProblemSummaries problems;
  std::vector<DoneFiles> files;
  std::vector<DoneBytes> bytes;

  // Of a run of files it keeps the memory of one path: no allocation a file.
  void AddFile(uint64_t ordinal, uint64_t input, std::string_view path);
  void Add(DoneWork&& other);
};

}  // namespace pmdex
