#include "engine/ingest/resume/watermark_builder.h"

#include <algorithm>
#include <utility>

#include "pmem/check.h"

namespace pmdex {
namespace {

void InsertRange(const DoneRange& range, std::vector<DoneRange>& ranges) {
  const auto at =
      std::lower_bound(ranges.begin(), ranges.end(), range,
                       [](const DoneRange& a, const DoneRange& b) { return a.begin < b.begin; });
  auto merged = ranges.insert(at, range);
  const auto next = merged + 1;
  if (next != ranges.end() && merged->end == next->begin) {
    merged->end = next->end;
    merged->next_line = next->next_line;
    merged->next_time = next->next_time;
    merged = ranges.erase(next) - 1;
  }
  if (merged == ranges.begin()) return;
  const auto before = merged - 1;
  if (before->end != merged->begin) return;
  before->end = merged->end;
  before->next_line = merged->next_line;
  before->next_time = merged->next_time;
  ranges.erase(merged);
}

}  // namespace

void WatermarkBuilder::Pass(uint64_t ordinal) {
  PMDEX_CHECK(passed_ < resumed_.size());
  const WatermarkEntry& entry = resumed_[passed_++];
  if (entry.is_whole()) {
    Add(DoneFiles{ordinal, ordinal, entry.first, entry.last});
  } else {
    parts_[ordinal] = {entry.first, entry.ranges};
  }
}

void WatermarkBuilder::Add(const DoneFiles& files) {
  auto run =
      runs_.emplace(files.first_ordinal, Files{files.last_ordinal, files.first, files.last}).first;
  if (const auto next = std::next(run);
      next != runs_.end() && next->first == run->second.last_ordinal + 1) {
    run->second.last_ordinal = next->second.last_ordinal;
    run->second.last = std::move(next->second.last);
    runs_.erase(next);
  }
  if (run == runs_.begin()) return;
  const auto before = std::prev(run);
  if (before->second.last_ordinal + 1 != run->first) return;
  before->second.last_ordinal = run->second.last_ordinal;
  before->second.last = std::move(run->second.last);
  runs_.erase(run);
}

void WatermarkBuilder::Add(const DoneBytes& bytes) {
  Part& part = parts_[bytes.ordinal];
  if (part.ranges.empty()) part.file = bytes.file;
  InsertRange(bytes.range, part.ranges);
  if (part.ranges.front().begin != 0 || part.ranges.front().end != kToEnd) return;
  parts_.erase(bytes.ordinal);
  Add(DoneFiles{bytes.ordinal, bytes.ordinal, bytes.file, bytes.file});
}

Watermark WatermarkBuilder::Build() const {
  Watermark watermark;
  watermark.reserve(runs_.size() + parts_.size() + resumed_.size() - passed_);
  auto part = parts_.begin();
  const auto add_parts_before = [&](uint64_t ordinal) {
    for (; part != parts_.end() && part->first < ordinal; ++part) {
      watermark.push_back({part->second.file, part->second.file, part->second.ranges});
    }
  };
  for (const auto& [first_ordinal, files] : runs_) {
    add_parts_before(first_ordinal);
    watermark.push_back({files.first, files.last, {}});
  }
  add_parts_before(kToEnd);
  // The walk has not come to these: they lie behind everything that it has handed out.
  watermark.insert(watermark.end(), resumed_.begin() + static_cast<ptrdiff_t>(passed_),
                   resumed_.end());
  return watermark;
}

}  // namespace pmdex
