#include "query/aggregations/aggregation_set.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <optional>
#include <utility>

#include "pmem/thread.h"
#include "query/aggregations/automatic_interval.h"
#include "query/aggregations/collectors/new_collector.h"
#include "query/aggregations/segment_matches.h"
#include "query/aggregations/values/key_number.h"

namespace pmdex {
namespace {

// So many windows a thread takes at a time.
constexpr uint32_t kWindowsPerRange = 16;

struct WindowRange {
  size_t segment = 0;
  uint32_t first = 0;
  uint32_t end = 0;
};

std::vector<WindowRange> RangesOf(const Snapshot& snapshot) {
  std::vector<WindowRange> ranges;
  for (size_t i = 0; i < snapshot.segments().size(); ++i) {
    const uint32_t windows = WindowCount(snapshot.segments()[i]->doc_count());
    for (uint32_t first = 0; first < windows; first += kWindowsPerRange) {
      ranges.push_back({i, first, std::min(first + kWindowsPerRange, windows)});
    }
  }
  return ranges;
}

// Histograms without an interval, in the order of the tree.
void FindUnsettled(std::vector<Aggregation>& requests, std::vector<Aggregation*>& found) {
  for (Aggregation& request : requests) {
    if (NeedsInterval(request)) found.push_back(&request);
    FindUnsettled(request.below, found);
  }
}

// The values become f64.
absl::Status Widen(BoundAggregation& mine) {
  if (mine.scale.has_value()) {
    PMDEX_ASSIGN_OR_RETURN(mine.scale, HistogramScale::Create(*mine.request, FieldType::kF64));
  }
  if (mine.missing_key.has_value()) mine.missing_key = WidenedKey(mine.type, *mine.missing_key);
  mine.only_column.reset();
  mine.type = FieldType::kF64;
  return absl::OkStatus();
}

// An index that lacks the field takes over what the field is in the other one. Numbers of different
// types become f64. has_changed: becomes true if the type of `mine`, or of one below, changes.
absl::Status Agree(BoundAggregation& mine, const BoundAggregation& other, bool& has_changed) {
  const bool differs = mine.has_field && other.has_field && mine.type != other.type;
  if (differs && !(IsNumber(mine.type) && IsNumber(other.type))) {
    return InvalidArgument("the field " + mine.request->field +
                           " has different types in the indexes");
  }
  if (differs && mine.type != FieldType::kF64) {
    has_changed = true;
    PMDEX_RETURN_IF_ERROR(Widen(mine));
  }
  if (!mine.has_field && other.has_field) {
    has_changed = true;
    mine.has_field = true;
    mine.type = other.type;
    mine.scale = other.scale;
    mine.ranges = other.ranges;
    mine.missing_key = other.missing_key;
  }
  for (size_t i = 0; i < mine.below.size(); ++i) {
    PMDEX_RETURN_IF_ERROR(Agree(mine.below[i], other.below[i], has_changed));
  }
  return absl::OkStatus();
}

// True if the query matches every document of the segment, and none is deleted.
bool AllMatch(const SearchContext& search, const SegmentContext& segment) {
  return search.binding.root->kind == BoundKind::kAll && !search.plan.limits.has_min_score() &&
         segment.cursor.live_docs == nullptr;
}

constexpr std::array<uint32_t, 1> kRootBucket = {0};

// The documents of a window, many of which may be in whole words.
void ListDocs(const WindowBits& bits, std::vector<uint16_t>& docs) {
  docs.resize(kWindowDocs);
  size_t count = 0;
  for (size_t i = 0; i < kWindowWords; ++i) {
    const auto first = static_cast<uint16_t>(i * 64);
    uint64_t word = bits.words[i];
    if (word == ~uint64_t{0}) {
      for (uint16_t j = 0; j < 64; ++j) docs[count + j] = static_cast<uint16_t>(first + j);
      count += 64;
      continue;
    }
    for (; word != 0; word &= word - 1) {
      docs[count++] = static_cast<uint16_t>(first + std::countr_zero(word));
    }
  }
  docs.resize(count);
}

}  // namespace

bool ShowOtherDocs(const std::vector<Aggregation>& requests) {
  return std::any_of(requests.begin(), requests.end(), [](const Aggregation& request) {
    const bool has_all_terms =
        request.kind == AggregationKind::kTerms && request.min_doc_count == 0;
    return has_all_terms || ShowOtherDocs(request.below);
  });
}

// What the threads share.
struct AggregationSet::Work {
  const SearchContext& search;
  const std::vector<WindowRange> ranges;
  std::atomic<size_t> next = 0;  // of ranges
};

struct AggregationSet::Worker {
  Collectors collectors;
  uint64_t match_count = 0;
  bool timed_out = false;

  // Of the open segment.
  std::unique_ptr<SegmentContext> context;
  std::optional<SegmentMatches> matches;  // nullopt: collects_all
  bool collects_all = false;
  std::vector<uint16_t> docs;

  absl::Status Open(const SearchContext& search, size_t index) {
    PMDEX_RETURN_IF_ERROR(Close());
    context = std::make_unique<SegmentContext>(SegmentContextOf(search, index));
    for (const auto& collector : collectors) {
      PMDEX_RETURN_IF_ERROR(collector->OpenSegment(*context));
    }
    const auto pays = [](const auto& collector) { return collector->PaysToCollectAll(); };
    collects_all =
        AllMatch(search, *context) && std::all_of(collectors.begin(), collectors.end(), pays);
    if (collects_all) return absl::OkStatus();
    PMDEX_ASSIGN_OR_RETURN(matches, SegmentMatches::Open(search, *context));
    return absl::OkStatus();
  }

  absl::Status Close() {
    if (context == nullptr) return absl::OkStatus();
    for (const auto& collector : collectors) PMDEX_RETURN_IF_ERROR(collector->CloseSegment());
    matches.reset();
    context.reset();
    return absl::OkStatus();
  }

  absl::Status CollectAll() {
    match_count += context->segment.doc_count();
    for (const auto& collector : collectors) PMDEX_RETURN_IF_ERROR(collector->CollectAll());
    return absl::OkStatus();
  }

  absl::Status CollectWindow(const SearchContext& search, uint32_t window) {
    WindowBits bits;
    PMDEX_RETURN_IF_ERROR(matches->Fill(window, bits));
    timed_out = timed_out || context->cursor.timed_out || IsPast(search.deadline);
    if (timed_out) return absl::OkStatus();
    ListDocs(bits, docs);
    if (docs.empty()) return absl::OkStatus();
    match_count += docs.size();
    for (const auto& collector : collectors) {
      PMDEX_RETURN_IF_ERROR(collector->Collect({window, docs, {}}));
      timed_out = timed_out || collector->timed_out();
    }
    return absl::OkStatus();
  }
};

absl::Status AggregationSet::CollectRanges(Work& work, Worker& worker) {
  for (size_t i; !worker.timed_out && (i = work.next.fetch_add(1)) < work.ranges.size();) {
    const WindowRange& range = work.ranges[i];
    const Segment& segment = *work.search.binding.snapshot->segments()[range.segment];
    if (worker.context == nullptr || worker.context->index != range.segment) {
      PMDEX_RETURN_IF_ERROR(segment.Checked(worker.Open(work.search, range.segment)));
    }
    if (worker.collects_all && range.first == 0) {
      PMDEX_RETURN_IF_ERROR(segment.Checked(worker.CollectAll()));
    }
    for (uint32_t window = worker.collects_all ? range.end : range.first;
         window < range.end && !worker.timed_out; ++window) {
      PMDEX_RETURN_IF_ERROR(segment.Checked(worker.CollectWindow(work.search, window)));
    }
    PMDEX_RETURN_IF_ERROR(segment.Health());
  }
  return worker.Close();
}

Collectors AggregationSet::NewCollectors() const {
  Collectors collectors;
  for (const BoundAggregation& bound : bound_) collectors.push_back(NewCollector(bound));
  return collectors;
}

absl::Status AggregationSet::Bind(const SearchContext& search) {
  for (const Aggregation& request : requests_) {
    PMDEX_ASSIGN_OR_RETURN(bound_.emplace_back(),
                           BindAggregation(request, *search.binding.snapshot, search.deadline));
  }
  collectors_ = NewCollectors();
  return absl::OkStatus();
}

absl::Status AggregationSet::Collect(const SearchContext& search, size_t threads) {
  Work work{search, RangesOf(*search.binding.snapshot)};
  std::vector<Worker> workers(std::clamp<size_t>(work.ranges.size(), 1, threads));
  for (Worker& worker : workers) worker.collectors = NewCollectors();
  PMDEX_RETURN_IF_ERROR(
      RunOnThreads(workers.size(), [&](size_t i) { return CollectRanges(work, workers[i]); }));
  for (const Worker& worker : workers) {
    for (size_t i = 0; i < collectors_.size(); ++i) {
      collectors_[i]->Merge(*worker.collectors[i], kRootBucket);
    }
    match_count_ += worker.match_count;
    timed_out_ = timed_out_ || worker.timed_out;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<AggregationSet>> AggregationSet::Aggregate(
    std::vector<Aggregation> requests, const SearchContext& search, size_t threads) {
  std::vector<Aggregation*> unsettled;
  FindUnsettled(requests, unsettled);
  if (!unsettled.empty()) {
    std::vector<Aggregation> ends(unsettled.size());
    for (size_t i = 0; i < ends.size(); ++i) {
      ends[i].kind = AggregationKind::kStats;
      ends[i].field = unsettled[i]->field;
      ends[i].finite_alone = true;  // as in histograms
      ends[i].field_may_be_absent = unsettled[i]->field_may_be_absent;
    }
    PMDEX_ASSIGN_OR_RETURN(const auto set, Aggregate(std::move(ends), search, threads));
    PMDEX_ASSIGN_OR_RETURN(const std::vector<AggregationResult> results, set->Results());
    for (size_t i = 0; i < unsettled.size(); ++i) {
      SettleInterval(results[i].stats, results[i].type, *unsettled[i]);
    }
  }
  std::unique_ptr<AggregationSet> set(new AggregationSet(std::move(requests)));
  PMDEX_RETURN_IF_ERROR(set->Bind(search));
  PMDEX_RETURN_IF_ERROR(set->Collect(search, threads));
  return set;
}

absl::Status AggregationSet::Merge(const AggregationSet& other) {
  bool has_changed = false;
  for (size_t i = 0; i < bound_.size(); ++i) {
    PMDEX_RETURN_IF_ERROR(Agree(bound_[i], other.bound_[i], has_changed));
  }
  if (has_changed) {
    // Collectors of the new types take over what those of the old types have collected.
    const Collectors before = std::exchange(collectors_, NewCollectors());
    for (size_t i = 0; i < collectors_.size(); ++i) {
      collectors_[i]->Merge(*before[i], kRootBucket);
    }
  }
  for (size_t i = 0; i < collectors_.size(); ++i) {
    collectors_[i]->Merge(*other.collectors_[i], kRootBucket);
  }
  match_count_ += other.match_count_;
  timed_out_ = timed_out_ || other.timed_out_;
  return absl::OkStatus();
}

absl::StatusOr<std::vector<AggregationResult>> AggregationSet::Results(BucketLimits limits) const {
  std::vector<AggregationResult> results;
  for (const auto& collector : collectors_) {
    PMDEX_ASSIGN_OR_RETURN(results.emplace_back(), collector->Result(0, limits));
    results.back().exact = results.back().exact && !timed_out_;
  }
  return results;
}

}  // namespace pmdex
