#include "tools/server/elasticsearch/api_table.h"

#include <algorithm>
#include <iterator>

#include "tools/server/elasticsearch/api_error.h"

namespace pmdex {
namespace {

#define PMDEX_INDEX_PARAMETERS "ignore_unavailable allow_no_indices expand_wildcards "
#define PMDEX_QUERY_PARAMETERS "q df default_operator analyzer lenient preference "
#define PMDEX_SOURCE_PARAMETERS "_source _source_includes _source_excludes "

constexpr std::string_view kSearchParameters =
    PMDEX_INDEX_PARAMETERS PMDEX_QUERY_PARAMETERS PMDEX_SOURCE_PARAMETERS
    "from size sort track_total_hits track_scores explain timeout version seq_no_primary_term "
    "search_type request_cache rest_total_hits_as_int scroll";
constexpr std::string_view kSearchKeys =
    "query from size sort search_after track_total_hits track_scores min_score _source highlight "
    "explain profile timeout version seq_no_primary_term post_filter aggs aggregations";
constexpr std::string_view kMultiSearchParameters =
    PMDEX_INDEX_PARAMETERS "search_type rest_total_hits_as_int";
constexpr std::string_view kCountParameters =
    PMDEX_INDEX_PARAMETERS PMDEX_QUERY_PARAMETERS "min_score";
constexpr std::string_view kDocumentParameters = PMDEX_SOURCE_PARAMETERS "preference";
constexpr std::string_view kExplainParameters = PMDEX_QUERY_PARAMETERS PMDEX_SOURCE_PARAMETERS;
constexpr std::string_view kHealthParameters =
    PMDEX_INDEX_PARAMETERS "wait_for_status timeout level";
constexpr std::string_view kCatParameters = "format h v s bytes";
constexpr std::string_view kIndexParameters = PMDEX_INDEX_PARAMETERS;
constexpr std::string_view kStatsParameters = PMDEX_INDEX_PARAMETERS "level";
constexpr std::string_view kFieldCapabilitiesParameters = PMDEX_INDEX_PARAMETERS "fields";
constexpr std::string_view kWriteParameters = "timeout wait_for_active_shards";
constexpr std::string_view kDeleteIndexParameters = PMDEX_INDEX_PARAMETERS "timeout";
constexpr std::string_view kDocumentWriteParameters = "refresh timeout wait_for_active_shards";
constexpr std::string_view kConditionalParameters =
    "refresh timeout wait_for_active_shards if_seq_no if_primary_term";
constexpr std::string_view kIndexDocumentParameters =
    "refresh timeout wait_for_active_shards if_seq_no if_primary_term op_type";
constexpr std::string_view kUpdateParameters =
    "refresh timeout wait_for_active_shards if_seq_no if_primary_term retry_on_conflict";
constexpr std::string_view kFlushParameters = PMDEX_INDEX_PARAMETERS "force wait_if_ongoing";
constexpr std::string_view kForceMergeParameters =
    PMDEX_INDEX_PARAMETERS "max_num_segments flush wait_for_completion";
constexpr std::string_view kDeleteByQueryParameters = PMDEX_INDEX_PARAMETERS PMDEX_QUERY_PARAMETERS
    "refresh timeout wait_for_active_shards wait_for_completion conflicts max_docs scroll_size";
constexpr std::string_view kScrollParameters = "scroll scroll_id rest_total_hits_as_int";
constexpr std::string_view kScrollKeys = "scroll scroll_id";

#undef PMDEX_INDEX_PARAMETERS
#undef PMDEX_QUERY_PARAMETERS
#undef PMDEX_SOURCE_PARAMETERS

using Kind = EndpointKind;

constexpr ApiEndpoint kEndpoints[] = {
    {"/", "GET HEAD", Kind::kRoot, "", ""},
    {"/_cluster/health", "GET", Kind::kClusterHealth, kHealthParameters, ""},
    {"/_cluster/health/{index}", "GET", Kind::kClusterHealth, kHealthParameters, ""},
    {"/_cat/indices", "GET", Kind::kCatIndices, kCatParameters, ""},
    {"/_cat/indices/{index}", "GET", Kind::kCatIndices, kCatParameters, ""},
    {"/_cat/health", "GET", Kind::kCatHealth, kCatParameters, ""},
    {"/_cat/count", "GET POST", Kind::kCatCount, kCatParameters, ""},
    {"/_cat/count/{index}", "GET POST", Kind::kCatCount, kCatParameters, ""},
    {"/_stats", "GET", Kind::kStats, kStatsParameters, ""},
    {"/{index}/_stats", "GET", Kind::kStats, kStatsParameters, ""},
    {"/_resolve/index/{index}", "GET POST", Kind::kResolveIndex, "expand_wildcards", ""},
    {"/_search", "GET POST", Kind::kSearch, kSearchParameters, kSearchKeys},
    {"/{index}/_search", "GET POST", Kind::kSearch, kSearchParameters, kSearchKeys},
    {"/_msearch", "GET POST", Kind::kMultiSearch, kMultiSearchParameters, kSearchKeys},
    {"/{index}/_msearch", "GET POST", Kind::kMultiSearch, kMultiSearchParameters, kSearchKeys},
    {"/_count", "GET POST", Kind::kCount, kCountParameters, "query"},
    {"/{index}/_count", "GET POST", Kind::kCount, kCountParameters, "query"},
    {"/_search/scroll", "GET POST DELETE", Kind::kScroll, kScrollParameters, kScrollKeys},
    {"/_search/scroll/{scroll_id}", "GET POST DELETE", Kind::kScroll, kScrollParameters,
     kScrollKeys},
    {"/{index}/_doc/{id}", "GET HEAD", Kind::kDocument, kDocumentParameters, ""},
    {"/{index}/_source/{id}", "GET HEAD", Kind::kSource, kDocumentParameters, ""},
    {"/_mget", "GET POST", Kind::kMultiGet, kDocumentParameters, "docs ids"},
    {"/{index}/_mget", "GET POST", Kind::kMultiGet, kDocumentParameters, "docs ids"},
    {"/{index}/_explain/{id}", "GET POST", Kind::kExplain, kExplainParameters, "query"},
    {"/_analyze", "GET POST", Kind::kAnalyze, "", "analyzer field text"},
    {"/{index}/_analyze", "GET POST", Kind::kAnalyze, "", "analyzer field text"},
    {"/_mapping", "GET", Kind::kMapping, kIndexParameters, ""},
    {"/{index}/_mapping", "GET", Kind::kMapping, kIndexParameters, ""},
    {"/_mapping/field/{fields}", "GET", Kind::kFieldMapping, kIndexParameters, ""},
    {"/{index}/_mapping/field/{fields}", "GET", Kind::kFieldMapping, kIndexParameters, ""},
    {"/_settings", "GET", Kind::kSettings, kIndexParameters, ""},
    {"/{index}/_settings", "GET", Kind::kSettings, kIndexParameters, ""},
    {"/_field_caps", "GET POST", Kind::kFieldCapabilities, kFieldCapabilitiesParameters, "fields"},
    {"/{index}/_field_caps", "GET POST", Kind::kFieldCapabilities, kFieldCapabilitiesParameters,
     "fields"},
    {"/{index}", "GET HEAD", Kind::kIndex, kIndexParameters, ""},
    {"/{index}", "PUT", Kind::kCreateIndex, kWriteParameters, "settings mappings"},
    {"/{index}", "DELETE", Kind::kDeleteIndex, kDeleteIndexParameters, ""},
    {"/{index}/_mapping", "PUT POST", Kind::kPutMapping, kDeleteIndexParameters,
     "properties dynamic"},
    {"/_bulk", "POST PUT", Kind::kBulk, kDocumentWriteParameters, kAnyBody},
    {"/{index}/_bulk", "POST PUT", Kind::kBulk, kDocumentWriteParameters, kAnyBody},
    {"/{index}/_doc", "POST", Kind::kIndexDocument, kIndexDocumentParameters, kAnyBody},
    {"/{index}/_doc/{id}", "PUT POST", Kind::kIndexDocument, kIndexDocumentParameters, kAnyBody},
    {"/{index}/_doc/{id}", "DELETE", Kind::kDeleteDocument, kConditionalParameters, ""},
    {"/{index}/_create/{id}", "PUT POST", Kind::kCreateDocument, kDocumentWriteParameters,
     kAnyBody},
    {"/{index}/_update/{id}", "POST", Kind::kUpdateDocument, kUpdateParameters, kUpdateKeys},
    {"/_refresh", "GET POST", Kind::kRefresh, kIndexParameters, ""},
    {"/{index}/_refresh", "GET POST", Kind::kRefresh, kIndexParameters, ""},
    {"/_flush", "GET POST", Kind::kFlush, kFlushParameters, ""},
    {"/{index}/_flush", "GET POST", Kind::kFlush, kFlushParameters, ""},
    {"/_forcemerge", "POST", Kind::kForceMerge, kForceMergeParameters, ""},
    {"/{index}/_forcemerge", "POST", Kind::kForceMerge, kForceMergeParameters, ""},
    {"/{index}/_delete_by_query", "POST", Kind::kDeleteByQuery, kDeleteByQueryParameters,
     "query max_docs conflicts"},
};

constexpr QueryOptions kQueries[] = {
    {"match_all", "boost _name"},
    {"match_none", "boost _name"},
    {"match",
     "query operator minimum_should_match fuzziness prefix_length max_expansions analyzer lenient "
     "zero_terms_query boost _name"},
    {"match_phrase", "query slop analyzer zero_terms_query boost _name"},
    {"match_phrase_prefix", "query slop max_expansions analyzer zero_terms_query boost _name"},
    {"match_bool_prefix",
     "query operator minimum_should_match fuzziness prefix_length max_expansions analyzer boost "
     "_name"},
    {"multi_match",
     "query fields type operator minimum_should_match fuzziness prefix_length max_expansions slop "
     "analyzer lenient zero_terms_query tie_breaker boost _name"},
    {"query_string",
     "query default_field fields default_operator lenient fuzziness phrase_slop "
     "minimum_should_match analyzer boost _name"},
    {"term", "value case_insensitive boost _name"},
    {"terms", "boost _name"},
    {"ids", "values boost _name"},
    {"prefix", "value case_insensitive boost _name"},
    {"wildcard", "value wildcard case_insensitive boost _name"},
    {"regexp", "value case_insensitive boost _name"},
    {"fuzzy", "value fuzziness prefix_length max_expansions boost _name"},
    {"exists", "field boost _name"},
    {"range", "gt gte lt lte format time_zone boost _name"},
    {"bool", "must filter should must_not minimum_should_match boost _name"},
    {"constant_score", "filter boost _name"},
    {"dis_max", "queries tie_breaker boost _name"},
};

}  // namespace

std::span<const ApiEndpoint> ApiEndpoints() {
  return kEndpoints;
}

std::span<const QueryOptions> KnownQueries() {
  return kQueries;
}

std::span<const AggregationOptions> KnownAggregations() {
  static constexpr AggregationOptions kAggregations[] = {
      {"terms", "field size order min_doc_count include exclude missing"},
      {"histogram", "field interval offset min_doc_count extended_bounds keyed"},
      {"date_histogram",
       "field calendar_interval fixed_interval time_zone offset format min_doc_count "
       "extended_bounds keyed"},
      {"range", "field ranges keyed"},
      {"date_range", "field ranges format keyed"},
      {"filter", ""},
      {"filters", "filters"},
      {"min", "field"},
      {"max", "field"},
      {"avg", "field"},
      {"sum", "field"},
      {"stats", "field"},
      {"value_count", "field"},
      {"cardinality", "field"},
      {"percentiles", "field percents keyed"},
  };
  return kAggregations;
}

const AggregationOptions* FindAggregationOptions(std::string_view type) {
  const auto known = KnownAggregations();
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const auto& options) { return options.type == type; });
  return found == known.end() ? nullptr : &*found;
}

const QueryOptions* FindQueryOptions(std::string_view query) {
  for (const QueryOptions& known : kQueries) {
    if (known.query == query) return &known;
  }
  return nullptr;
}

bool IsWriting(EndpointKind kind) {
  switch (kind) {
    case Kind::kCreateIndex:
    case Kind::kDeleteIndex:
    case Kind::kPutMapping:
    case Kind::kIndexDocument:
    case Kind::kCreateDocument:
    case Kind::kUpdateDocument:
    case Kind::kDeleteDocument:
    case Kind::kBulk:
    case Kind::kDeleteByQuery:
    case Kind::kRefresh:
    case Kind::kFlush:
    case Kind::kForceMerge:
      return true;
    default:
      return false;
  }
}

bool HasWord(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const size_t end = words.find(' ');
    if (words.substr(0, end) == word) return !word.empty();
    words.remove_prefix(end == words.npos ? words.size() : end + 1);
  }
  return false;
}

absl::Status CheckKeys(const Json& object, std::string_view known, std::string_view where) {
  for (const auto& [key, value] : object.items()) {
    if (!HasWord(known, key)) return UnknownKey(where, key);
  }
  return absl::OkStatus();
}

}  // namespace pmdex
