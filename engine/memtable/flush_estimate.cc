#include "engine/memtable/flush_estimate.h"

#include <algorithm>

#include "engine/memtable/arena.h"
#include "engine/segment/format.h"
#include "engine/segment/writer_memory.h"

namespace pmdex {

void FlushEstimate::Count(size_t tokens, uint32_t length_before, uint32_t last_position) {
  const uint64_t length = length_before + tokens;
  // When a field becomes long, its earlier tokens are counted, too.
  if (length >= kFreqEscape) {
    long_tokens_ += length - (length_before < kFreqEscape ? 0 : length_before);
  }
  tokens_ += tokens;
  if (last_position >= kPositionPage) far_tokens_ += tokens;
}

size_t FlushEstimate::Bytes() const {
  WriterCounts counts;
  counts.has_positions = positions_;
  counts.docs = docs_.size();
  counts.terms = terms_.size();
  counts.term_bytes = terms_.term_bytes();
  counts.long_term_bytes = terms_.long_term_bytes();
  counts.tokens = tokens_;
  counts.postings = inverter_.posting_count();
  counts.first_postings = inverter_.first_posting_count();
  counts.frequent_terms = inverter_.frequent_term_count();
  counts.far_tokens = far_tokens_;
  counts.long_tokens = long_tokens_;
  // In the first pass the memtable also holds its sorted terms. Before it, sorting them takes less
  // memory than this pass.
  const WriterMemory memory = EstimateWriterMemory(counts);
  return std::max(memory.laying_out + counts.terms * sizeof(TermHandle), memory.writing);
}

// The memory of a flush grows with the terms, documents and postings. New terms and documents
// always increase entry_bytes.
size_t FlushEstimate::RecentBytes(size_t entry_bytes) {
  const uint64_t postings = inverter_.posting_count();
  if (entry_bytes > estimated_entry_bytes_ + estimated_entry_bytes_ / 256 ||
      postings > estimated_postings_ + estimated_postings_ / 256) {
    estimated_entry_bytes_ = entry_bytes;
    estimated_postings_ = postings;
    estimated_ = Bytes();
  }
  return estimated_;
}

}  // namespace pmdex
