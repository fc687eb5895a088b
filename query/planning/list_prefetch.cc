#include "query/planning/list_prefetch.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pmdex {
namespace {

// In the units of DeadlineWatch::IsOver.
constexpr uint64_t kTermWork = 64;   // of one term in one segment, or in one field of it
constexpr uint64_t kListWork = 256;  // of one list, which may take a call of the kernel

void PrefetchTerm(const Query& query, const std::string& text, const Snapshot& snapshot,
                  DeadlineWatch& watch) {
  HashedTerm term(text);
  const auto segments = snapshot.segments();
  if (query.every_field) {
    for (const auto& segment : segments) {
      const size_t fields = segment->fields().size();
      for (size_t id = 0; id < fields && !watch.IsOver(kTermWork); ++id) {
        segment->PrefetchEntry(static_cast<FieldId>(id), term);
      }
    }
    return;
  }
  const std::span<const FieldId> ids = snapshot.field_ids(query.field);
  for (size_t i = 0; i < ids.size() && !watch.IsOver(kTermWork); ++i) {
    if (ids[i] != kNoField) segments[i]->PrefetchEntry(ids[i], term);
  }
}

// Stops at the depth that BindQuery refuses.
void PrefetchTermsOf(const Query& query, const Snapshot& snapshot, size_t depth,
                     DeadlineWatch& watch) {
  if (depth > kMaxQueryDepth || watch.is_over()) return;
  if (query.kind == QueryKind::kTerm) PrefetchTerm(query, query.text, snapshot, watch);
  if (query.kind == QueryKind::kPhrase || query.kind == QueryKind::kPhrasePrefix) {
    for (const std::string& term : query.terms) PrefetchTerm(query, term, snapshot, watch);
  }
  for (const Clause& clause : query.clauses) {
    PrefetchTermsOf(*clause.query, snapshot, depth + 1, watch);
  }
}

// What is read past the page cache, for all lists together. Empty if everything is mapped.
using UncachedRanges = std::vector<BlockCache::Range>;

// Prefetches the positions of the two rarest terms, because they are compared in every document
// that has all terms.
void PrefetchPhrase(const BoundQuery& phrase, const Segment& segment, size_t index,
                    UncachedRanges& uncached) {
  uint32_t least = UINT32_MAX;
  uint32_t second = UINT32_MAX;
  for (const BoundTerm& term : phrase.terms) {
    if (term.entries[index] == nullptr) return;
    const uint32_t df = term.entries[index]->df;
    second = std::min(second, std::max(least, df));
    least = std::min(least, df);
  }
  for (const BoundTerm& term : phrase.terms) {
    const DictionaryEntry& entry = *term.entries[index];
    segment.PrefetchPostings(entry, ListParts::kAll);
    const bool positions = entry.df <= second;
    if (positions) segment.PrefetchPositions(entry);
    segment.AppendUncached(entry, positions, uncached);
  }
}

// index: of the segment in the snapshot.
void PrefetchListsOf(const BoundQuery& query, const Segment& segment, size_t index,
                     UncachedRanges& uncached, DeadlineWatch& watch) {
  if (watch.IsOver(kListWork * std::max<size_t>(1, query.terms.size()))) return;
  if (query.kind == BoundKind::kPhrase) {
    PrefetchPhrase(query, segment, index, uncached);
  } else if (query.kind == BoundKind::kTerm && query.terms[0].entries[index] != nullptr) {
    const DictionaryEntry& entry = *query.terms[0].entries[index];
    segment.PrefetchPostings(entry, ListParts::kScores);
    segment.AppendUncached(entry, /*positions=*/false, uncached);
  }
  for (const BoundClause& clause : query.clauses) {
    PrefetchListsOf(*clause.query, segment, index, uncached, watch);
  }
}

}  // namespace

void PrefetchTerms(const Query& query, const Snapshot& snapshot, const Deadline& deadline) {
  const bool one_field = !query.every_field || snapshot.field_names().size() == 1;
  if (query.kind == QueryKind::kTerm && one_field && snapshot.segments().size() == 1) return;
  DeadlineWatch watch(deadline);
  PrefetchTermsOf(query, snapshot, 0, watch);
}

void PrefetchLists(const QueryBinding& binding, const SegmentSet& segments,
                   const Deadline& deadline) {
  DeadlineWatch watch(deadline);
  UncachedRanges uncached;
  const auto all = binding.snapshot->segments();
  segments.ForEach([&](size_t i) {
    if (!watch.is_over()) PrefetchListsOf(*binding.root, *all[i], i, uncached, watch);
  });
  if (uncached.empty()) return;
  for (const auto& segment : all) {
    const UncachedUnits* units = segment->view().uncached_units();
    if (units != nullptr) return units->cache->Fetch(uncached);  // all segments share it
  }
}

}  // namespace pmdex
