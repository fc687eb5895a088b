// A part of the input and the result of indexing it. Blocks carry it from the readers to the
// indexers, which pass it on when its documents are in segments. A value, for one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ingest/problem_log.h"
#include "engine/ingest/resume/input_order.h"
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
  std::vector<uint64_t> segment_ids;  // of the segments with the documents
  std::vector<SegmentOrder> orders;   // of these segments, if the build keeps them
  ProblemSummaries problems;
  std::map<std::string, uint64_t> bad_values;  // by field
  std::vector<DoneFiles> files;
  std::vector<DoneBytes> bytes;

  // Adds a whole file. Files that follow one another share an entry, so that most calls allocate no
  // memory.
  void AddFile(uint64_t ordinal, uint64_t input, std::string_view path);
  void Add(DoneWork&& other);
};

}  // namespace pmdex
