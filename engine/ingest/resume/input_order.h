// Where in the input the documents of new segments come from, so that of two documents with the
// same id the later one can be told, whatever threads indexed them. Only builds with --update keep
// it. It is a part of their progress (build_progress.h), so that it survives a crash.
//
// The order is that of the walk: inputs as they were given, then files by ComesBefore
// (watermark.h), then records. Whole files that are one document each differ in their ids unless
// they come from different inputs, so of them only the input counts.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/ingest/resume/progress_bytes.h"
#include "engine/ingest/resume/watermark.h"

namespace pmdex {

// A place in the input: a record of a file, counted from an offset where a block of input began.
// For whole files only file.input counts, and the rest is empty.
struct InputPlace {
  WalkPosition file;
  uint64_t offset = 0;
  uint64_t record = 0;

  bool operator==(const InputPlace&) const = default;
};
bool ComesBefore(const InputPlace& a, const InputPlace& b);

// Documents of a segment from this one on, up to the next run, which follow one another in the
// input.
struct InputRun {
  uint32_t first_doc = 0;
  InputPlace place;  // of first_doc

  bool operator==(const InputRun&) const = default;
};

struct SegmentOrder {
  uint64_t segment_id = 0;
  std::vector<InputRun> runs;  // ascending by first_doc, the first from 0 on

  bool operator==(const SegmentOrder&) const = default;
};

void EncodeInputOrders(const std::vector<SegmentOrder>& orders, ProgressWriter& out);
// Empty if the bytes are damaged.
std::optional<std::vector<SegmentOrder>> DecodeInputOrders(ProgressReader& in);

}  // namespace pmdex
