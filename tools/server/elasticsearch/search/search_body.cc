#include "tools/server/elasticsearch/search/search_body.h"

#include <cfloat>
#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/api_table.h"

namespace pmdex {
namespace {

absl::Status ReadCount(std::string_view name, int64_t number, size_t& count) {
  if (number < 0) {
    return BadArgument(
        absl::StrCat("[", ToAbsl(name), "] parameter cannot be negative, found [", number, "]"));
  }
  count = static_cast<size_t>(number);
  return absl::OkStatus();
}

// value: true, false, or the greatest total that is exact.
absl::Status ReadTotalLimit(const Json& value, SearchBody& request) {
  if (value.is_boolean() || value == "true" || value == "false") {
    PMDEX_ASSIGN_OR_RETURN(request.show_total, JsonSwitch("track_total_hits", value));
    request.total_limit = request.show_total ? UINT64_MAX : 0;
    return absl::OkStatus();
  }
  PMDEX_ASSIGN_OR_RETURN(const int64_t limit, JsonInteger("track_total_hits", value));
  if (limit < -1) {
    return BadArgument(
        absl::StrCat("[track_total_hits] parameter must be positive or equals to "
                     "-1, got ",
                     limit));
  }
  request.show_total = limit != -1;
  request.total_limit = request.show_total ? static_cast<uint64_t>(limit) : 0;
  request.limits_total = request.show_total;
  return absl::OkStatus();
}

// -1, and 0 as for a real node, whose clock is too coarse for it: as long as the server lets it
// take.
absl::Status ReadTimeout(std::string_view text, SearchBody& request) {
  request.timeout.reset();
  if (text == "-1") return absl::OkStatus();
  PMDEX_ASSIGN_OR_RETURN(const std::chrono::milliseconds timeout, ParseTime("timeout", text));
  if (timeout.count() != 0) request.timeout = timeout;
  return absl::OkStatus();
}

// Reads one key of the body. Requires a known key.
absl::Status ReadKey(const std::string& key, const Json& value, SearchBody& request) {
  const auto read_switch = [&](bool& place) {
    PMDEX_ASSIGN_OR_RETURN(place, JsonSwitch(key, value));
    return absl::OkStatus();
  };
  if (key == "query") {
    if (value.is_null()) return ApiError(400, "parsing_exception", "[query] takes a query");
    request.query = value;
  }
  if (key == "post_filter") {
    if (value.is_null()) return ApiError(400, "parsing_exception", "[post_filter] takes a query");
    request.post_filter = value;
  }
  if (key == "aggs" || key == "aggregations") {
    if (!value.is_object()) return ApiError(400, "parsing_exception", "[aggs] needs an object");
    // An object without members asks for none: the answer has no aggregations.
    if (!value.empty()) request.aggregations = value;
  }
  if (key == "from" || key == "size") {
    PMDEX_ASSIGN_OR_RETURN(const int64_t number, JsonInteger(key, value));
    return ReadCount(key, number, key == "from" ? request.from : request.size);
  }
  if (key == "sort") {
    PMDEX_ASSIGN_OR_RETURN(request.sort, ReadSort(value));
  }
  if (key == "track_total_hits") return ReadTotalLimit(value, request);
  if (key == "track_scores") return read_switch(request.track_scores);
  if (key == "explain") return read_switch(request.explain);
  if (key == "profile") return read_switch(request.profile);
  if (key == "version") return read_switch(request.version);
  if (key == "seq_no_primary_term") return read_switch(request.sequence_numbers);
  if (key == "min_score") {
    PMDEX_ASSIGN_OR_RETURN(const double score, JsonNumber(key, value));
    if (score < -FLT_MAX || score > FLT_MAX) return BadArgument("[min_score] is no score");
    request.min_score = static_cast<float>(score);
  }
  if (key == "_source") {
    PMDEX_ASSIGN_OR_RETURN(request.source, ReadSourceFilter(value));
  }
  if (key == "highlight") {
    PMDEX_ASSIGN_OR_RETURN(request.highlight, ReadHighlight(value));
  }
  if (key == "timeout") {
    PMDEX_ASSIGN_OR_RETURN(const std::string text, JsonText(key, value));
    return ReadTimeout(text, request);
  }
  return absl::OkStatus();
}

// sort=_doc or sort=_score:desc,_doc
absl::StatusOr<Json> UrlSort(const std::vector<std::string>& names) {
  Json sort = Json::array();
  for (const std::string& name : names) {
    const size_t colon = name.find(':');
    if (colon == name.npos) {
      sort.push_back(name);
    } else {
      sort.push_back({{name.substr(0, colon), name.substr(colon + 1)}});
    }
  }
  return sort;
}

absl::Status ReadSwitches(const Parameters& parameters, SearchBody& request) {
  PMDEX_ASSIGN_OR_RETURN(request.track_scores,
                         parameters.Switch("track_scores", request.track_scores));
  PMDEX_ASSIGN_OR_RETURN(request.explain, parameters.Switch("explain", request.explain));
  PMDEX_ASSIGN_OR_RETURN(request.version, parameters.Switch("version", request.version));
  PMDEX_ASSIGN_OR_RETURN(request.sequence_numbers,
                         parameters.Switch("seq_no_primary_term", request.sequence_numbers));
  PMDEX_ASSIGN_OR_RETURN(request.total_as_int,
                         parameters.Switch("rest_total_hits_as_int", request.total_as_int));
  PMDEX_ASSIGN_OR_RETURN(request.uses_request_cache, parameters.Switch("request_cache", false));
  return absl::OkStatus();
}

absl::Status ReadParameters(const Parameters& parameters, SearchBody& request) {
  PMDEX_ASSIGN_OR_RETURN(Json query, ReadUrlQuery(parameters));
  if (!query.is_null()) request.query = std::move(query);
  for (const char* name : {"from", "size"}) {
    PMDEX_ASSIGN_OR_RETURN(const auto number, parameters.Integer(name));
    if (!number.has_value()) continue;
    PMDEX_RETURN_IF_ERROR(ReadCount(name, *number, name[0] == 'f' ? request.from : request.size));
  }
  if (parameters.Text("sort").has_value()) {
    PMDEX_ASSIGN_OR_RETURN(const Json sort, UrlSort(parameters.List("sort")));
    PMDEX_ASSIGN_OR_RETURN(request.sort, ReadSort(sort));
  }
  if (const auto limit = parameters.Text("track_total_hits")) {
    PMDEX_RETURN_IF_ERROR(ReadTotalLimit(Json(*limit), request));
  }
  PMDEX_RETURN_IF_ERROR(ReadSwitches(parameters, request));
  PMDEX_ASSIGN_OR_RETURN(request.source, ReadSourceFilter(parameters, request.source));
  PMDEX_ASSIGN_OR_RETURN(request.scroll, parameters.Time("scroll"));
  if (const auto timeout = parameters.Text("timeout")) {
    PMDEX_RETURN_IF_ERROR(ReadTimeout(*timeout, request));
  }
  const std::string_view type = parameters.Text("search_type").value_or("query_then_fetch");
  request.shared_statistics = type == "dfs_query_then_fetch";
  if (type == "query_then_fetch" || request.shared_statistics) return absl::OkStatus();
  return BadArgument(absl::StrCat("No search type for [", ToAbsl(type), "]"));
}

absl::Status CheckScroll(const SearchBody& request, const ElasticsearchLimits& limits) {
  if (!request.scroll.has_value()) return absl::OkStatus();
  if (request.from > 0) return InvalidRequest("using [from] is not allowed in a scroll context");
  if (request.size == 0) return InvalidRequest("[size] cannot be [0] in a scroll context");
  if (!request.show_total) {
    return InvalidRequest("disabling [track_total_hits] is not allowed in a scroll context");
  }
  if (request.uses_request_cache) {
    return InvalidRequest("[request_cache] cannot be used in a scroll context");
  }
  if (request.after.place.has_value() || !request.after.values.empty())
    return InvalidRequest("`search_after` cannot be used in a scroll context.");
  if (*request.scroll <= limits.max_keep_alive) return absl::OkStatus();
  return BadArgument("Keep alive for request is too large. It must be at most one day.");
}

absl::Status CheckRequest(SearchBody& request, const ElasticsearchLimits& limits) {
  PMDEX_RETURN_IF_ERROR(CheckScroll(request, limits));
  PMDEX_RETURN_IF_ERROR(CheckTotal(request));
  if (request.scroll.has_value()) request.total_limit = UINT64_MAX;
  if (request.sort.by_doc() && request.min_score.has_value()) {
    return BadArgument("[min_score] is not supported with a sort by [_doc]");
  }
  if (request.sort.by_fields() && request.min_score.has_value()) {
    return BadArgument("[min_score] is not supported with a sort by fields");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckTotal(SearchBody& request) {
  if (request.total_as_int && request.limits_total) {
    return BadArgument(
        absl::StrCat("[rest_total_hits_as_int] cannot be used if the tracking of "
                     "total hits is not accurate, got ",
                     request.total_limit));
  }
  if (request.total_as_int && request.show_total) request.total_limit = UINT64_MAX;
  return absl::OkStatus();
}

bool SearchBody::IsHeavy() const {
  constexpr size_t kManyHits = 100;
  return from + size > kManyHits || explain || profile || !highlight.empty() ||
         scroll.has_value() || version || sequence_numbers || !aggregations.is_null();
}

absl::StatusOr<Json> ReadUrlQuery(const Parameters& parameters) {
  const auto text = parameters.Text("q");
  if (!text.has_value()) {
    for (const char* name : {"df", "default_operator", "analyzer", "lenient"}) {
      if (parameters.Text(name)) return BadArgument(absl::StrCat("[", name, "] needs [q]"));
    }
    return Json();
  }
  Json options = {{"query", *text}};
  if (const auto field = parameters.Text("df")) options["default_field"] = *field;
  for (const char* name : {"default_operator", "analyzer", "lenient"}) {
    if (const auto value = parameters.Text(name)) options[name] = *value;
  }
  return Json{{"query_string", std::move(options)}};
}

absl::StatusOr<SearchBody> ReadSearchBody(const Json& body, const Parameters& parameters,
                                          const ElasticsearchLimits& limits) {
  SearchBody request;
  if (body.is_object()) {
    for (const auto& [key, value] : body.items()) {
      PMDEX_RETURN_IF_ERROR(ReadKey(key, value, request));
    }
  }
  PMDEX_RETURN_IF_ERROR(ReadParameters(parameters, request));
  if (body.is_object() && body.contains("search_after")) {
    PMDEX_ASSIGN_OR_RETURN(request.after, ReadSearchAfter(body["search_after"], request.sort));
    if (request.from > 0) {
      return BadArgument("`from` parameter must be set to 0 when `search_after` is used.");
    }
  }
  PMDEX_RETURN_IF_ERROR(CheckRequest(request, limits));
  return request;
}

}  // namespace pmdex
