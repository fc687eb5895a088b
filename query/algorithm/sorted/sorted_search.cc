#include "query/algorithm/sorted/sorted_search.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "engine/columns/column_key.h"
#include "engine/columns/date_text.h"
#include "engine/segment/live_docs.h"
#include "query/algorithm/leaf/leaf_factory.h"
#include "query/algorithm/sorted/best_candidates.h"
#include "query/columns/column_filter.h"
#include "query/cursor/open_cursor.h"
#include "query/kernel/window_bits.h"

namespace pmdex {
namespace {

// About so many candidates can be sorted, scored and shown in a millisecond.
constexpr size_t kTakenPerMillisecond = 1000;
constexpr size_t kCandidatesPerLook = 1024;  // at the deadline

// The values of one segment.
class SegmentRanks {
 public:
  SegmentRanks(const SortRequest& request, const Segment& segment) : request_(request) {
    for (const BoundSortKey& key : request.keys) {
      const ColumnView* column =
          key.source == SortSource::kColumn ? segment.FindColumn(key.field) : nullptr;
      if (column != nullptr && column->type() != key.type) column = nullptr;
      columns_.push_back(column);
    }
  }

  // The column of the first key; nullptr if there is none.
  const ColumnView* first_column() const { return columns_[0]; }

  // doc: in the segment. candidate: its `doc` and `score` are set.
  absl::Status Fill(DocId doc, SortCandidate& candidate) const {
    candidate.ranks.resize(columns_.size());
    for (size_t i = 0; i < columns_.size(); ++i) {
      const BoundSortKey& key = request_.keys[i];
      SortRank& rank = candidate.ranks[i];
      if (key.source == SortSource::kDoc) rank.rank = candidate.doc;
      if (key.source == SortSource::kScore) rank.rank = KeyOfF64(candidate.score);
      if (key.source != SortSource::kColumn) continue;
      PMDEX_ASSIGN_OR_RETURN(rank, OfColumn(key, columns_[i], doc));
    }
    return absl::OkStatus();
  }

 private:
  // Of several values the least in ascending order, and the greatest in descending order.
  static absl::StatusOr<SortRank> OfColumn(const BoundSortKey& key, const ColumnView* column,
                                           DocId doc) {
    SortRank rank;
    rank.missing = true;
    if (column == nullptr) return rank;
    PMDEX_ASSIGN_OR_RETURN(const ValueRange values, column->ValuesOf(doc));
    for (uint64_t i = 0; i < values.count; ++i) {
      PMDEX_ASSIGN_OR_RETURN(const uint64_t found, column->KeyAt(values.first + i));
      const uint64_t value =
          key.type == FieldType::kDate ? DateRankOf(key, found) : ComparableKey(key.type, found);
      if (rank.missing || (key.descending ? value > rank.rank : value < rank.rank)) {
        rank.rank = value;
      }
      rank.missing = false;
    }
    if (rank.missing || key.type != FieldType::kKeyword) return rank;
    PMDEX_ASSIGN_OR_RETURN(rank.keyword, column->Keyword(rank.rank));
    rank.rank = 0;  // another segment has other ordinals
    return rank;
  }

  const SortRequest& request_;
  std::vector<const ColumnView*> columns_;  // nullptr: not of a column, or no document has a value
};

// The keys of a column that are not before (`from`) or not behind a rank in ascending order.
struct KeyBounds {
  uint64_t low = 0;
  uint64_t high = UINT64_MAX;
};

absl::Status CutBefore(const ColumnView& column, const SortRank& rank, KeyBounds& bounds) {
  uint64_t key =
      rank.rank == kKeyOfZero && column.type() == FieldType::kF64 ? kKeyOfMinusZero : rank.rank;
  if (column.type() == FieldType::kKeyword) {
    PMDEX_ASSIGN_OR_RETURN(key, column.FirstKeywordFrom(rank.keyword));
  }
  bounds.low = std::max(bounds.low, key);
  return absl::OkStatus();
}

absl::Status CutBehind(const BoundSortKey& sort, const ColumnView& column, const SortRank& rank,
                       KeyBounds& bounds) {
  uint64_t key = rank.rank;
  if (column.type() == FieldType::kDate && sort.milliseconds) {
    // To the end of the millisecond that the rank stands for.
    constexpr uint64_t kRest = kNanosecondsPerMillisecond - 1;
    key = key > UINT64_MAX - kRest ? UINT64_MAX : key + kRest;
  }
  if (column.type() == FieldType::kKeyword) {
    // The first keyword behind the rank, too, may stay: it is compared again.
    PMDEX_ASSIGN_OR_RETURN(key, column.FirstKeywordFrom(rank.keyword));
  }
  bounds.high = std::min(bounds.high, key);
  return absl::OkStatus();
}

// Searches one segment.
class SegmentSorter {
 public:
  SegmentSorter(const SearchContext& search, const SortRequest& request, size_t segment,
                BestCandidates& best, SortedDocs& result)
      : search_(search),
        request_(request),
        context_(SegmentContextOf(search, segment)),
        live_docs_(search.binding.snapshot->live_docs(segment)),
        ranks_(request, context_.segment),
        best_(best),
        result_(result) {}

  absl::Status Run(bool with_scores) {
    PMDEX_RETURN_IF_ERROR(with_scores ? Walk() : VisitWindows());
    result_.timed_out = result_.timed_out || context_.cursor.timed_out;
    return context_.cursor.damage;
  }

 private:
  // True once there is just the time left that the candidates so far need to become hits.
  bool IsLate() {
    const std::chrono::milliseconds needed(best_.size() / kTakenPerMillisecond);
    result_.timed_out =
        result_.timed_out || context_.cursor.timed_out || IsPast(search_.deadline.Later(-needed));
    return result_.timed_out;
  }
  absl::Status Add(DocId doc, float score) {
    SortCandidate candidate{context_.doc_base + doc, score, {}};
    PMDEX_RETURN_IF_ERROR(ranks_.Fill(doc, candidate));
    best_.Add(std::move(candidate));
    return absl::OkStatus();
  }

  absl::Status Walk();
  absl::Status VisitWindows();
  absl::StatusOr<std::vector<uint32_t>> WindowsInOrder() const;
  absl::StatusOr<std::optional<KeyBounds>> Bounds() const;
  absl::Status Visit(Leaf& leaf, uint32_t window, const std::optional<KeyBounds>& bounds);

  const SearchContext& search_;
  const SortRequest& request_;
  SegmentContext context_;
  const LiveDocs* const live_docs_;
  const SegmentRanks ranks_;
  BestCandidates& best_;
  SortedDocs& result_;
};

// Scores every match.
absl::Status SegmentSorter::Walk() {
  constexpr uint64_t kDocsPerLook = 1024;
  const float min_score = search_.plan.limits.min_score;
  PMDEX_ASSIGN_OR_RETURN(
      const CursorPointer cursor,
      OpenCursor(*search_.binding.root, context_.segment, context_.index, context_.cursor));
  for (; cursor->doc() != kEndOfDocs; cursor->Next()) {
    if (result_.seen % kDocsPerLook == 0 && IsLate()) return absl::OkStatus();
    if (!IsLive(live_docs_, cursor->doc())) continue;
    const float score = cursor->Score();
    if (score < min_score) continue;
    ++result_.seen;
    PMDEX_RETURN_IF_ERROR(Add(cursor->doc(), score));
  }
  return absl::OkStatus();
}

// The windows with the best values of the first key first.
absl::StatusOr<std::vector<uint32_t>> SegmentSorter::WindowsInOrder() const {
  std::vector<uint32_t> windows(WindowCount(context_.segment.doc_count()));
  for (uint32_t i = 0; i < windows.size(); ++i) windows[i] = i;
  const ColumnView* const column = ranks_.first_column();
  if (column == nullptr) return windows;
  const bool descending = request_.keys[0].descending;
  std::vector<uint64_t> best(windows.size());  // the less the better
  for (const uint32_t window : windows) {
    PMDEX_ASSIGN_OR_RETURN(const ColumnZone zone, column->Zone(window));
    best[window] = descending ? ~zone.greatest : zone.least;
  }
  std::stable_sort(windows.begin(), windows.end(),
                   [&best](uint32_t a, uint32_t b) { return best[a] < best[b]; });
  return windows;
}

// The keys of the first key's column that documents must have to become hits; nullopt: any, or
// none.
absl::StatusOr<std::optional<KeyBounds>> SegmentSorter::Bounds() const {
  const ColumnView* const column = ranks_.first_column();
  if (column == nullptr) return std::optional<KeyBounds>();
  const bool descending = request_.keys[0].descending;
  KeyBounds bounds;
  // Documents without a value come last: they are hits where the worst one has none.
  if (!best_.full() || best_.worst().ranks[0].missing) return std::optional<KeyBounds>();
  const SortRank& worst = best_.worst().ranks[0];
  PMDEX_RETURN_IF_ERROR(descending ? CutBefore(*column, worst, bounds)
                                   : CutBehind(request_.keys[0], *column, worst, bounds));
  if (!request_.after.empty() && !request_.after[0].missing) {
    const SortRank& after = request_.after[0];
    PMDEX_RETURN_IF_ERROR(descending ? CutBehind(request_.keys[0], *column, after, bounds)
                                     : CutBefore(*column, after, bounds));
  }
  return std::optional<KeyBounds>(bounds);
}

absl::Status SegmentSorter::VisitWindows() {
  PMDEX_ASSIGN_OR_RETURN(const std::unique_ptr<Leaf> leaf,
                         OpenLeaf(*search_.binding.root, context_));
  if (leaf == nullptr) return absl::OkStatus();
  PMDEX_ASSIGN_OR_RETURN(const std::vector<uint32_t> windows, WindowsInOrder());
  for (const uint32_t window : windows) {
    if (IsLate()) return absl::OkStatus();
    PMDEX_ASSIGN_OR_RETURN(const std::optional<KeyBounds> bounds, Bounds());
    if (bounds.has_value()) {
      PMDEX_ASSIGN_OR_RETURN(const ColumnZone zone, ranks_.first_column()->Zone(window));
      if (zone.least > bounds->high || zone.greatest < bounds->low) {
        result_.saw_all = false;
        continue;
      }
    }
    PMDEX_RETURN_IF_ERROR(Visit(*leaf, window, bounds));
  }
  return absl::OkStatus();
}

absl::Status SegmentSorter::Visit(Leaf& leaf, uint32_t window,
                                  const std::optional<KeyBounds>& bounds) {
  WindowBits docs;
  leaf.Fill(window, docs);
  if (live_docs_ != nullptr) {
    const std::span<const uint64_t> words = live_docs_->words();
    const size_t first = size_t{window} * kWindowWords;
    for (size_t i = 0; i < kWindowWords; ++i) {
      docs.words[i] &= first + i < words.size() ? words[first + i] : 0;
    }
  }
  result_.seen += docs.Count();
  if (bounds.has_value()) {
    const ColumnView& column = *ranks_.first_column();
    WindowBits allowed;
    ColumnKeys keys;
    keys.low = std::max(bounds->low, column.least());
    keys.high = std::min(bounds->high, column.greatest());
    if (!keys.empty()) {
      PMDEX_RETURN_IF_ERROR(ColumnFilter(column, keys).Fill(window, context_.kernels, allowed));
    }
    docs.And(allowed);
  }
  absl::Status status;
  docs.ForEach([&](uint32_t doc) {
    status = Add(window * kWindowDocs + doc, 0);
    return status.ok();
  });
  return status;
}

// Sets the scores of the documents, which may be of any segments. If the deadline comes first,
// removes the others and sets `timed_out`.
absl::Status SetScores(const SearchContext& search, std::vector<SortCandidate>& candidates,
                       bool& timed_out) {
  const Snapshot& snapshot = *search.binding.snapshot;
  std::vector<SortCandidate*> by_doc;
  for (SortCandidate& candidate : candidates) by_doc.push_back(&candidate);
  std::sort(by_doc.begin(), by_doc.end(),
            [](const SortCandidate* a, const SortCandidate* b) { return a->doc < b->doc; });
  size_t next = 0;
  bool is_late = false;
  for (size_t i = 0; i < snapshot.segments().size() && next < by_doc.size() && !is_late; ++i) {
    const uint64_t base = snapshot.doc_base(i);
    const uint64_t end = base + snapshot.segments()[i]->doc_count();
    if (by_doc[next]->doc >= end) continue;
    SegmentContext context = SegmentContextOf(search, i);
    PMDEX_ASSIGN_OR_RETURN(const CursorPointer cursor,
                           OpenCursor(*search.binding.root, context.segment, i, context.cursor));
    for (; next < by_doc.size() && by_doc[next]->doc < end; ++next) {
      is_late = next % kCandidatesPerLook == 0 && IsPast(search.deadline);
      if (is_late) break;
      const auto doc = static_cast<DocId>(by_doc[next]->doc - base);
      if (cursor->Seek(doc) == doc) by_doc[next]->score = cursor->Score();
    }
    PMDEX_RETURN_IF_ERROR(context.cursor.damage);
  }
  if (!is_late) return absl::OkStatus();
  timed_out = true;
  for (; next < by_doc.size(); ++next) by_doc[next]->ranks.clear();  // the others have some
  std::erase_if(candidates, [](const SortCandidate& candidate) { return candidate.ranks.empty(); });
  return absl::OkStatus();
}

DocValue ValueOf(const BoundSortKey& key, const SortRank& rank, const SortCandidate& candidate) {
  DocValue value;
  value.missing = rank.missing;
  switch (key.source) {
    case SortSource::kScore:
      value.type = FieldType::kF64;
      value.bits = std::bit_cast<uint64_t>(double{candidate.score});
      return value;
    case SortSource::kDoc:
      value.type = FieldType::kU64;
      value.bits = candidate.doc;
      return value;
    default:
      break;
  }
  value.type = key.type;
  value.keyword = rank.keyword;
  if (key.type != FieldType::kKeyword) value.bits = BitsOfKey(key.type, rank.rank);
  return value;
}

}  // namespace

absl::StatusOr<SortedDocs> SearchSorted(const SearchContext& search, const SortRequest& request) {
  SortedDocs result;
  if (search.binding.root->kind == BoundKind::kNone) return result;
  const bool with_scores =
      search.plan.limits.has_min_score() ||
      std::any_of(request.keys.begin(), request.keys.end(),
                  [](const BoundSortKey& key) { return key.source == SortSource::kScore; });
  BestCandidates best(request);
  const auto segments = search.binding.snapshot->segments();
  for (size_t i = 0; i < segments.size() && !result.timed_out; ++i) {
    PMDEX_RETURN_IF_ERROR(
        segments[i]->Checked(SegmentSorter(search, request, i, best, result).Run(with_scores)));
  }
  std::vector<SortCandidate> candidates = best.Take();
  if (!with_scores) PMDEX_RETURN_IF_ERROR(SetScores(search, candidates, result.timed_out));
  for (const SortCandidate& candidate : candidates) {
    const size_t shown = result.docs.size();
    if (shown % kCandidatesPerLook == kCandidatesPerLook - 1 && IsPast(search.deadline)) {
      result.timed_out = true;
      break;
    }
    result.docs.push_back({candidate.doc, candidate.score});
    std::vector<DocValue>& values = result.values.emplace_back();
    for (size_t i = 0; i < request.keys.size(); ++i) {
      values.push_back(ValueOf(request.keys[i], candidate.ranks[i], candidate));
    }
  }
  result.saw_all = result.saw_all && !result.timed_out;
  return result;
}

}  // namespace pmdex
