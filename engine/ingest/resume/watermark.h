// How far into its inputs an unfinished build has got: which files are done, and which ranges of
// the files that are read in parts. What lies between two done files counts as done, so files are
// named by the ends of intervals, and stay right when others appear or vanish between two runs.
//
// Threads finish their parts in any order, so this is a set of intervals rather than one mark; with
// one reader and one indexer it is a prefix. Plain values, compared in the order of the walk.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/ingest/resume/progress_bytes.h"

namespace pmdex {

struct WalkPosition {
  uint64_t input = 0;  // index of the input that it was met in
  std::string path;

  bool operator==(const WalkPosition&) const = default;
};
// The walk visits a's file before b's: inputs as given, then paths name by name. Not the order of
// strings: "a/z" comes before "a.txt".
bool ComesBefore(const WalkPosition& a, const WalkPosition& b);

inline constexpr uint64_t kToEnd =
    ~uint64_t{0};  // as an offset: the end of the file, whatever it is

// Bytes [begin, end) of a file, both at borders of records.
struct DoneRange {
  uint64_t begin = 0;
  uint64_t end = kToEnd;
  uint64_t next_line = 1;  // number of the line that begins at `end`

  bool operator==(const DoneRange&) const = default;
};

// What is still to be read of a file.
struct Gap {
  uint64_t begin = 0;
  uint64_t end = kToEnd;
  uint64_t first_line = 1;
};
// done: ascending, disjoint. Empty: the whole file.
std::vector<Gap> GapsBetween(std::span<const DoneRange> done);

// All files from first to last, or (ranges not empty, first and last the same) a part of one.
struct WatermarkEntry {
  WalkPosition first;
  WalkPosition last;
  std::vector<DoneRange> ranges;

  bool is_whole() const { return ranges.empty(); }
  bool operator==(const WatermarkEntry&) const = default;
};
using Watermark = std::vector<WatermarkEntry>;  // ascending, disjoint

void EncodeWatermark(const Watermark& watermark, ProgressWriter& out);
// Empty when the bytes make no sense.
std::optional<Watermark> DecodeWatermark(ProgressReader& in);

}  // namespace pmdex
