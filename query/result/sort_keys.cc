#include "query/result/sort_keys.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "engine/columns/column_key.h"
#include "engine/columns/date_text.h"
#include "query/columns/snapshot_columns.h"
#include "query/columns/value_bounds.h"

namespace pmdex {
namespace {

absl::StatusOr<SortKey> ParseSortKey(std::string_view text) {
  SortKey key;
  key.field = text;
  key.descending = text == "_score";
  const size_t colon = text.rfind(':');
  const std::string_view order = colon == text.npos ? "" : text.substr(colon + 1);
  if (order == "asc" || order == "desc") {
    key.field = text.substr(0, colon);
    key.descending = order == "desc";
  }
  if (key.field.empty()) return InvalidArgument("sort: a field has no name");
  return key;
}

absl::Status NoPlace(const BoundSortKey& key, const SortAfter& value) {
  return InvalidArgument("after: '" + value.text + "' is no value of " + key.field);
}

absl::StatusOr<SortRank> RankOf(const BoundSortKey& key, const SortAfter& value) {
  SortRank rank;
  rank.missing = value.missing;
  if (value.missing) return rank;
  if (key.source == SortSource::kColumn) {
    if (key.type == FieldType::kKeyword) {
      rank.keyword = value.text;
      return rank;
    }
    if (key.type == FieldType::kBool && (value.text == "0" || value.text == "1")) {
      rank.rank = value.text == "1" ? 1 : 0;  // as answers of the Elasticsearch API show it
      return rank;
    }
    const RangeOutcome outcome = MakeEquality(key.type, value.text, 0);
    if (outcome.bad != BadBound::kNone || outcome.range.low > outcome.range.high) {
      return NoPlace(key, value);
    }
    rank.rank = ComparableKey(key.type, outcome.range.high);
    if (key.type == FieldType::kDate) rank.rank = DateRankOf(key, outcome.range.low);
    return rank;
  }
  const char* const end = value.text.data() + value.text.size();
  std::from_chars_result parsed{};
  if (key.source == SortSource::kDoc) {
    parsed = std::from_chars(value.text.data(), end, rank.rank);
  } else {
    float score = 0;
    parsed = std::from_chars(value.text.data(), end, score);
    rank.rank = KeyOfF64(score);
  }
  if (parsed.ec != std::errc() || parsed.ptr != end) return NoPlace(key, value);
  return rank;
}

}  // namespace

absl::StatusOr<std::vector<SortKey>> ParseSortKeys(std::string_view text) {
  std::vector<SortKey> keys;
  while (true) {
    const size_t comma = text.find(',');
    PMDEX_ASSIGN_OR_RETURN(keys.emplace_back(), ParseSortKey(text.substr(0, comma)));
    if (comma == text.npos) return keys;
    text.remove_prefix(comma + 1);
  }
}

uint64_t DateRankOf(const BoundSortKey& key, uint64_t date) {
  if (!key.milliseconds) return date;
  const int64_t nanoseconds = I64OfKey(date);
  int64_t past = nanoseconds % kNanosecondsPerMillisecond;
  if (past < 0) past += kNanosecondsPerMillisecond;
  // The first date of all is no whole millisecond.
  return KeyOfI64(std::max(nanoseconds, std::numeric_limits<int64_t>::min() + past) - past);
}

int CompareRanks(const BoundSortKey& key, const SortRank& a, const SortRank& b) {
  if (a.missing || b.missing) return static_cast<int>(a.missing) - static_cast<int>(b.missing);
  int order = a.keyword.compare(b.keyword);
  if (a.rank != b.rank) order = a.rank < b.rank ? -1 : 1;
  return key.descending ? -order : order;
}

absl::StatusOr<std::vector<BoundSortKey>> BindSortKeys(const std::vector<SortKey>& keys,
                                                       const Snapshot& snapshot) {
  std::vector<BoundSortKey> bound;
  for (const SortKey& key : keys) {
    BoundSortKey& sort = bound.emplace_back();
    sort.field = key.field;
    sort.descending = key.descending;
    sort.milliseconds = key.milliseconds;
    if (key.field == "_score" || key.field == "_doc") {
      sort.source = key.field == "_doc" ? SortSource::kDoc : SortSource::kScore;
      continue;
    }
    std::optional<FieldType> type = TypeOfField(snapshot, key.field);
    if (!type.has_value()) type = key.type_if_absent;
    if (!type.has_value()) return InvalidArgument("sort: no document has the field " + key.field);
    if (*type == FieldType::kText) {
      return InvalidArgument("sort: the field " + key.field + " is text, which has no order");
    }
    sort.type = *type;
  }
  return bound;
}

absl::StatusOr<std::vector<SortRank>> BindSortAfter(const std::vector<SortAfter>& after,
                                                    const std::vector<BoundSortKey>& keys) {
  std::vector<SortRank> ranks;
  if (after.empty()) return ranks;
  if (after.size() != keys.size()) {
    return InvalidArgument("after: " + std::to_string(after.size()) + " values for " +
                           std::to_string(keys.size()) + " keys to sort by");
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    PMDEX_ASSIGN_OR_RETURN(ranks.emplace_back(), RankOf(keys[i], after[i]));
  }
  return ranks;
}

}  // namespace pmdex
