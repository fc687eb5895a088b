#include "tools/server/search_service.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include "pmem/text.h"
#include "tools/server/elasticsearch/api_description.h"
#include "tools/server/http/content_coding.h"
#include "tools/server/http_error.h"
#include "tools/server/search_page.h"
#include "tools/server/static_files.h"
#include "tools/server/status_pages.h"

namespace pmdex {
namespace {

bool IsGet(const HttpRequest& request) {
  return request.method == "GET" || request.method == "HEAD";
}

// True for a request that may write and that a browser sends for a page of another site. The page
// could not read the answer, but a server without tokens would do what it asks for.
bool IsOfAnotherSite(const HttpRequest& request) {
  const auto origin = request.Header("origin");
  if (!origin.has_value() || IsGet(request)) return false;
  const size_t scheme = origin->find("://");
  return scheme == origin->npos ||
         origin->substr(scheme + 3) != request.Header("host").value_or("");
}

HttpResponse WrongMethod(std::string_view allowed) {
  HttpResponse response =
      ErrorResponse(405, absl::StrCat("the only methods are ", ToAbsl(allowed)));
  response.headers.emplace_back("Allow", allowed);
  return response;
}

HttpResponse Unauthorized() {
  HttpResponse response =
      ErrorResponse(401, "a token is needed (hint: the header Authorization: Bearer TOKEN)");
  response.headers.emplace_back("WWW-Authenticate", "Basic realm=\"pmdex\", charset=\"UTF-8\"");
  response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"pmdex\"");
  return response;
}

// What a path of the server's own API stands for, below an index or not.
Endpoint EndpointOf(const std::vector<std::string>& path) {
  if (path.empty()) return Endpoint::kPage;
  if (path[0].starts_with('_')) return Endpoint::kElasticsearch;
  if (path.size() > 1 && path[1].starts_with('_')) return Endpoint::kElasticsearch;
  // [NAME/]documents[/ID]; an id may have slashes, which are percent-encoded in the path.
  if (path[0] == "documents" && path.size() <= 2) return Endpoint::kDocuments;
  if (path.size() > 1 && path[1] == "documents" && path.size() <= 3) return Endpoint::kDocuments;
  if (path.size() > 2) return Endpoint::kOther;
  const std::string& last = path.back();
  if (last == "search") return Endpoint::kSearch;
  if (last == "stats") return Endpoint::kStats;
  if (path.size() == 2) return Endpoint::kOther;
  if (last == "metrics") return Endpoint::kMetrics;
  if (last == "healthz" || last == "readyz") return Endpoint::kHealth;
  if (last == "openapi.json") return Endpoint::kPage;
  return Endpoint::kOther;
}

// The same for the target of a finished request, which is not parsed any more.
Endpoint EndpointOfTarget(std::string_view target) {
  target = target.substr(0, target.find('?'));
  std::vector<std::string> path;
  for (const absl::string_view part : absl::StrSplit(ToAbsl(target), '/', absl::SkipEmpty())) {
    path.emplace_back(part);
  }
  return EndpointOf(path);
}

// The index that the path names: the first part of two, or the only index.
absl::StatusOr<std::shared_ptr<const ServedIndex>> IndexFor(const HttpRequest& request,
                                                            const ServedIndexes& indexes) {
  if (request.path.size() == 1) {
    if (indexes.size() == 1) return indexes[0];
    if (indexes.empty()) return MakeStatus(absl::StatusCode::kNotFound, "there is no index yet");
    std::string names;
    for (const auto& index : indexes)
      absl::StrAppend(&names, names.empty() ? "" : ", ", index->name);
    return InvalidArgument(
        absl::StrCat("there are several indexes: ", names, " (hint: /NAME/", request.path[0], ")"));
  }
  const auto found = std::find_if(indexes.begin(), indexes.end(), [&](const auto& index) {
    return index->name == request.path[0];
  });
  if (found != indexes.end()) return *found;
  return MakeStatus(absl::StatusCode::kNotFound,
                    absl::StrCat("no index has the name '", request.path[0].substr(0, 100), "'"));
}

ServeOutcome Now(HttpResponse response) {
  return {std::move(response), nullptr};
}

HttpResponse TextResponse(std::string_view type, std::string body) {
  HttpResponse response;
  response.content_type = std::string(type);
  response.body = std::move(body);
  return response;
}

}  // namespace

SearchService::SearchService(const SearchServiceOptions& options, IndexCatalog& catalog,
                             RequestLog* log, WritableIndexes* writing)
    : cache_(options.result_cache_bytes),
      tokens_(options.tokens),
      users_(options.users),
      timeout_(options.search.timeout),
      catalog_(catalog),
      log_(log),
      search_(options.search, metrics_, cache_, log),
      elasticsearch_(
          {ElasticsearchLimits{}, options.search.timeout, options.search.most_cost_of_loop},
          metrics_, SearchNotes(&metrics_, log, options.search.slow), writing),
      documents_(metrics_, writing),
      loops_(options.loops) {}

const SearchService::Indexes& SearchService::IndexesOf(size_t loop) {
  LoopIndexes& known = loops_[loop];
  if (const uint64_t version = catalog_.version(); version != known.version) {
    known.indexes = catalog_.Current();
    known.version = version;
  }
  return known.indexes;
}

void SearchService::Tick(size_t loop) {
  const Indexes& indexes = IndexesOf(loop);
  if (users_ != nullptr && loop == 0) views_.KeepOnly(indexes);
}

ServeOutcome SearchService::Serve(HttpRequest request, const RequestContext& context) {
  const Endpoint endpoint = EndpointOf(request.path);
  if (endpoint == Endpoint::kHealth) {
    return Route(std::move(request), context, IndexesOf(context.loop));
  }
  if (context.overloaded && endpoint != Endpoint::kMetrics) {
    metrics_.CountEvent(ServerEvent::kShed);
    return Now(ErrorResponse(503, "requests wait for too long; this one was not begun"));
  }
  if (IsOfAnotherSite(request)) {
    return Now(ErrorResponse(403, "the request comes from a page of another site (Origin)"));
  }
  const bool has_token = tokens_.are_needed() && tokens_.Allow(request);
  if (users_ != nullptr && !has_token) return ServeUser(std::move(request), context);
  if (tokens_.are_needed() && !has_token) {
    metrics_.CountEvent(ServerEvent::kUnauthorized);
    return Now(Unauthorized());
  }
  return Route(std::move(request), context, IndexesOf(context.loop));
}

// Making a view takes time, so that a thread of the pool does it.
ServeOutcome SearchService::ServeUser(HttpRequest request, const RequestContext& context) {
  const std::optional<UserMap::FoundUser> user = users_->Find(request, context);
  if (!user.has_value()) {
    metrics_.CountEvent(ServerEvent::kUnauthorized);
    return Now(Unauthorized());
  }
  if (!IsForUser(request)) {
    metrics_.CountEvent(ServerEvent::kUnauthorized);
    ServeOutcome refused = Now(elasticsearch_.RefuseUser(request));
    refused.user = user->name;
    return refused;
  }
  request.user = user->identity.uid;
  ServeOutcome outcome;
  outcome.user = user->name;
  outcome.deadline = context.arrival + timeout_;
  outcome.work = [this, request = std::make_shared<HttpRequest>(std::move(request)), context,
                  user = user->identity, indexes = IndexesOf(context.loop)]() -> HttpResponse {
    const auto view = views_.Get(user, indexes);
    if (!view.ok()) return ErrorResponse(view.status());
    ServeOutcome answer = Route(std::move(*request), context, *view);
    return answer.work == nullptr ? std::move(answer.response) : answer.work();
  };
  return outcome;
}

bool SearchService::IsForUser(const HttpRequest& request) const {
  switch (EndpointOf(request.path)) {
    case Endpoint::kSearch:
    case Endpoint::kPage:
    case Endpoint::kStats:
    case Endpoint::kHealth:
      return true;
    case Endpoint::kElasticsearch:
    case Endpoint::kOther:
      return !elasticsearch_.Handles(request) || elasticsearch_.IsForUser(request);
    default:
      return false;
  }
}

ServeOutcome SearchService::ServeCoded(HttpRequest request, const RequestContext& context,
                                       const Indexes& indexes) {
  auto reserved = coded_bytes_.Reserve(request.body.size());
  if (reserved == nullptr) {
    metrics_.CountEvent(ServerEvent::kShed);
    return Now(ErrorResponse(429, "too many compressed bodies wait"));
  }
  ServeOutcome outcome;
  outcome.is_waiting_work =
      EndpointOf(request.path) == Endpoint::kDocuments || elasticsearch_.Writes(request);
  if (!outcome.is_waiting_work) outcome.deadline = context.arrival + timeout_;
  outcome.work = [this, request = std::make_shared<HttpRequest>(std::move(request)), context,
                  reserved = std::shared_ptr<const ReservedBytes>(std::move(reserved)),
                  indexes]() -> HttpResponse {
    if (const auto failure = DecodeBody(*request); failure.has_value()) return Refuse(*failure);
    ServeOutcome answer = Route(std::move(*request), context, indexes);
    return answer.work == nullptr ? std::move(answer.response) : answer.work();
  };
  return outcome;
}

ServeOutcome SearchService::Route(HttpRequest request, const RequestContext& context,
                                  const Indexes& indexes) {
  if (request.coded_limit > 0) return ServeCoded(std::move(request), context, indexes);
  const Endpoint endpoint = EndpointOf(request.path);
  if (endpoint == Endpoint::kSearch) return ServeSearch(std::move(request), context, indexes);
  if (endpoint == Endpoint::kDocuments) return ServeDocuments(std::move(request), indexes);
  if (endpoint == Endpoint::kElasticsearch || endpoint == Endpoint::kOther) {
    return ServeOther(std::move(request), context, indexes);
  }
  if (request.path.empty()) return ServeRoot(std::move(request), context, indexes);
  if (!IsGet(request)) return Now(WrongMethod("GET, HEAD"));
  if (endpoint == Endpoint::kStats) return ServeStats(request, indexes);
  if (request.path[0] == "metrics") {
    return Now(TextResponse("text/plain; version=0.0.4; charset=utf-8",
                            MetricsText({&metrics_, &catalog_, server_, &cache_, log_})));
  }
  if (request.path[0] == "readyz") return Now(Ready());
  if (request.path[0] == "healthz")
    return Now(TextResponse("application/json", "{\"status\":\"ok\"}"));
  static const std::string description = DescribeApi(kOpenApiJson);
  HttpResponse document = TextResponse("application/json", description);
  CompressResponse(request.Header("accept-encoding"), document);
  return Now(std::move(document));
}

HttpResponse SearchService::Ready() const {
  if (is_draining_) return ErrorResponse(503, "draining", "the server is about to end");
  return TextResponse("application/json", "{\"status\":\"ready\"}");
}

ServeOutcome SearchService::ServeSearch(HttpRequest request, const RequestContext& context,
                                        const Indexes& indexes) {
  if (!IsGet(request) && request.method != "POST") return Now(WrongMethod("GET, HEAD, POST"));
  const auto index = IndexFor(request, *indexes);
  if (!index.ok()) {
    return Now(
        ErrorResponse(absl::IsNotFound(index.status()) ? 404 : 400, Message(index.status())));
  }
  return search_.Serve(std::move(request), context, *index);
}

ServeOutcome SearchService::ServeDocuments(HttpRequest request, const Indexes& indexes) {
  const bool names_index = request.path[0] != "documents";
  const size_t size = names_index ? 3 : 2;  // with an id
  std::string id = request.path.size() == size ? request.path.back() : "";
  if (names_index) {
    std::string index = request.path[0];
    return documents_.Serve(std::move(request), std::move(index), std::move(id));
  }
  HttpRequest of_only_index;
  of_only_index.path = {"documents"};
  const auto index = IndexFor(of_only_index, *indexes);
  if (!index.ok()) {
    return Now(
        ErrorResponse(absl::IsNotFound(index.status()) ? 404 : 400, Message(index.status())));
  }
  return documents_.Serve(std::move(request), (*index)->name, std::move(id));
}

ServeOutcome SearchService::ServeStats(const HttpRequest& request, const Indexes& indexes) {
  HttpResponse response;
  if (request.path.size() == 1) {
    response.body = ServerStatsJson(
        *indexes, std::chrono::duration_cast<std::chrono::seconds>(ServerClock::now() - start_));
  } else {
    const auto index = IndexFor(request, *indexes);
    if (!index.ok()) return Now(ErrorResponse(404, Message(index.status())));
    response.body = IndexStatsJson(**index);
  }
  CompressResponse(request.Header("accept-encoding"), response);
  return Now(std::move(response));
}

ServeOutcome SearchService::ServeRoot(HttpRequest request, const RequestContext& context,
                                      const Indexes& indexes) {
  const auto accept = request.Header("accept");
  const bool is_browser = accept.has_value() && accept->find("text/html") != accept->npos;
  if (!is_browser) return ServeOther(std::move(request), context, indexes);
  if (!IsGet(request)) return Now(WrongMethod("GET, HEAD"));
  HttpResponse page = SearchPage();
  CompressResponse(request.Header("accept-encoding"), page);
  return Now(std::move(page));
}

// The one place where requests go to Elasticsearch's API.
ServeOutcome SearchService::ServeOther(HttpRequest request, const RequestContext& context,
                                       const Indexes& indexes) {
  if (!elasticsearch_.Handles(request)) {
    return Now(ErrorResponse(404, "there is no such path (hint: /search?q=WORDS; /openapi.json)"));
  }
  return elasticsearch_.Serve(std::move(request), context, indexes);
}

HttpResponse SearchService::Refuse(const HttpFailure& failure) {
  if (failure.status == 503 || failure.status == 429) metrics_.CountEvent(ServerEvent::kShed);
  return ErrorResponse(failure.status, failure.reason);
}

HttpResponse SearchService::TooLate() {
  metrics_.CountEvent(ServerEvent::kDeadline);
  return TooLateResponse();
}

void SearchService::Finished(const FinishedRequest& request) {
  metrics_.CountRequest(EndpointOfTarget(request.target), request.status);
  metrics_.AddTime(Stage::kTotal, request.done - request.arrival);
  if (log_ != nullptr && log_->logs_access()) log_->Access(request);
}

}  // namespace pmdex
