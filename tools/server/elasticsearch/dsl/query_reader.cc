#include "tools/server/elasticsearch/dsl/query_reader.h"

#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/api_table.h"
#include "tools/server/elasticsearch/dsl/column_queries.h"
#include "tools/server/elasticsearch/dsl/compound_queries.h"
#include "tools/server/elasticsearch/dsl/field_query.h"
#include "tools/server/elasticsearch/dsl/full_text_queries.h"
#include "tools/server/elasticsearch/dsl/query_string.h"
#include "tools/server/elasticsearch/dsl/term_queries.h"
#include "tools/server/elasticsearch/parameters.h"

namespace pmdex {
namespace {

constexpr std::pair<std::string_view, MatchKind> kMatchKinds[] = {
    {"match", MatchKind::kWords},
    {"match_phrase", MatchKind::kPhrase},
    {"match_phrase_prefix", MatchKind::kPhrasePrefix},
    {"match_bool_prefix", MatchKind::kBoolPrefix},
};

using FieldReader = QueryOr (*)(DslScope&, std::string_view, const Json&);
constexpr std::pair<std::string_view, FieldReader> kTermKinds[] = {
    {"term", ReadTerm},     {"prefix", ReadPrefix}, {"wildcard", ReadWildcard},
    {"regexp", ReadRegexp}, {"fuzzy", ReadFuzzy},   {"range", ReadRange},
};

QueryOr ReadMatchAll(DslScope&, const Json&) {
  return QueryOfKind(QueryKind::kAll);
}
QueryOr ReadMatchNone(DslScope&, const Json&) {
  return QueryOfKind(QueryKind::kNone);
}

using WholeReader = QueryOr (*)(DslScope&, const Json&);
constexpr std::pair<std::string_view, WholeReader> kWholeKinds[] = {
    {"match_all", ReadMatchAll},
    {"match_none", ReadMatchNone},
    {"multi_match", ReadMultiMatch},
    {"query_string", ReadQueryString},
    {"ids", ReadIds},
    {"exists", ReadExists},
    {"bool", ReadBool},
    {"constant_score", ReadConstantScore},
    {"dis_max", ReadDisMax},
};

template <typename Kinds>
auto FindKind(const Kinds& kinds, std::string_view name) -> decltype(&kinds[0].second) {
  for (const auto& [kind, value] : kinds) {
    if (kind == name) return &value;
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<DslQuery> QueryReader::Read(const Json& query) {
  DslQuery read;
  if (query.is_null()) {
    read.root = QueryOfKind(QueryKind::kAll);
    return read;
  }
  PMDEX_ASSIGN_OR_RETURN(read.root, Clause(query));
  read.named = std::move(named_);
  return read;
}

QueryOr QueryReader::Clause(const Json& clause) {
  if (!clause.is_object()) {
    return ApiError(400, "parsing_exception",
                    "[_na] query malformed, must start with start_object");
  }
  if (clause.empty()) return BadArgument("query malformed, empty clause found");
  const std::string& kind = clause.begin().key();
  if (FindQueryOptions(kind) == nullptr) {
    return ApiError(400, "parsing_exception", absl::StrCat("unknown query [", kind, "]"));
  }
  if (clause.size() > 1) {
    return ApiError(400, "parsing_exception",
                    absl::StrCat("[", kind, "] malformed query, expected [END_OBJECT] but found [",
                                 std::next(clause.begin()).key(), "]"));
  }
  return ReadKind(kind, clause.begin().value());
}

QueryOr QueryReader::ReadKind(std::string_view kind, const Json& body) {
  if (kind == "terms") {
    if (!body.is_object()) {
      return ApiError(400, "parsing_exception", "[terms] query malformed, no start_object");
    }
    PMDEX_ASSIGN_OR_RETURN(QueryPtr query, ReadTerms(*this, body));
    return Finish(kind, body, std::move(query));
  }
  return FindKind(kWholeKinds, kind) != nullptr ? ReadWhole(kind, body) : ReadInField(kind, body);
}

QueryOr QueryReader::ReadInField(std::string_view kind, const Json& body) {
  const MatchKind* const match_kind = FindKind(kMatchKinds, kind);
  PMDEX_ASSIGN_OR_RETURN(const FieldQuery read,
                         ReadFieldQuery(kind, body, match_kind != nullptr ? "query" : "value"));
  if (match_kind == nullptr) {
    PMDEX_ASSIGN_OR_RETURN(QueryPtr query,
                           (*FindKind(kTermKinds, kind))(*this, read.field, read.options));
    return Finish(kind, read.options, std::move(query));
  }
  PMDEX_ASSIGN_OR_RETURN(const MatchOptions options, ReadMatchOptions(kind, read.options));
  PMDEX_ASSIGN_OR_RETURN(QueryPtr query, MatchIn(*this, *match_kind, kind, read.field, options));
  return Finish(kind, read.options, std::move(query));
}

QueryOr QueryReader::ReadWhole(std::string_view kind, const Json& body) {
  if (!body.is_object()) {
    return ApiError(
        400, "parsing_exception",
        absl::StrCat("[", ToAbsl(kind), "] query malformed, no start_object after query name"));
  }
  const std::string where = absl::StrCat("[", ToAbsl(kind), "] query");
  PMDEX_RETURN_IF_ERROR(CheckKeys(body, FindQueryOptions(kind)->options, where));
  PMDEX_ASSIGN_OR_RETURN(QueryPtr query, (*FindKind(kWholeKinds, kind))(*this, body));
  return Finish(kind, body, std::move(query));
}

QueryOr QueryReader::Finish(std::string_view kind, const Json& options, QueryPtr query) {
  PMDEX_RETURN_IF_ERROR(ApplyBoost(kind, options, *query));
  if (!options.contains("_name")) return query;
  PMDEX_ASSIGN_OR_RETURN(std::string name, JsonText("_name", options["_name"]));
  named_.push_back({std::move(name), query.get()});
  return query;
}

}  // namespace pmdex
