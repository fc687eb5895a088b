#include "query/columns/column_keys.h"

#include <algorithm>
#include <string>

#include "query/expansion/term_pattern.h"
#include "query/language/regexp_automaton.h"

namespace pmdex {
namespace {

// The index of the first keyword that is behind the bound (`behind`), or not before it.
absl::StatusOr<uint64_t> PlaceOf(const KeywordBound& bound, bool behind, const ColumnView& column) {
  // No keyword lies between a text and the same text with a zero byte at its end.
  return column.FirstKeywordFrom(behind ? bound.text + std::string(1, '\0') : bound.text);
}

// matches: says of a text whether it matches.
template <typename Matches>
absl::Status KeepMatching(const Matches& matches, const ColumnView& column, ColumnKeys& keys) {
  bool any = false;
  keys.members.resize(keys.high - keys.low + 1);
  for (uint64_t key = keys.low; key <= keys.high; ++key) {
    PMDEX_ASSIGN_OR_RETURN(const std::string_view keyword, column.Keyword(key));
    const bool is_member = matches(keyword);
    keys.members[key - keys.low] = is_member;
    any = any || is_member;
  }
  if (!any) keys = ColumnKeys();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ColumnKeys> FindKeys(const ColumnRange& range, const ColumnView& column) {
  ColumnKeys keys;
  if (column.type() != range.type) return keys;
  uint64_t low = range.low;
  uint64_t high = range.high;
  if (range.type == FieldType::kKeyword) {
    low = 0;
    uint64_t end = column.keyword_count();
    if (range.from.has_value()) {
      PMDEX_ASSIGN_OR_RETURN(low, PlaceOf(*range.from, !range.from->inclusive, column));
    }
    if (range.to.has_value()) {
      PMDEX_ASSIGN_OR_RETURN(end, PlaceOf(*range.to, range.to->inclusive, column));
    }
    if (low >= end) return keys;
    high = end - 1;
  }
  keys.low = std::max(low, column.least());
  keys.high = std::min(high, column.greatest());
  if (keys.empty()) return ColumnKeys();
  if (!range.pattern.empty()) {
    const WildcardPattern wildcard(range.pattern);
    const auto matches = [&](std::string_view keyword) { return wildcard.Matches(keyword); };
    PMDEX_RETURN_IF_ERROR(KeepMatching(matches, column, keys));
  } else if (range.regexp != nullptr) {
    const auto matches = [&](std::string_view keyword) { return range.regexp->Matches(keyword); };
    PMDEX_RETURN_IF_ERROR(KeepMatching(matches, column, keys));
  }
  return keys;
}

}  // namespace pmdex
