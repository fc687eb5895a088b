// Counts the lines that a query touches, by section of the segment file, from its recorded loads.
// Thread-safe: no state.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/segment/segment.h"
#include "pmem/status.h"
#include "query/searcher.h"
#include "tools/compare/medium/access_recorder.h"

namespace pmdex {

// Different units (lines of 64 or 256 bytes) that were touched. A unit is sequential if the unit
// before it in the file was touched before by the same query, and random otherwise.
struct TouchedUnits {
  double random = 0;
  double sequential = 0;
  double total() const { return random + sequential; }
};

// Of one query, or the mean of several.
struct SectionTouches {
  TouchedUnits of_64;   // lines of caches and DRAM
  TouchedUnits of_256;  // units of Optane media
};

struct QueryTouches {
  std::map<std::string, SectionTouches> sections;  // by the name of the section
  SectionTouches total() const;
};

// One 64-byte line: the number of the segment, and of the line in its file.
struct TouchedLine {
  uint32_t segment = 0;
  uint64_t line = 0;
  friend auto operator<=>(const TouchedLine&, const TouchedLine&) = default;
};

struct RecordedQuery {
  QueryTouches touches;
  std::vector<TouchedLine> lines;  // different ones, ascending
  size_t loads = 0;                // that were recorded
};

// The name of the section at an offset of the file of a segment.
using SectionAt = std::function<std::string(uint32_t segment, uint64_t offset)>;

// accesses: of one query; their range is the number of the segment.
RecordedQuery CountTouches(std::span<const RecordedAccess> accesses, const SectionAt& section_at);

// The name of the section at an offset of the file; "header" outside of all sections.
std::string SectionAtOffset(const Segment& segment, uint64_t offset);

// Runs the query with scalar kernels and counts what it touched. The query ran before, so that
// pages are verified already. Returns kOutOfRange for a query with more than `most` loads.
absl::StatusOr<RecordedQuery> RecordQuery(const Searcher& searcher, const std::string& query,
                                          SearchOptions options, size_t most);

// The mean over queries; at least one.
QueryTouches MeanTouches(std::span<const RecordedQuery> queries);

}  // namespace pmdex
