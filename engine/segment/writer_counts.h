// Counts of the input of one segment. From these each class that takes part in writing a segment
// says how much memory it will take, before the input is complete (writer_memory.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/segment/format.h"

namespace pmdex {

// A count may be greater than that of the input: then the estimates are greater, too. Requires at
// least as many first_postings as terms.
struct WriterCounts {
  bool has_positions = false;
  uint64_t docs = 0;
  uint64_t terms = 0;
  uint64_t term_bytes = 0;       // of all terms
  uint64_t long_term_bytes = 0;  // of the terms of more than kInlineTermBytes
  uint64_t tokens = 0;
  uint64_t postings = 0;
  // The sum over all terms of min(df, kMaxInlinePostings + 1). With positions, of min(cf, that).
  // They tell what the lines of rare terms take.
  uint64_t first_postings = 0;
  // Terms of which first_postings counts kMaxInlinePostings + 1: most of them are frequent.
  uint64_t frequent_terms = 0;
  // Tokens of documents that have at least kFreqEscape tokens in the token's field. Only in these
  // documents can a frequency be too large for its lane.
  uint64_t long_tokens = 0;
  // Tokens at kPositionPage or behind it. Without positions nobody reads this count.
  uint64_t far_tokens = 0;

  // Upper bounds that follow from these counts.

  // Postings that have an overflow entry because of a position behind the first page.
  uint64_t FarPostings() const { return has_positions ? std::min(postings, far_tokens) : 0; }
  // Postings that have an overflow entry because of their frequency.
  uint64_t FrequentPostings() const { return std::min(postings, long_tokens / kFreqEscape); }
  // Lists that have an extent because of such a posting, whatever their length.
  uint64_t ForcedExtents() const { return std::min(terms, FarPostings() + FrequentPostings()); }
  // first_postings without the first one of each term.
  uint64_t FurtherPostings() const { return first_postings - std::min(first_postings, terms); }
  // Lists that have an extent for any reason.
  uint64_t Extents() const { return std::min(terms, frequent_terms + ForcedExtents()); }
};

}  // namespace pmdex
