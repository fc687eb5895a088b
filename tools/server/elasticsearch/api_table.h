// The one table of what the Elasticsearch API knows: endpoints with their methods, parameters and
// keys of the body, and the options of queries and highlights. Whatever is not in it is refused by
// name. docs/ELASTICSEARCH.md and the tests follow it. Constant, thread-safe.
//
// Lists are words separated by spaces.
#pragma once

#include <span>
#include <string_view>

#include "pmem/status.h"
#include "tools/server/elasticsearch/json_text.h"

namespace pmdex {

enum class EndpointKind {
  kRoot,
  kClusterHealth,
  kCatIndices,
  kCatHealth,
  kCatCount,
  kStats,
  kResolveIndex,
  kSearch,
  kMultiSearch,
  kCount,
  kScroll,
  kDocument,
  kSource,
  kMultiGet,
  kExplain,
  kAnalyze,
  kIndex,
  kMapping,
  kFieldMapping,
  kSettings,
  kFieldCapabilities,
  kCreateIndex,
  kDeleteIndex,
  kPutMapping,
  kIndexDocument,
  kCreateDocument,
  kUpdateDocument,
  kDeleteDocument,
  kBulk,
  kDeleteByQuery,
  kRefresh,
  kFlush,
  kForceMerge,
};

// A path may have several endpoints with different methods.
struct ApiEndpoint {
  std::string_view path;  // /{index}/_doc/{id}: a part in braces stands for any text
  std::string_view methods;
  EndpointKind kind;
  std::string_view parameters;  // beside kCommonParameters
  std::string_view body_keys;   // kAnyBody: the endpoint reads the body itself
};

inline constexpr std::string_view kAnyBody = "*";

// True for endpoints that change documents or indexes, or make changes visible.
bool IsWriting(EndpointKind kind);

std::span<const ApiEndpoint> ApiEndpoints();

// The parameters that every endpoint has.
inline constexpr std::string_view kCommonParameters =
    "pretty human filter_path error_trace master_timeout cluster_manager_timeout local";

// The keys of the header lines of _msearch, and of a document of _mget.
inline constexpr std::string_view kSearchHeaderKeys =
    "index search_type preference request_cache ignore_unavailable allow_no_indices "
    "expand_wildcards";
inline constexpr std::string_view kMultiGetKeys = "_index _id _source";
// The keys of an action of _bulk, and of the body of an update.
inline constexpr std::string_view kBulkActionKeys =
    "_index _id if_seq_no if_primary_term retry_on_conflict";
inline constexpr std::string_view kUpdateKeys = "doc upsert doc_as_upsert detect_noop";

// A kind of query, with the options beside its field.
struct QueryOptions {
  std::string_view query;
  std::string_view options;
};
std::span<const QueryOptions> KnownQueries();
// Null if there is no such kind.
const QueryOptions* FindQueryOptions(std::string_view query);

// A type of aggregation, with its options. A filter has a query in place of options.
struct AggregationOptions {
  std::string_view type;
  std::string_view options;
};
std::span<const AggregationOptions> KnownAggregations();
// Null if there is no such type.
const AggregationOptions* FindAggregationOptions(std::string_view type);

inline constexpr std::string_view kMultiMatchTypes = "best_fields most_fields phrase phrase_prefix";
inline constexpr std::string_view kHighlightFieldKeys =
    "pre_tags post_tags fragment_size number_of_fragments no_match_size require_field_match";
inline constexpr std::string_view kHighlightKeys =
    "fields pre_tags post_tags fragment_size number_of_fragments no_match_size "
    "require_field_match";

bool HasWord(std::string_view words, std::string_view word);

// An error that names the first key of the object that is not in `known`. where: as the error calls
// the object. Requires an object.
absl::Status CheckKeys(const Json& object, std::string_view known, std::string_view where);

}  // namespace pmdex
