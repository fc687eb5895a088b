#include "engine/store/merging/merge_policy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pmem/check.h"

namespace pmdex {
namespace {

uint64_t Floored(const MergeCandidate& segment, const MergePolicyOptions& options) {
  return std::max(segment.LiveBytes(), options.floor_bytes);
}

double DeletedShare(const MergeCandidate& segment) {
  return segment.doc_count == 0 ? 0
                                : static_cast<double>(segment.deleted_count) / segment.doc_count;
}

bool IsTooLarge(const MergeCandidate& segment, const MergePolicyOptions& options) {
  return segment.LiveBytes() > options.max_merged_bytes / 2;
}

// The number of segments that an index may have. Segments that are too large do not count.
uint64_t AllowedCount(std::span<const MergeCandidate> segments, const MergePolicyOptions& options) {
  uint64_t left = 0;
  uint64_t smallest = UINT64_MAX;
  for (const MergeCandidate& segment : segments) {
    if (IsTooLarge(segment, options)) continue;
    left += Floored(segment, options);
    smallest = std::min(smallest, Floored(segment, options));
  }
  uint64_t allowed = 0;
  uint64_t level_bytes = std::max<uint64_t>(smallest, 1);
  while (left > 0) {
    const uint64_t of_level = (left + level_bytes - 1) / level_bytes;
    if (of_level <= options.segments_per_tier || level_bytes >= options.max_merged_bytes) {
      return std::max(allowed + of_level, options.segments_per_tier);
    }
    allowed += options.segments_per_tier;
    left -= options.segments_per_tier * level_bytes;
    level_bytes = std::min(level_bytes * options.segments_per_tier, options.max_merged_bytes);
  }
  return std::max(allowed, options.segments_per_tier);
}

// Lucene's score: less is better. Merges of equal sizes copy each byte fewest times; among them
// smaller ones go first, and those that drop many documents.
double Score(std::span<const MergeCandidate> run, const MergePolicyOptions& options) {
  uint64_t largest = 0;
  uint64_t floored = 0;
  uint64_t before = 0;
  uint64_t after = 0;
  for (const MergeCandidate& segment : run) {
    largest = std::max(largest, Floored(segment, options));
    floored += Floored(segment, options);
    before += segment.bytes;
    after += segment.LiveBytes();
  }
  const double skew = static_cast<double>(largest) / static_cast<double>(floored);
  const double live = before == 0 ? 1 : static_cast<double>(after) / static_cast<double>(before);
  return skew * std::pow(static_cast<double>(after) + 1, 0.05) * live * live;
}

// The best run of several segments, or nullopt if none may be merged.
std::optional<MergeRun> BestRun(std::span<const MergeCandidate> segments,
                                const MergePolicyOptions& options) {
  std::optional<MergeRun> best;
  double best_score = std::numeric_limits<double>::infinity();
  const uint64_t most_bytes = std::min(options.max_merged_bytes, options.free_bytes);
  for (size_t first = 0; first < segments.size(); ++first) {
    uint64_t bytes = 0;
    for (size_t count = 1; count <= options.max_segments_at_once; ++count) {
      const size_t last = first + count - 1;
      if (last >= segments.size() || IsTooLarge(segments[last], options)) break;
      bytes += segments[last].LiveBytes();
      if (bytes > most_bytes) break;
      if (count == 1) continue;
      const double score = Score(segments.subspan(first, count), options);
      if (score >= best_score) continue;
      best_score = score;
      best = MergeRun{first, count};
    }
  }
  return best;
}

std::optional<MergeRun> MostDeleted(std::span<const MergeCandidate> segments,
                                    const MergePolicyOptions& options) {
  std::optional<MergeRun> most;
  double share = options.most_deleted;
  for (size_t i = 0; i < segments.size(); ++i) {
    if (DeletedShare(segments[i]) <= share || segments[i].LiveBytes() > options.free_bytes)
      continue;
    share = DeletedShare(segments[i]);
    most = MergeRun{i, 1};
  }
  return most;
}

}  // namespace

uint64_t MergeCandidate::LiveBytes() const {
  if (doc_count == 0 || deleted_count == 0) return bytes;
  const double live = 1 - static_cast<double>(deleted_count) / doc_count;
  return static_cast<uint64_t>(static_cast<double>(bytes) * live);
}

std::optional<MergeRun> ChooseMerge(std::span<const MergeCandidate> segments,
                                    const MergePolicyOptions& options) {
  PMDEX_CHECK(options.segments_per_tier > 1 && options.max_segments_at_once > 1);
  const auto counted = static_cast<uint64_t>(
      std::count_if(segments.begin(), segments.end(),
                    [&](const MergeCandidate& segment) { return !IsTooLarge(segment, options); }));
  if (counted > AllowedCount(segments, options)) {
    if (const auto run = BestRun(segments, options); run.has_value()) return run;
  }
  return MostDeleted(segments, options);
}

std::vector<MergeRun> ChooseMergesTo(std::span<const MergeCandidate> segments, size_t max_segments,
                                     const RewriteOptions& rewrite) {
  PMDEX_CHECK(max_segments > 0);
  struct Group {
    MergeRun run;
    uint64_t bytes;
  };
  std::vector<Group> groups;
  for (size_t i = 0; i < segments.size(); ++i) {
    groups.push_back({{i, 1}, segments[i].LiveBytes()});
  }
  while (groups.size() > max_segments) {
    size_t best = 0;
    for (size_t i = 1; i + 1 < groups.size(); ++i) {
      const uint64_t bytes = groups[i].bytes + groups[i + 1].bytes;
      if (bytes < groups[best].bytes + groups[best + 1].bytes) best = i;
    }
    groups[best].run.count += groups[best + 1].run.count;
    groups[best].bytes += groups[best + 1].bytes;
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
  std::vector<MergeRun> runs;
  for (const Group& group : groups) {
    const MergeCandidate& first = segments[group.run.first];
    const bool is_rewritten = rewrite.all || first.deleted_count > 0 ||
                              (rewrite.tier.has_value() && *rewrite.tier != first.tier);
    if (group.run.count > 1 || is_rewritten) runs.push_back(group.run);
  }
  return runs;
}

}  // namespace pmdex
