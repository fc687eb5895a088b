#include "engine/memtable/term_sort.h"

#include <algorithm>
#include <cstring>

namespace pmdex {
namespace {

SortedTerm MakeSortedTerm(const TermTable& table, Arena::Handle handle) {
  const TermEntry& entry = table.EntryAt(handle);
  const std::string_view term = table.TermOf(entry);
  unsigned char prefix[16] = {};
  prefix[0] = static_cast<unsigned char>(entry.field >> 8);
  prefix[1] = static_cast<unsigned char>(entry.field);
  std::memcpy(prefix + 2, term.data(), std::min<size_t>(term.size(), 10));
  uint64_t first;
  uint32_t more;
  std::memcpy(&first, prefix, sizeof(first));
  std::memcpy(&more, prefix + 8, sizeof(more));
  return {__builtin_bswap64(first), __builtin_bswap32(more), handle};
}

}  // namespace

std::vector<SortedTerm> SortTerms(const TermTable& table) {
  std::vector<SortedTerm> terms;
  terms.reserve(table.size());
  table.ForEach([&](Arena::Handle handle) {
    const TermEntry& entry = table.EntryAt(handle);
    if (entry.df > 0 || entry.freq > 0) terms.push_back(MakeSortedTerm(table, handle));
  });
  std::sort(terms.begin(), terms.end(), [&table](const SortedTerm& a, const SortedTerm& b) {
    if (a.field_and_prefix != b.field_and_prefix) return a.field_and_prefix < b.field_and_prefix;
    if (a.more_prefix != b.more_prefix) return a.more_prefix < b.more_prefix;
    return table.TermOf(table.EntryAt(a.entry)) < table.TermOf(table.EntryAt(b.entry));
  });
  return terms;
}

}  // namespace pmdex
