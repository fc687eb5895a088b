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
  kWriting,  // no method of it is known yet
};

struct ApiEndpoint {
  std::string_view path;  // /{index}/_doc/{id}: a part in braces stands for any text
  std::string_view methods;
  EndpointKind kind;
  std::string_view parameters;  // beside kCommonParameters
  std::string_view body_keys;
};

std::span<const ApiEndpoint> ApiEndpoints();

// The parameters that every endpoint has.
inline constexpr std::string_view kCommonParameters =
    "pretty human filter_path error_trace master_timeout cluster_manager_timeout local";

// The keys of the header lines of _msearch, and of a document of _mget.
inline constexpr std::string_view kSearchHeaderKeys =
    "index search_type preference request_cache ignore_unavailable allow_no_indices "
    "expand_wildcards";
inline constexpr std::string_view kMultiGetKeys = "_index _id _source";

// A kind of query, with the options beside its field.
struct QueryOptions {
  std::string_view query;
  std::string_view options;
};
std::span<const QueryOptions> KnownQueries();
// Null if there is no such kind.
const QueryOptions* FindQueryOptions(std::string_view query);

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
