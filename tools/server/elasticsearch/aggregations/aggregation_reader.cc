#include "tools/server/elasticsearch/aggregations/aggregation_reader.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/server/elasticsearch/aggregations/aggregation_dates.h"
#include "tools/server/elasticsearch/aggregations/aggregation_options.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/api_table.h"
#include "tools/server/elasticsearch/dsl/query_reader.h"
#include "tools/server/elasticsearch/parameters.h"

namespace pmdex {
namespace {

absl::Status ParsingError(const std::string& reason) {
  return ApiError(400, "parsing_exception", reason);
}

// The kind that computes a type. Minima, means and so on are numbers of the statistics.
AggregationKind KindOf(std::string_view type) {
  if (type == "terms") return AggregationKind::kTerms;
  if (type == "histogram") return AggregationKind::kHistogram;
  if (type == "date_histogram") return AggregationKind::kDateHistogram;
  if (type == "range" || type == "date_range") return AggregationKind::kRange;
  if (type == "filter" || type == "filters") return AggregationKind::kFilters;
  if (type == "cardinality") return AggregationKind::kCardinality;
  if (type == "percentiles") return AggregationKind::kPercentiles;
  return AggregationKind::kStats;
}

bool HasBuckets(AggregationKind kind) {
  return kind != AggregationKind::kStats && kind != AggregationKind::kCardinality &&
         kind != AggregationKind::kPercentiles;
}

// In which dates of the field are shown: the first format of its mapping, where that can be
// written.
DatePattern FormatOf(const DslIndex& index, std::string_view field) {
  const MappedField* const mapped = index.MappedOf(field);
  if (mapped == nullptr || mapped->format == nullptr) return DatePattern();
  return DatePattern::Parse(mapped->format->text()).value_or(DatePattern());
}

absl::Status CheckName(const std::string& name) {
  PMDEX_RETURN_IF_ERROR(CheckTextLength("name", name));
  if (!name.empty() && name.find_first_of("[]>") == name.npos) return absl::OkStatus();
  return ParsingError(absl::StrCat("Invalid aggregation name [", name,
                                   "]. Aggregation names can contain any character except '[', "
                                   "']', and '>'"));
}

// Ids and names of indexes are no values that aggregations read. A field that no index has is one
// without values, so that these have to be refused.
absl::Status CheckField(const std::string& field, std::string_view type) {
  if (field != "_id" && field != "_index" && field != "_source") return absl::OkStatus();
  return BadArgument(absl::StrCat("Field [", field, "] of type [", field,
                                  "] is not supported for aggregation [", ToAbsl(type), "]"));
}

constexpr size_t kMostAggregations = 1000;

// With those below.
size_t CountOf(const Json& aggregations) {
  size_t count = aggregations.size();
  for (const Json& body : aggregations) {
    for (const char* const key : {"aggs", "aggregations"}) {
      if (body.is_object() && body.contains(key)) count += CountOf(body[key]);
    }
  }
  return count;
}

}  // namespace

absl::StatusOr<ApiAggregations> AggregationReader::Read(const Json& aggregations) const {
  ApiAggregations read;
  if (!aggregations.is_object()) return ParsingError("[aggs] needs an object");
  if (CountOf(aggregations) > kMostAggregations) {
    return BadArgument(
        absl::StrCat("a search must have at most ", kMostAggregations, " aggregations"));
  }
  for (const auto& [name, body] : aggregations.items()) {
    PMDEX_RETURN_IF_ERROR(CheckName(name));
    PMDEX_ASSIGN_OR_RETURN(One one, ReadOne(name, body));
    read.shown.push_back(std::move(one.shown));
    read.computed.push_back(std::move(one.computed));
  }
  return read;
}

absl::StatusOr<AggregationReader::One> AggregationReader::ReadOne(const std::string& name,
                                                                  const Json& body) const {
  One one;
  one.shown.name = one.computed.name = name;
  const Json* options = nullptr;
  const Json* below = nullptr;
  if (!body.is_object()) return ParsingError("Expected an object in [" + name + "]");
  for (const auto& [key, value] : body.items()) {
    if (key == "aggs" || key == "aggregations") {
      below = &value;
    } else if (key == "meta") {
      if (!value.is_object()) return ParsingError("[meta] of [" + name + "] needs an object");
      one.shown.meta = value;
      one.shown.meta_bytes = ToJsonText(value).size();
    } else if (options != nullptr) {
      return ParsingError(absl::StrCat("Found two aggregation type definitions in [", name, "]: [",
                                       one.shown.type, "] and [", key, "]"));
    } else if (FindAggregationOptions(key) == nullptr) {
      return ParsingError(absl::StrCat("Unknown aggregation type [", key, "]"));
    } else {
      one.shown.type = key;
      options = &value;
    }
  }
  if (options == nullptr) {
    return ParsingError(absl::StrCat("Missing definition for aggregation [", name, "]"));
  }
  one.computed.kind = KindOf(one.shown.type);
  if (below != nullptr && *below != Json::object()) {
    if (!HasBuckets(one.computed.kind)) {
      return ApiError(400, "aggregation_initialization_exception",
                      absl::StrCat("Aggregator [", name, "] of type [", one.shown.type,
                                   "] cannot accept sub-aggregations"));
    }
    PMDEX_ASSIGN_OR_RETURN(ApiAggregations inner, Read(*below));
    one.shown.below = std::move(inner.shown);
    one.computed.below = std::move(inner.computed);
  }
  PMDEX_RETURN_IF_ERROR(ReadType(*options, one));
  return one;
}

absl::Status AggregationReader::ReadType(const Json& options, One& one) const {
  const std::string& type = one.shown.type;
  if (!options.is_object()) return ParsingError("[" + type + "] needs an object");
  if (type == "filter") {
    one.shown.keys.emplace_back();
    return AddFilter("", options, one);
  }
  PMDEX_RETURN_IF_ERROR(CheckKeys(options, FindAggregationOptions(type)->options, type));
  if (type == "filters") return ReadFilters(options, one);
  if (!options.contains("field")) {
    return BadArgument(
        absl::StrCat("Required one of fields [field, script], but none were specified. "
                     "[",
                     one.shown.name, "]"));
  }
  if (!options["field"].is_string())
    return ParsingError("[" + type + "] needs the name of a field");
  one.computed.field = options["field"].get<std::string>();
  PMDEX_RETURN_IF_ERROR(CheckField(one.computed.field, type));
  one.computed.field_may_be_absent = true;
  one.shown.format = FormatOf(index_, one.computed.field);
  one.computed.count_alone = type == "value_count";
  if (type == "terms") {
    PMDEX_RETURN_IF_ERROR(ReadTermsOptions(options, one.computed));
    if (!options.contains("order")) return absl::OkStatus();
    return ReadTermsOrder(options["order"], one.shown, one.computed);
  }
  if (type == "histogram") return ReadHistogramOptions(options, one.shown, one.computed);
  if (type == "date_histogram") {
    PMDEX_RETURN_IF_ERROR(ReadDateHistogramOptions(options, one.shown, one.computed));
    return ReadExtendedDates(index_, options, one.shown.zone, one.computed);
  }
  if (type == "range" || type == "date_range") {
    PMDEX_RETURN_IF_ERROR(ReadRangeOptions(options, one.shown, one.computed));
    return ReadDateRanges(index_, options, type == "date_range", one.computed);
  }
  if (type == "percentiles") return ReadPercentilesOptions(options, one.shown, one.computed);
  return absl::OkStatus();
}

absl::Status AggregationReader::AddFilter(const std::string& name, const Json& query,
                                          One& one) const {
  QueryReader reader(index_, analyzers_, max_clauses_);
  PMDEX_ASSIGN_OR_RETURN(DslQuery read, reader.Read(query));
  one.computed.filters.push_back({name, std::move(read.root)});
  return absl::OkStatus();
}

absl::Status AggregationReader::ReadFilters(const Json& options, One& one) const {
  if (!options.contains("filters") || !options["filters"].is_structured() ||
      options["filters"].empty()) {
    return BadArgument("[filters] cannot be empty.");
  }
  const Json& filters = options["filters"];
  one.shown.keyed = filters.is_object();
  for (const auto& [name, query] : filters.items()) {
    PMDEX_RETURN_IF_ERROR(CheckTextLength("filters", name));
    one.shown.keys.push_back(name);
    PMDEX_RETURN_IF_ERROR(AddFilter(name, query, one));
  }
  return absl::OkStatus();
}

}  // namespace pmdex
