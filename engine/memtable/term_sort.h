// The order in which a memtable's terms are flushed: by field, then by bytes. Most comparisons see
// only the sorted elements, which carry the first bytes of each term, and never touch an entry.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/memtable/term_table.h"

namespace pmdex {

struct SortedTerm {
  uint64_t field_and_prefix;  // field, then six bytes of the term, big-endian
  uint32_t more_prefix;       // the next four bytes, big-endian
  Arena::Handle entry;
};
static_assert(sizeof(SortedTerm) == 16);

// The terms that have a posting.
std::vector<SortedTerm> SortTerms(const TermTable& table);

}  // namespace pmdex
