#include "tools/compare/medium/touched_lines.h"

#include <algorithm>
#include <unordered_set>

#include "pmem/cpu_features.h"
#include "query/kernel/kernels.h"

namespace pmdex {
namespace {

constexpr uint64_t kCacheLineBytes = 64;
constexpr uint64_t kMediumUnitBytes = 256;

// Different units of one size, in the order of their first touch.
class UnitCounter {
 public:
  explicit UnitCounter(uint64_t unit_bytes) : unit_bytes_(unit_bytes) {}

  // Calls touch(unit, is_sequential) for each unit of the access that is new.
  template <typename Touch>
  void Add(const RecordedAccess& access, const Touch& touch) {
    const uint64_t first = access.offset / unit_bytes_;
    const uint64_t last = (access.offset + std::max<uint32_t>(access.bytes, 1) - 1) / unit_bytes_;
    for (uint64_t unit = first; unit <= last; ++unit) {
      if (!seen_.insert(KeyOf(access.range, unit)).second) continue;
      touch(unit, unit > 0 && seen_.contains(KeyOf(access.range, unit - 1)));
    }
  }

 private:
  // A file has fewer than 2^44 lines.
  static uint64_t KeyOf(uint32_t range, uint64_t unit) { return uint64_t{range} << 44 | unit; }

  const uint64_t unit_bytes_;
  std::unordered_set<uint64_t> seen_;
};

void Count(bool is_sequential, TouchedUnits& units) {
  (is_sequential ? units.sequential : units.random) += 1;
}

void AddTo(const SectionTouches& more, SectionTouches& sum) {
  sum.of_64.random += more.of_64.random;
  sum.of_64.sequential += more.of_64.sequential;
  sum.of_256.random += more.of_256.random;
  sum.of_256.sequential += more.of_256.sequential;
}

void DivideBy(double count, TouchedUnits& sum) {
  sum.random /= count;
  sum.sequential /= count;
}

}  // namespace

SectionTouches QueryTouches::total() const {
  SectionTouches sum;
  for (const auto& [name, touches] : sections) AddTo(touches, sum);
  return sum;
}

RecordedQuery CountTouches(std::span<const RecordedAccess> accesses, const SectionAt& section_at) {
  RecordedQuery query;
  query.loads = accesses.size();
  UnitCounter lines(kCacheLineBytes);
  UnitCounter units(kMediumUnitBytes);
  for (const RecordedAccess& access : accesses) {
    lines.Add(access, [&](uint64_t line, bool is_sequential) {
      const std::string name = section_at(access.range, line * kCacheLineBytes);
      Count(is_sequential, query.touches.sections[name].of_64);
      query.lines.push_back({access.range, line});
    });
    units.Add(access, [&](uint64_t unit, bool is_sequential) {
      const std::string name = section_at(access.range, unit * kMediumUnitBytes);
      Count(is_sequential, query.touches.sections[name].of_256);
    });
  }
  std::sort(query.lines.begin(), query.lines.end());
  return query;
}

std::string SectionAtOffset(const Segment& segment, uint64_t offset) {
  for (const SectionEntry& section : segment.view().sections()) {
    if (offset >= section.offset && offset - section.offset < section.size_bytes) {
      return std::string(ToString(section.kind));
    }
  }
  return "header";
}

absl::StatusOr<RecordedQuery> RecordQuery(const Searcher& searcher, const std::string& query,
                                          SearchOptions options, size_t most) {
  options.kernels = &QueryKernelsOf(SimdLevel::kScalar);
  options.threads = 1;
  PMDEX_RETURN_IF_ERROR(searcher.Search(query, options).status());
  std::vector<std::span<const std::byte>> ranges;
  std::vector<const Segment*> segments;
  for (const auto& segment : searcher.snapshot().segments()) {
    ranges.push_back(segment->view().bytes());
    segments.push_back(segment.get());
  }
  absl::Status searched;
  PMDEX_ASSIGN_OR_RETURN(
      const std::vector<RecordedAccess> accesses,
      RecordAccesses(
          ranges, [&] { searched = searcher.Search(query, options).status(); }, most));
  PMDEX_RETURN_IF_ERROR(searched);
  return CountTouches(accesses, [&](uint32_t segment, uint64_t offset) {
    return SectionAtOffset(*segments[segment], offset);
  });
}

QueryTouches MeanTouches(std::span<const RecordedQuery> queries) {
  QueryTouches mean;
  for (const RecordedQuery& query : queries) {
    for (const auto& [name, touches] : query.touches.sections) AddTo(touches, mean.sections[name]);
  }
  for (auto& [name, touches] : mean.sections) {
    DivideBy(static_cast<double>(queries.size()), touches.of_64);
    DivideBy(static_cast<double>(queries.size()), touches.of_256);
  }
  return mean;
}

}  // namespace pmdex
