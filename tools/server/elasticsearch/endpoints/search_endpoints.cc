#include "tools/server/elasticsearch/endpoints/search_endpoints.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/search/search_run.h"

namespace pmdex {
namespace {

absl::Status NoScrollId() {
  return InvalidRequest("scrollId is missing");
}

// The scroll ids of the path, the body or the parameters.
absl::StatusOr<std::vector<std::string>> ScrollIds(const ApiCall& call) {
  if (!call.scroll_id.empty()) return SplitAtCommas(call.scroll_id);
  if (call.body.is_object() && call.body.contains("scroll_id")) {
    return JsonTexts("scroll_id", call.body["scroll_id"]);
  }
  return call.parameters.List("scroll_id");
}

absl::StatusOr<std::optional<std::chrono::milliseconds>> KeepAlive(const ApiCall& call) {
  if (!call.body.is_object() || !call.body.contains("scroll")) {
    return call.parameters.Time("scroll");
  }
  PMDEX_ASSIGN_OR_RETURN(const std::string text, JsonText("scroll", call.body["scroll"]));
  PMDEX_ASSIGN_OR_RETURN(const std::chrono::milliseconds time, ParseTime("scroll", text));
  return std::optional<std::chrono::milliseconds>(time);
}

ApiAnswerOr ClearScrolls(const ApiCall& call) {
  PMDEX_ASSIGN_OR_RETURN(const std::vector<std::string> ids, ScrollIds(call));
  if (ids.empty()) return NoScrollId();
  const bool all = ids.size() == 1 && ids[0] == "_all";
  ScrollStore& scrolls = call.state.scrolls;
  const auto& user = call.request.user;
  const size_t freed = all ? scrolls.RemoveAll(user) : scrolls.Remove(ids, user);
  return ApiAnswer{freed > 0 || all ? 200 : 404, {{"succeeded", true}, {"num_freed", freed}}, {}};
}

Json WithScrollId(std::string_view id, const Json& answer) {
  Json out = {{"_scroll_id", id}};
  out.update(answer);
  return out;
}

ApiAnswerOr NextScrollPage(const ApiCall& call) {
  PMDEX_ASSIGN_OR_RETURN(const std::vector<std::string> ids, ScrollIds(call));
  if (ids.empty()) return NoScrollId();
  PMDEX_ASSIGN_OR_RETURN(const auto keep_alive, KeepAlive(call));
  if (keep_alive.has_value() && *keep_alive > call.state.limits.max_keep_alive) {
    return BadArgument("Keep alive for request is too large. It must be at most one day.");
  }
  const auto scroll =
      call.state.scrolls.Find(ids[0], call.request.user, keep_alive, ScrollStore::Clock::now());
  if (scroll == nullptr) {
    return ApiError(404, "search_context_missing_exception",
                    absl::StrCat("No search context found for id [", ids[0], "]"));
  }
  MutexLock lock(&scroll->mutex);
  PMDEX_ASSIGN_OR_RETURN(const Json page,
                         scroll->run.NextPage(call.state.analyzers, call.timeout, call.budget));
  Json answer = WithScrollId(ids[0], page);
  PMDEX_ASSIGN_OR_RETURN(const bool as_int,
                         call.parameters.Switch("rest_total_hits_as_int", false));
  Json& total = answer["hits"]["total"];
  if (as_int && total.is_object()) total = Json(total["value"]);
  return ApiAnswer{200, std::move(answer), {}};
}

}  // namespace

ApiAnswerOr AnswerSearch(const ApiCall& call) {
  PMDEX_ASSIGN_OR_RETURN(SearchBody body,
                         ReadSearchBody(call.body, call.parameters, call.state.limits));
  if (call.most_cost.has_value() && body.IsHeavy()) {
    return MakeStatus(absl::StatusCode::kOutOfRange, "the search is heavy");
  }
  body.most_cost = call.most_cost;
  PMDEX_ASSIGN_OR_RETURN(const SelectedIndexes indexes, SelectedBy(call));
  const auto keep_alive = body.scroll;
  PMDEX_ASSIGN_OR_RETURN(SearchRun run,
                         SearchRun::Open(std::move(body), indexes, call.state.analyzers,
                                         call.state.limits, call.state.notes));
  PMDEX_ASSIGN_OR_RETURN(Json answer,
                         run.NextPage(call.state.analyzers, call.timeout, call.budget));
  if (keep_alive.has_value()) {
    PMDEX_ASSIGN_OR_RETURN(const std::string id,
                           call.state.scrolls.Add(std::move(run), call.request.user, *keep_alive,
                                                  ScrollStore::Clock::now()));
    answer = WithScrollId(id, answer);
  }
  return ApiAnswer{200, std::move(answer), {}};
}

ApiAnswerOr AnswerCount(const ApiCall& call) {
  SearchBody body;
  if (call.body.is_object() && call.body.contains("query")) {
    body.query = call.body["query"];
    if (body.query.is_null()) return ApiError(400, "parsing_exception", "[query] takes a query");
  }
  PMDEX_ASSIGN_OR_RETURN(Json url_query, ReadUrlQuery(call.parameters));
  if (!url_query.is_null()) body.query = std::move(url_query);
  if (const auto score = call.parameters.Text("min_score")) {
    PMDEX_ASSIGN_OR_RETURN(const double number, JsonNumber("min_score", Json(*score)));
    body.min_score = static_cast<float>(number);
  }
  body.size = 0;
  body.most_cost = call.most_cost;
  body.total_limit = UINT64_MAX;
  PMDEX_ASSIGN_OR_RETURN(const SelectedIndexes indexes, SelectedBy(call));
  PMDEX_ASSIGN_OR_RETURN(SearchRun run,
                         SearchRun::Open(std::move(body), indexes, call.state.analyzers,
                                         call.state.limits, call.state.notes));
  PMDEX_ASSIGN_OR_RETURN(const Json page,
                         run.NextPage(call.state.analyzers, call.timeout, call.budget));
  if (page["timed_out"].get<bool>()) {
    return ApiError(503, "timeout_exception", "the deadline came before all matches were counted");
  }
  return ApiAnswer{
      200, {{"count", page["hits"]["total"]["value"]}, {"_shards", page["_shards"]}}, {}};
}

ApiAnswerOr AnswerScroll(const ApiCall& call) {
  return call.request.method == "DELETE" ? ClearScrolls(call) : NextScrollPage(call);
}

}  // namespace pmdex
