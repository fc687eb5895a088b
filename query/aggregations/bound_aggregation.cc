#include "query/aggregations/bound_aggregation.h"

#include <algorithm>
#include <chrono>

#include "engine/columns/column_key.h"
#include "engine/columns/date_math.h"
#include "query/aggregations/values/bucket_mapper.h"
#include "query/aggregations/values/key_number.h"
#include "query/columns/snapshot_columns.h"
#include "query/columns/value_bounds.h"
#include "query/planning/query_binder.h"

namespace pmdex {
namespace {

int64_t NowNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

absl::Status NoValue(const std::string& text, const Aggregation& request) {
  return InvalidArgument("'" + text + "' is no value of the field " + request.field);
}

// The key of a value as text, of a type that is no keyword.
absl::StatusOr<uint64_t> KeyOfText(const std::string& text, const Aggregation& request,
                                   FieldType type) {
  const RangeOutcome outcome = MakeEquality(type, text, NowNanoseconds());
  if (outcome.bad != BadBound::kNone || outcome.range.low > outcome.range.high) {
    return NoValue(text, request);
  }
  if (type != FieldType::kDate) return ComparableKey(type, outcome.range.high);
  return request.dates_by_millisecond ? MillisecondKey(outcome.range.low) : outcome.range.low;
}

absl::StatusOr<std::optional<BoundChoice>> BindChoice(const KeywordChoice& choice,
                                                      const Aggregation& request, FieldType type) {
  if (choice.empty()) return std::optional<BoundChoice>();
  BoundChoice bound;
  if (!choice.regexp.empty()) {
    if (type != FieldType::kKeyword) {
      return InvalidArgument("the field " + request.field +
                             " has no keywords that an expression could match");
    }
    RegexpBudget budget{RegexpAutomaton::kStepsPerQuery};
    RegexpProblem problem;
    bound.automaton = RegexpAutomaton::Compile(choice.regexp, budget, problem);
    if (bound.automaton == nullptr) {
      return InvalidArgument("the expression of " + request.field +
                             " is wrong: " + std::string(problem.what));
    }
  }
  for (const std::string& value : choice.values) {
    if (type == FieldType::kKeyword) {
      bound.keywords.push_back(value);
    } else {
      PMDEX_ASSIGN_OR_RETURN(bound.keys.emplace_back(), KeyOfText(value, request, type));
    }
  }
  std::sort(bound.keywords.begin(), bound.keywords.end());
  std::sort(bound.keys.begin(), bound.keys.end());
  return std::optional<BoundChoice>(std::move(bound));
}

absl::Status BindTerms(const Aggregation& request, BoundAggregation& bound) {
  PMDEX_ASSIGN_OR_RETURN(bound.include, BindChoice(request.include, request, bound.type));
  PMDEX_ASSIGN_OR_RETURN(bound.exclude, BindChoice(request.exclude, request, bound.type));
  if (request.missing.has_value() && bound.type != FieldType::kKeyword) {
    PMDEX_ASSIGN_OR_RETURN(bound.missing_key, KeyOfText(*request.missing, request, bound.type));
  }
  return absl::OkStatus();
}

// One end of a range, as a value for the answer: of the field's type where that has the value, and
// otherwise the nearest date or an f64.
absl::StatusOr<std::optional<DocValue>> BoundValue(const std::optional<std::string>& text,
                                                   const Aggregation& request, FieldType type) {
  if (!text.has_value()) return std::optional<DocValue>();
  const int64_t now = NowNanoseconds();
  if (type == FieldType::kDate) {
    const std::optional<DateBound> bound = ParseDateBound(*text, now, DateRounding::kStart);
    if (!bound.has_value()) return NoValue(*text, request);
    return std::optional<DocValue>(ValueOfKey(type, KeyOfI64(bound->nanoseconds)));
  }
  RangeOutcome outcome = MakeEquality(type, *text, now);
  if (outcome.bad != BadBound::kNone) return NoValue(*text, request);
  if (outcome.range.low > outcome.range.high) {
    outcome = MakeEquality(FieldType::kF64, *text, now);
    type = FieldType::kF64;
  }
  return std::optional<DocValue>(ValueOfKey(type, ComparableKey(type, outcome.range.high)));
}

absl::Status BindRanges(const Aggregation& request, BoundAggregation& bound) {
  if (!IsNumber(bound.type) && bound.type != FieldType::kDate) {
    return InvalidArgument("the field " + request.field + " has no numbers or dates for ranges");
  }
  for (const RequestedRange& text : request.ranges) {
    BoundBucketRange& range = bound.ranges.emplace_back();
    std::optional<BoundText> low;
    std::optional<BoundText> high;
    if (text.from.has_value()) low = BoundText{*text.from, true};
    if (text.to.has_value()) high = BoundText{*text.to, false};
    const RangeOutcome outcome = MakeRange(bound.type, low, high, NowNanoseconds());
    if (outcome.bad == BadBound::kLow) return NoValue(*text.from, request);
    if (outcome.bad == BadBound::kHigh) return NoValue(*text.to, request);
    range.low = outcome.range.low;
    range.high = outcome.range.high;
    PMDEX_ASSIGN_OR_RETURN(range.from, BoundValue(text.from, request, bound.type));
    PMDEX_ASSIGN_OR_RETURN(range.to, BoundValue(text.to, request, bound.type));
  }
  return absl::OkStatus();
}

absl::Status BindKind(const Aggregation& request, BoundAggregation& bound) {
  switch (request.kind) {
    case AggregationKind::kTerms:
      return BindTerms(request, bound);
    case AggregationKind::kHistogram:
    case AggregationKind::kDateHistogram: {
      PMDEX_ASSIGN_OR_RETURN(bound.scale, HistogramScale::Create(request, bound.type));
      return absl::OkStatus();
    }
    case AggregationKind::kRange:
      return BindRanges(request, bound);
    case AggregationKind::kStats:
    case AggregationKind::kPercentiles:
      if (bound.type != FieldType::kKeyword || request.count_alone) return absl::OkStatus();
      return InvalidArgument("the field " + request.field + " has keywords, which are no numbers");
    default:
      return absl::OkStatus();
  }
}

// The column of the field with this type, if there is one alone.
std::optional<ColumnView> OnlyColumn(const Snapshot& snapshot, std::string_view field,
                                     FieldType type) {
  const ColumnView* only = nullptr;
  for (const auto& segment : snapshot.segments()) {
    const ColumnView* const column = segment->FindColumn(field);
    if (column == nullptr || column->type() != type) continue;
    if (only != nullptr) return std::nullopt;
    only = column;
  }
  return only == nullptr ? std::nullopt : std::optional(*only);
}

// The type of the field. An index that may lack the field gets the type that the kind needs.
absl::Status BindField(const Aggregation& request, const Snapshot& snapshot,
                       BoundAggregation& bound) {
  const std::optional<FieldType> type = TypeOfField(snapshot, request.field);
  if (!type.has_value() && !request.field_may_be_absent) {
    return InvalidArgument("no document has the field " + request.field);
  }
  if (type == FieldType::kText) {
    return InvalidArgument("the field " + request.field + " is text, which has no values to count");
  }
  bound.has_field = type.has_value();
  const bool needs_dates = request.kind == AggregationKind::kDateHistogram;
  bound.type = type.value_or(needs_dates ? FieldType::kDate : FieldType::kI64);
  // What is missing is a keyword unless the field says otherwise.
  if (!type.has_value() && request.kind == AggregationKind::kTerms) {
    bound.type = FieldType::kKeyword;
  }
  bound.only_column = OnlyColumn(snapshot, request.field, bound.type);
  return absl::OkStatus();
}

}  // namespace

bool BoundChoice::HasKeyword(std::string_view keyword) const {
  return std::binary_search(keywords.begin(), keywords.end(), keyword) ||
         (automaton != nullptr && automaton->Matches(keyword));
}

bool BoundChoice::HasKey(uint64_t key) const {
  return std::binary_search(keys.begin(), keys.end(), key);
}

absl::StatusOr<BoundAggregation> BindAggregation(const Aggregation& request,
                                                 const Snapshot& snapshot,
                                                 const Deadline& deadline) {
  BoundAggregation bound;
  bound.request = &request;
  if (request.kind == AggregationKind::kFilters) {
    for (const NamedFilter& filter : request.filters) {
      PMDEX_ASSIGN_OR_RETURN(bound.filters.emplace_back(),
                             BindQuery(*filter.query, snapshot, SimilarityKind::kBm25, deadline));
    }
  } else {
    PMDEX_RETURN_IF_ERROR(BindField(request, snapshot, bound));
    PMDEX_RETURN_IF_ERROR(BindKind(request, bound));
  }
  for (const Aggregation& below : request.below) {
    PMDEX_ASSIGN_OR_RETURN(bound.below.emplace_back(), BindAggregation(below, snapshot, deadline));
  }
  return bound;
}

}  // namespace pmdex
