#include "tools/server/elasticsearch/elasticsearch_api.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

#include "tools/server/elasticsearch/api_call.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/api_route.h"
#include "tools/server/elasticsearch/content_type.h"
#include "tools/server/elasticsearch/endpoints/analyze_endpoint.h"
#include "tools/server/elasticsearch/endpoints/cat_endpoints.h"
#include "tools/server/elasticsearch/endpoints/cluster_endpoints.h"
#include "tools/server/elasticsearch/endpoints/document_endpoints.h"
#include "tools/server/elasticsearch/endpoints/index_endpoints.h"
#include "tools/server/elasticsearch/endpoints/multi_search_endpoint.h"
#include "tools/server/elasticsearch/endpoints/search_endpoints.h"
#include "tools/server/elasticsearch/filter_path.h"
#include "tools/server/elasticsearch/writing/bulk_endpoint.h"
#include "tools/server/elasticsearch/writing/delete_by_query_endpoint.h"
#include "tools/server/elasticsearch/writing/manage_endpoints.h"
#include "tools/server/elasticsearch/writing/write_endpoints.h"

namespace pmdex {
namespace {

ApiAnswerOr Dispatch(const ApiCall& call) {
  using Kind = EndpointKind;
  using Answerer = ApiAnswerOr (*)(const ApiCall&);
  constexpr std::pair<Kind, Answerer> kAnswerers[] = {
      {Kind::kRoot, AnswerRoot},
      {Kind::kClusterHealth, AnswerClusterHealth},
      {Kind::kCatIndices, AnswerCatIndices},
      {Kind::kCatHealth, AnswerCatHealth},
      {Kind::kCatCount, AnswerCatCount},
      {Kind::kStats, AnswerStats},
      {Kind::kResolveIndex, AnswerResolveIndex},
      {Kind::kSearch, AnswerSearch},
      {Kind::kMultiSearch, AnswerMultiSearch},
      {Kind::kCount, AnswerCount},
      {Kind::kScroll, AnswerScroll},
      {Kind::kDocument, AnswerDocument},
      {Kind::kSource, AnswerSource},
      {Kind::kMultiGet, AnswerMultiGet},
      {Kind::kExplain, AnswerExplain},
      {Kind::kAnalyze, AnswerAnalyze},
      {Kind::kIndex, AnswerIndex},
      {Kind::kMapping, AnswerMapping},
      {Kind::kFieldMapping, AnswerFieldMapping},
      {Kind::kSettings, AnswerSettings},
      {Kind::kFieldCapabilities, AnswerFieldCapabilities},
      {Kind::kCreateIndex, AnswerCreateIndex},
      {Kind::kDeleteIndex, AnswerDeleteIndex},
      {Kind::kPutMapping, AnswerPutMapping},
      {Kind::kIndexDocument, AnswerIndexDocument},
      {Kind::kCreateDocument, AnswerIndexDocument},
      {Kind::kUpdateDocument, AnswerUpdateDocument},
      {Kind::kDeleteDocument, AnswerDeleteDocument},
      {Kind::kBulk, AnswerBulk},
      {Kind::kDeleteByQuery, AnswerDeleteByQuery},
      {Kind::kRefresh, AnswerRefresh},
      {Kind::kFlush, AnswerRefresh},
      {Kind::kForceMerge, AnswerForceMerge},
  };
  for (const auto& [kind, answer] : kAnswerers) {
    if (kind == call.endpoint.kind) return answer(call);
  }
  return ApiError(500, "exception", "the endpoint has no answer");
}

// Parses the body and checks its keys. Null if there is none.
absl::StatusOr<Json> ReadBody(const HttpRequest& request, const ApiEndpoint& endpoint,
                              const ElasticsearchLimits& limits) {
  if (request.body.size() > limits.max_body_bytes) {
    return ApiError(413, "content_too_long_exception",
                    absl::StrCat("the body has ", request.body.size(), " bytes, more than ",
                                 limits.max_body_bytes));
  }
  const bool is_blank = request.body.find_first_not_of(" \t\r\n") == std::string::npos;
  if (is_blank || endpoint.kind == EndpointKind::kMultiSearch) return Json();
  if (endpoint.body_keys == kAnyBody) return Json();
  if (endpoint.body_keys.empty()) {
    return BadArgument(absl::StrCat("request [", request.method, " ", UriOf(request),
                                    "] does not support having a body"));
  }
  PMDEX_ASSIGN_OR_RETURN(Json body, ParseJson(request.body, limits.max_body_depth));
  if (!body.is_object()) {
    return ApiError(400, "parsing_exception", "the body must be an object: [START_OBJECT]");
  }
  PMDEX_RETURN_IF_ERROR(CheckKeys(body, endpoint.body_keys, "request"));
  return body;
}

// error_trace asks for stack traces, which this server does not have: the errors stay as they are.
absl::Status CheckCommonParameters(const Parameters& parameters) {
  for (const char* name : {"pretty", "human", "error_trace", "local"}) {
    PMDEX_RETURN_IF_ERROR(parameters.Switch(name, false).status());
  }
  for (const char* name : {"master_timeout", "cluster_manager_timeout"}) {
    PMDEX_RETURN_IF_ERROR(parameters.Time(name).status());
  }
  // All of these are this server. What does not begin with "_" is a client's own word.
  const std::string_view preference = parameters.Text("preference").value_or("");
  const std::string_view kind = preference.substr(0, preference.find(':'));
  if (preference.starts_with('_') &&
      !HasWord("_local _only_local _primary _primary_first _replica _replica_first _shards "
               "_only_nodes _prefer_nodes",
               kind)) {
    return BadArgument(absl::StrCat("no Preference for [", ToAbsl(preference), "]"));
  }
  return absl::OkStatus();
}

ApiAnswerOr AnswerOf(const HttpRequest& request, const ApiRoute& route, IndexSpan indexes,
                     std::chrono::milliseconds timeout, std::optional<uint64_t> most_cost,
                     ApiState& state) {
  const Parameters parameters(request);
  PMDEX_RETURN_IF_ERROR(parameters.CheckNames(route.endpoint->parameters, kCommonParameters));
  PMDEX_RETURN_IF_ERROR(CheckCommonParameters(parameters));
  PMDEX_ASSIGN_OR_RETURN(Json body, ReadBody(request, *route.endpoint, state.limits));
  AnswerBudget budget(state.limits.max_answer_bytes,
                      Deadline(std::chrono::steady_clock::now() + timeout));
  const ApiCall call{request,         *route.endpoint, route.index,     route.id, route.fields,
                     route.scroll_id, parameters,      std::move(body), indexes,  timeout,
                     most_cost,       state,           budget};
  return Dispatch(call);
}

// The media type that the client accepts: Elasticsearch's clients from version 8 on want their own.
std::string MediaTypeFor(const HttpRequest& request) {
  const std::string_view accept = request.Header("accept").value_or("");
  constexpr std::string_view kVendor = "application/vnd.elasticsearch+json";
  const size_t at = accept.find(kVendor);
  if (at == accept.npos) return "application/json";
  const size_t version = accept.find("compatible-with=", at);
  const std::string_view digits =
      version == accept.npos
          ? "9"
          : accept.substr(version + std::string_view("compatible-with=").size(), 1);
  return std::string(kVendor) + ";compatible-with=" + (digits == "8" ? "8" : "9");
}

HttpResponse Respond(const HttpRequest& request, ApiAnswer answer) {
  HttpResponse response;
  response.status = answer.status;
  response.headers.emplace_back("X-Elastic-Product", "Elasticsearch");
  if (answer.text.has_value()) {
    response.content_type = "text/plain; charset=UTF-8";
    response.body = *std::move(answer.text);
  } else {
    const Parameters parameters(request);
    const std::vector<std::string> patterns = parameters.List("filter_path");
    if (!patterns.empty()) answer.body = FilteredByPath(answer.body, patterns);
    response.content_type = MediaTypeFor(request);
    response.body = ToJsonText(answer.body);
    if (parameters.Switch("pretty", false).value_or(false)) response.body = Indented(response.body);
  }
  return response;
}

// False for requests that read documents by their ids, or carry out several searches.
bool MayBeCheap(const HttpRequest& request, EndpointKind kind) {
  constexpr size_t kMostBodyBytes = 16 << 10;
  if (request.body.size() > kMostBodyBytes || IsWriting(kind)) return false;
  switch (kind) {
    case EndpointKind::kMultiSearch:
    case EndpointKind::kScroll:
    case EndpointKind::kDocument:
    case EndpointKind::kSource:
    case EndpointKind::kMultiGet:
    case EndpointKind::kExplain:
      return false;
    default:
      return true;
  }
}

// Errors about the request line are a text in place of an object, as in Elasticsearch.
HttpResponse RefuseRoute(const HttpRequest& request, const ApiRoute& route) {
  const std::string uri = UriOf(request);
  if (!route.path_is_known) {
    return Respond(request, {404,
                             {{"error", absl::StrCat("no handler found for uri [", uri,
                                                     "] and method [", request.method, "]")},
                              {"status", 404}},
                             {}});
  }
  HttpResponse response = Respond(
      request, {405,
                {{"error", absl::StrCat("Incorrect HTTP method for uri [", uri, "] and method [",
                                        request.method, "], allowed: [", route.allowed, "]")},
                 {"status", 405}},
                {}});
  response.headers.emplace_back("Allow", route.allowed);
  return response;
}

}  // namespace

ElasticsearchApi::ElasticsearchApi(const ElasticsearchLimits& limits, const SearchNotes& notes,
                                   WritableIndexes* writing)
    : state_(std::make_unique<ApiState>(limits, notes, writing)) {}
ElasticsearchApi::~ElasticsearchApi() = default;

bool ElasticsearchApi::Handles(const HttpRequest& request) const {
  const std::vector<std::string> path = PathOf(request);
  if (path.size() <= 1) return true;
  return path[0].starts_with('_') || path[1].starts_with('_');
}

bool ElasticsearchApi::Writes(const HttpRequest& request) const {
  const std::vector<std::string> path = PathOf(request);
  const ApiRoute route = FindRoute(request.method, path);
  return route.endpoint != nullptr && IsWriting(route.endpoint->kind);
}

bool ElasticsearchApi::IsForUser(const HttpRequest& request) const {
  const std::vector<std::string> path = PathOf(request);
  const ApiRoute route = FindRoute(request.method, path);
  return route.endpoint != nullptr && !IsWriting(route.endpoint->kind);
}

HttpResponse ElasticsearchApi::RefuseUser(const HttpRequest& request) const {
  const absl::Status refused =
      ApiError(403, "security_exception",
               "this server shows each user what it may see, and answers this only to a token of "
               "its token file");
  return Respond(request, {403, ErrorBody(refused), {}});
}

HttpResponse ElasticsearchApi::RefuseWrite(const HttpRequest& request) const {
  const absl::Status full = ApiError(429, "es_rejected_execution_exception",
                                     "rejected execution: too many bytes wait to be written");
  HttpResponse response = Respond(request, {429, ErrorBody(full), {}});
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

std::optional<HttpResponse> ElasticsearchApi::TryHandle(
    const HttpRequest& request, std::span<const std::shared_ptr<const ServedIndex>> indexes,
    std::chrono::milliseconds timeout, std::optional<uint64_t> most_cost) const {
  if (auto refused = RefuseContentTypeHeader(request)) return Respond(request, *std::move(refused));
  const std::vector<std::string> path = PathOf(request);
  const ApiRoute route = FindRoute(request.method, path);
  if (route.endpoint == nullptr) return RefuseRoute(request, route);
  if (auto refused = RefuseContentType(request)) return Respond(request, *std::move(refused));
  if (most_cost.has_value() && !MayBeCheap(request, route.endpoint->kind)) return std::nullopt;
  ApiAnswerOr answer = AnswerOf(request, route, indexes, timeout, most_cost, *state_);
  if (answer.ok()) {
    const auto start = std::chrono::steady_clock::now();
    HttpResponse response = Respond(request, *std::move(answer));
    state_->notes.AddEncoding(std::chrono::steady_clock::now() - start);
    return response;
  }
  if (most_cost.has_value() && absl::IsOutOfRange(answer.status())) return std::nullopt;
  const int status = HttpStatusOf(answer.status());
  HttpResponse response = Respond(request, {status, ErrorBody(answer.status()), {}});
  if (status == 429) response.headers.emplace_back("Retry-After", "1");
  return response;
}

HttpResponse ElasticsearchApi::Handle(const HttpRequest& request,
                                      std::span<const std::shared_ptr<const ServedIndex>> indexes,
                                      std::chrono::milliseconds timeout) const {
  return *TryHandle(request, indexes, timeout, std::nullopt);
}

std::optional<HttpResponse> ElasticsearchApi::HandleCheap(
    const HttpRequest& request, std::span<const std::shared_ptr<const ServedIndex>> indexes,
    std::chrono::milliseconds timeout, uint64_t most_cost) const {
  return TryHandle(request, indexes, timeout, most_cost);
}

}  // namespace pmdex
