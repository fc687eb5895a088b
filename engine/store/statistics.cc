#include "engine/store/statistics.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

namespace pmdex {
namespace {

// A segment's terms, standing on one.
struct TermHead {
  const Segment* segment;
  std::unique_ptr<TermIterator> terms;
};

constexpr uint64_t kStepsBetweenReleases = uint64_t{1} << 14;  // some ten bytes each

bool LaterTerm(const TermHead& a, const TermHead& b) {
  return a.terms->term() > b.terms->term();
}

// Different terms of a field over all segments: a merge of their ordered dictionaries.
absl::StatusOr<uint64_t> CountTerms(const Snapshot& snapshot, std::string_view field) {
  std::vector<TermHead> heap;             // smallest term first
  if (snapshot.segments().size() == 1) {  // the field table knows
    const auto id = snapshot.segments()[0]->FindField(field);
    return id ? snapshot.segments()[0]->fields()[*id].term_count : 0;
  }
  for (const auto& segment : snapshot.segments()) {
    const auto id = segment->FindField(field);
    if (!id) continue;
    auto terms = std::make_unique<TermIterator>(segment->dictionary(), *id);
    const bool any = terms->Next();
    PMDEX_RETURN_IF_ERROR(segment->Checked(terms->status()));
    if (any) heap.push_back({segment.get(), std::move(terms)});
  }
  std::make_heap(heap.begin(), heap.end(), LaterTerm);
  uint64_t count = 0;
  uint64_t steps = 0;
  std::string last;
  while (!heap.empty()) {
    // What was read counts as memory, and nobody reads it again.
    if (++steps % kStepsBetweenReleases == 0) {
      for (const auto& segment : snapshot.segments()) segment->Release();
    }
    std::pop_heap(heap.begin(), heap.end(), LaterTerm);
    const Segment& segment = *heap.back().segment;
    TermIterator& terms = *heap.back().terms;
    if (count == 0 || terms.term() != last) {
      last = terms.term();
      ++count;
    }
    const bool more = terms.Next();
    PMDEX_RETURN_IF_ERROR(segment.Checked(terms.status()));
    if (more) {
      std::push_heap(heap.begin(), heap.end(), LaterTerm);
    } else {
      heap.pop_back();
    }
  }
  return count;
}

}  // namespace

absl::StatusOr<IndexStatistics> ComputeStatistics(const Snapshot& snapshot) {
  IndexStatistics statistics;
  for (const auto& segment : snapshot.segments()) {
    statistics.posting_count += segment->posting_count();
    statistics.token_count += segment->token_count();
    statistics.file_bytes += segment->file_bytes();
  }
  for (const std::string& name : snapshot.field_names()) {
    const FieldStatistics field = snapshot.field_statistics(name);
    PMDEX_ASSIGN_OR_RETURN(const uint64_t terms, CountTerms(snapshot, name));
    statistics.fields.push_back({name, field.doc_count, field.token_count, terms});
    statistics.term_count += terms;
  }
  return statistics;
}

absl::StatusOr<SoundStatistics> ComputeSoundStatistics(std::shared_ptr<const Snapshot> snapshot) {
  while (true) {
    auto statistics = ComputeStatistics(*snapshot);
    auto reduced = snapshot->WithoutDamaged();
    if (reduced == nullptr) {
      PMDEX_RETURN_IF_ERROR(statistics.status());
      return SoundStatistics{std::move(snapshot), *std::move(statistics)};
    }
    snapshot = std::move(reduced);
  }
}

}  // namespace pmdex
