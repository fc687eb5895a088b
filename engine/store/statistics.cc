#include "engine/store/statistics.h"

#include <algorithm>
#include <memory>
#include <string_view>

namespace pmdex {
namespace {

bool LaterTerm(const std::unique_ptr<TermIterator>& a, const std::unique_ptr<TermIterator>& b) {
  return a->term() > b->term();
}

// Different terms of a field over all segments: a merge of their ordered dictionaries.
absl::StatusOr<uint64_t> CountTerms(const Snapshot& snapshot, std::string_view field) {
  std::vector<std::unique_ptr<TermIterator>> heap;  // smallest term first
  if (snapshot.segments().size() == 1) {            // the field table knows
    const auto id = snapshot.segments()[0]->FindField(field);
    return id ? snapshot.segments()[0]->fields()[*id].term_count : 0;
  }
  for (const auto& segment : snapshot.segments()) {
    const auto id = segment->FindField(field);
    if (!id) continue;
    auto terms = std::make_unique<TermIterator>(segment->dictionary(), *id);
    if (terms->Next())
      heap.push_back(std::move(terms));
    else
      PMDEX_RETURN_IF_ERROR(terms->status());
  }
  std::make_heap(heap.begin(), heap.end(), LaterTerm);
  uint64_t count = 0;
  std::string last;
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), LaterTerm);
    TermIterator& terms = *heap.back();
    if (count == 0 || terms.term() != last) {
      last = terms.term();
      ++count;
    }
    if (terms.Next()) {
      std::push_heap(heap.begin(), heap.end(), LaterTerm);
    } else {
      PMDEX_RETURN_IF_ERROR(terms.status());
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

}  // namespace pmdex
