#include "engine/ingest/resume/watermark.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "pmem/short_bytes.h"

namespace pmdex {
namespace {

// No path that a file system takes is longer; hostile bytes are not to grow in memory.
constexpr size_t kMostPathBytes = size_t{64} << 10;

// Paths share much with their neighbours: the bytes shared with the one before, then the rest.
void EncodePosition(const WalkPosition& position, const std::string& before, ProgressWriter& out) {
  const size_t shared = CountSharedBytes(position.path, before);
  out.Number(position.input);
  out.Number(shared);
  out.String(std::string_view(position.path).substr(shared));
}

WalkPosition DecodePosition(const std::string& before, ProgressReader& in) {
  WalkPosition position;
  position.input = in.Number();
  const uint64_t shared = in.Number();
  if (shared > before.size()) in.Fail();
  if (!in.failed()) position.path = before.substr(0, shared);
  position.path += in.String();
  if (position.path.size() > kMostPathBytes) in.Fail();
  return position;
}

bool IsValid(std::span<const DoneRange> ranges) {
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].begin >= ranges[i].end) return false;
    if (i > 0 && ranges[i].begin <= ranges[i - 1].end) return false;
  }
  return true;
}

bool IsValid(const Watermark& watermark) {
  for (size_t i = 0; i < watermark.size(); ++i) {
    const WatermarkEntry& entry = watermark[i];
    if (ComesBefore(entry.last, entry.first) || !IsValid(entry.ranges)) return false;
    if (!entry.is_whole() && entry.first != entry.last) return false;
    if (i > 0 && !ComesBefore(watermark[i - 1].last, entry.first)) return false;
  }
  return true;
}

}  // namespace

bool ComesBefore(const WalkPosition& a, const WalkPosition& b) {
  if (a.input != b.input) return a.input < b.input;
  // A name ends before any longer one, so the slash counts as less than every byte of a name.
  const auto rank = [](char c) { return c == '/' ? 0 : static_cast<unsigned char>(c); };
  return std::lexicographical_compare(a.path.begin(), a.path.end(), b.path.begin(), b.path.end(),
                                      [&](char x, char y) { return rank(x) < rank(y); });
}

std::vector<Gap> GapsBetween(std::span<const DoneRange> done) {
  std::vector<Gap> gaps;
  Gap gap;
  for (const DoneRange& range : done) {
    gap.end = range.begin;
    if (gap.begin < gap.end) gaps.push_back(gap);
    gap.begin = range.end;
    gap.first_line = range.next_line;
    gap.time_before = range.next_time;
  }
  gap.end = kToEnd;
  if (gap.begin < gap.end) gaps.push_back(gap);
  return gaps;
}

void EncodeWatermark(const Watermark& watermark, ProgressWriter& out) {
  out.Number(watermark.size());
  const std::string nothing;
  const std::string* before = &nothing;
  for (const WatermarkEntry& entry : watermark) {
    EncodePosition(entry.first, *before, out);
    EncodePosition(entry.last, entry.first.path, out);
    before = &entry.last.path;
    out.Number(entry.ranges.size());
    uint64_t at = 0;
    for (const DoneRange& range : entry.ranges) {
      out.Number(range.begin - at);
      out.Number(range.end - range.begin);
      out.Number(range.next_line);
      at = range.end;
    }
  }
}

std::optional<Watermark> DecodeWatermark(ProgressReader& in) {
  Watermark watermark(0);
  std::string before;
  for (uint64_t left = in.Count(); left > 0 && !in.failed(); --left) {
    WatermarkEntry entry;
    entry.first = DecodePosition(before, in);
    entry.last = DecodePosition(entry.first.path, in);
    uint64_t at = 0;
    for (uint64_t ranges = in.Count(); ranges > 0 && !in.failed(); --ranges) {
      DoneRange range;
      range.begin = at + in.Number();
      range.end = range.begin + in.Number();
      range.next_line = in.Number();
      if (range.begin < at) in.Fail();
      at = range.end;
      entry.ranges.push_back(range);
    }
    before = entry.last.path;
    watermark.push_back(std::move(entry));
  }
  if (in.failed() || !IsValid(watermark)) return std::nullopt;
  return watermark;
}

bool HasTimes(const Watermark& watermark) {
  return std::any_of(watermark.begin(), watermark.end(), [](const WatermarkEntry& entry) {
    return std::any_of(entry.ranges.begin(), entry.ranges.end(),
                       [](const DoneRange& range) { return range.next_time.has_value(); });
  });
}

void EncodeTimes(const Watermark& watermark, ProgressWriter& out) {
  for (const WatermarkEntry& entry : watermark) {
    for (const DoneRange& range : entry.ranges) {
      out.Number(range.next_time.has_value() ? 1 : 0);
      if (range.next_time.has_value()) out.Number(std::bit_cast<uint64_t>(*range.next_time));
    }
  }
}

std::optional<Watermark> DecodeTimes(ProgressReader& in, Watermark watermark) {
  for (WatermarkEntry& entry : watermark) {
    for (DoneRange& range : entry.ranges) {
      const uint64_t count = in.Number();
      if (count > 1) in.Fail();
      if (count == 1) range.next_time = std::bit_cast<int64_t>(in.Number());
    }
  }
  if (in.failed()) return std::nullopt;
  return watermark;
}

}  // namespace pmdex
