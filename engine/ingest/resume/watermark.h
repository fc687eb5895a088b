// How far an unfinished build has come in its inputs: which files are done, and which ranges of
// files that are read in parts. Everything between the first and the last file of an interval
// counts as done. So a watermark stays valid if files appear or vanish between two runs.
//
// Threads finish their parts in any order, so a watermark is a set of intervals. With one reader
// and one indexer it is a single one, from the beginning. Plain values, compared in the order of
// the walk.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/ingest/resume/progress_bytes.h"

namespace pmdex {

struct WalkPosition {
  uint64_t input = 0;  // index of the input that the walk found the file in
  std::string path;

  bool operator==(const WalkPosition&) const = default;
};
// True if the walk visits the file of a before that of b: inputs in the order given, then paths
// name by name. This is not the order of strings: "a/z" comes before "a.txt".
bool ComesBefore(const WalkPosition& a, const WalkPosition& b);

// An offset that stands for the end of the file, wherever that is.
inline constexpr uint64_t kToEnd = ~uint64_t{0};

// Bytes [begin, end) of a file, both at borders of records.
struct DoneRange {
  uint64_t begin = 0;
  uint64_t end = kToEnd;
  uint64_t next_line = 1;  // number of the line that begins at `end`
  // With --log-time: the time of the last line before `end` that has one.
  std::optional<int64_t> next_time = std::nullopt;

  bool operator==(const DoneRange&) const = default;
};

// A range of a file that is still to be read.
struct Gap {
  uint64_t begin = 0;
  uint64_t end = kToEnd;
  uint64_t first_line = 1;
  std::optional<int64_t> time_before = std::nullopt;  // DoneRange::next_time of the range before
};
// The gaps between the ranges of `done`, which are ascending and disjoint. If `done` is empty, the
// gap is the whole file.
std::vector<Gap> GapsBetween(std::span<const DoneRange> done);

// All files from first to last. If ranges is not empty, first and last are the same file, of which
// only the ranges are done.
struct WatermarkEntry {
  WalkPosition first;
  WalkPosition last;
  std::vector<DoneRange> ranges;

  bool is_whole() const { return ranges.empty(); }
  bool operator==(const WatermarkEntry&) const = default;
};
using Watermark = std::vector<WatermarkEntry>;  // ascending, disjoint

void EncodeWatermark(const Watermark& watermark, ProgressWriter& out);
// Empty if the bytes are damaged.
std::optional<Watermark> DecodeWatermark(ProgressReader& in);

// The times of ranges are apart from the rest, because most builds have none.
bool HasTimes(const Watermark& watermark);
void EncodeTimes(const Watermark& watermark, ProgressWriter& out);
// The watermark with the times; empty if the bytes are damaged.
std::optional<Watermark> DecodeTimes(ProgressReader& in, Watermark watermark);

}  // namespace pmdex
