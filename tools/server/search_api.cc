#include "tools/server/search_api.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "pmem/text.h"
#include "tools/search_output.h"
#include "tools/server/http/content_coding.h"
#include "tools/server/http_error.h"

namespace pmdex {
namespace {

constexpr size_t kHitsInOnePiece = 10'000;  // answers with more are sent in pieces
constexpr size_t kMostBodyBytesOfLoop = size_t{16} << 10;
constexpr size_t kMostBatchBytes = size_t{100} << 20;  // behind which a batch has no more answers

// Everything that the body of an answer depends on.
std::string CacheKey(const ServedIndex& index, const SearchRequest& request) {
  return absl::StrCat(index.name, "\n", index.searcher->snapshot().manifest().generation, "\n",
                      index.edition, "\n", request.AnswerKey());
}

// The header Server-Timing, whose times are milliseconds.
std::string TimingText(ServerClock::duration queue, ServerClock::duration search,
                       ServerClock::duration encode) {
  const auto ms = [](ServerClock::duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
  };
  return absl::StrFormat("queue;dur=%.3f, search;dur=%.3f, encode;dur=%.3f", ms(queue), ms(search),
                         ms(encode));
}

// Facets with too many buckets are an error of the request, so that nobody tries again.
HttpResponse FailedSearch(const absl::Status& status) {
  if (!absl::IsResourceExhausted(status)) return ErrorResponse(status);
  return ErrorResponse(400, "too_many_buckets", Message(status));
}

}  // namespace

std::chrono::milliseconds SearchApi::TimeoutOf(const SearchRequest& request) const {
  return std::min(request.timeout.value_or(options_.timeout), options_.timeout);
}

absl::StatusOr<SearchResult> SearchApi::Run(const ServedIndex& index, SearchRequest& request,
                                            TimePoint arrival) const {
  const auto start = ServerClock::now();
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(TimeoutOf(request) - (start - arrival));
  if (left.count() <= 0) return MakeStatus(absl::StatusCode::kDeadlineExceeded, "too late");
  request.options.deadline = left;
  request.options.kernels = options_.search.kernels;
  request.options.plan = notes_.logs_slow();
  // Only a thread of the pool, whose queries have no limit of cost, may wait for others.
  if (index.nodes != nullptr && !request.options.most_cost.has_value()) {
    DivideByNode(*index.nodes, request.options);
  }
  auto result = index.searcher->Search(request.query, request.options);
  if (!absl::IsOutOfRange(result.status())) metrics_.AddTime(Stage::kQueue, start - arrival);
  return result;
}

void SearchApi::Note(const ServedIndex& index, const SearchRequest& request,
                     SearchResult& result) const {
  notes_.Note(index, result, [&request] { return request.query; });
  if (!request.options.explain) result.plan.reset();
}

std::optional<HttpResponse> SearchApi::TrySearch(const ServedIndex& index, SearchRequest request,
                                                 TimePoint arrival,
                                                 std::optional<uint64_t> most_cost) const {
  HttpResponse response;
  const bool uses_cache = cache_.is_on() && request.CanBeKept() && !index.is_of_a_user;
  const std::string key = uses_cache ? CacheKey(index, request) : "";
  if (uses_cache) {
    std::optional<std::string> kept = cache_.Find(key);
    metrics_.CountEvent(kept.has_value() ? ServerEvent::kCacheHit : ServerEvent::kCacheMiss);
    if (kept.has_value()) {
      response.body = *std::move(kept);
      return response;
    }
  }
  request.options.most_cost = most_cost;
  const auto begin = ServerClock::now();
  absl::StatusOr<SearchResult> result = Run(index, request, arrival);
  if (absl::IsOutOfRange(result.status()) && most_cost.has_value()) return std::nullopt;
  if (absl::IsDeadlineExceeded(result.status())) {
    metrics_.CountEvent(ServerEvent::kDeadline);
    return TooLateResponse();
  }
  if (!result.ok()) return FailedSearch(result.status());
  Note(index, request, *result);
  const auto start = ServerClock::now();
  const bool can_be_kept = uses_cache && !result->timed_out && result->missing.empty();
  if (result->hits.size() > kHitsInOnePiece) {
    auto pieces = std::make_shared<ResultJsonPieces>(std::move(request.query), *std::move(result));
    response.next_piece = [pieces] { return pieces->Next(); };
  } else {
    response.body = ResultToJson(request.query, *result);
    if (can_be_kept) cache_.Insert(key, response.body);
  }
  const auto end = ServerClock::now();
  metrics_.AddTime(Stage::kEncode, end - start);
  // Cheap answers are not made larger.
  if (!most_cost.has_value()) {
    response.headers.emplace_back("Server-Timing",
                                  TimingText(begin - arrival, start - begin, end - start));
  }
  return response;
}

HttpResponse SearchApi::SearchAll(const ServedIndex& index, const SearchRequests& batch,
                                  TimePoint arrival) const {
  HttpResponse response;
  response.body = "{\"results\":[";
  for (size_t i = 0; i < batch.requests.size(); ++i) {
    SearchRequest request = batch.requests[i];
    absl::StatusOr<SearchResult> result =
        response.body.size() <= kMostBatchBytes
            ? Run(index, request, arrival)
            : MakeStatus(absl::StatusCode::kResourceExhausted,
                         absl::StrCat("the answers of the queries before have more than ",
                                      kMostBatchBytes, " bytes"));
    if (absl::IsDeadlineExceeded(result.status())) {
      metrics_.CountEvent(ServerEvent::kDeadline);
      result = MakeStatus(absl::StatusCode::kDeadlineExceeded,
                          "the deadline of the request came before this query");
    }
    if (i > 0) response.body += ',';
    if (result.ok()) {
      Note(index, request, *result);
      response.body += ResultToJson(request.query, *result);
    } else {
      response.body += ErrorToJson(request.query, result.status());
    }
  }
  response.body += "]}";
  return response;
}

ServeOutcome SearchApi::Defer(SearchRequests batch, const HttpRequest& request, TimePoint arrival,
                              const std::shared_ptr<const ServedIndex>& index) const {
  ServeOutcome outcome;
  metrics_.CountEvent(ServerEvent::kHeavy);
  outcome.estimate = {};
  outcome.deadline =
      arrival + (batch.requests.empty() ? options_.timeout : ServerClock::duration());
  for (const SearchRequest& one : batch.requests) {
    outcome.deadline = std::max(outcome.deadline, arrival + TimeoutOf(one));
    outcome.estimate += one.EstimatedTime(index->searcher->snapshot().doc_count());
  }
  const auto coding = request.Header("accept-encoding");
  outcome.work = [this, batch = std::move(batch), arrival, index, deadline = outcome.deadline,
                  coding = std::string(coding.value_or(""))]() -> HttpResponse {
    HttpResponse response = batch.is_batch
                                ? SearchAll(*index, batch, arrival)
                                : *TrySearch(*index, batch.requests[0], arrival, std::nullopt);
    const bool packs = ChooseContentCoding(coding) != ContentCoding::kIdentity;
    // Compressing needs the whole body. What is late goes out in pieces, as it is.
    while (packs && response.next_piece != nullptr && ServerClock::now() < deadline) {
      const std::string piece = response.next_piece();
      if (piece.empty()) response.next_piece = nullptr;
      response.body += piece;
    }
    if (response.next_piece == nullptr) CompressResponse(coding, response, deadline);
    return response;
  };
  return outcome;
}

ServeOutcome SearchApi::Serve(HttpRequest request, const RequestContext& context,
                              const std::shared_ptr<const ServedIndex>& index) const {
  if (request.body.size() <= kMostBodyBytesOfLoop) {
    return ServeParsed(request, context.arrival, index, /*on_loop=*/true);
  }
  // Parsing alone takes long. What it asks for is not known: probably many queries.
  ServeOutcome outcome;
  outcome.deadline = context.arrival + options_.timeout;
  outcome.estimate = std::chrono::milliseconds(request.body.size() >> 10);
  outcome.work = [this, request = std::make_shared<const HttpRequest>(std::move(request)),
                  arrival = context.arrival, index]() -> HttpResponse {
    ServeOutcome answer = ServeParsed(*request, arrival, index, /*on_loop=*/false);
    return answer.work == nullptr ? std::move(answer.response) : answer.work();
  };
  return outcome;
}

ServeOutcome SearchApi::ServeParsed(const HttpRequest& request, TimePoint arrival,
                                    const std::shared_ptr<const ServedIndex>& index,
                                    bool on_loop) const {
  auto parsed = ParseSearchRequests(request, options_.limits);
  if (!parsed.ok()) return {ErrorResponse(400, Message(parsed.status())), nullptr};
  if (!parsed->is_batch && parsed->requests[0].query.empty()) {
    return {ErrorResponse(400, "the query is missing (hint: /search?q=WORDS)"), nullptr};
  }
  if (on_loop && !parsed->is_batch && !parsed->requests[0].IsHeavy()) {
    auto response = TrySearch(*index, parsed->requests[0], arrival, options_.most_cost_of_loop);
    if (response.has_value()) {
      CompressResponse(request.Header("accept-encoding"), *response);
      return {*std::move(response), nullptr};
    }
  }
  return Defer(*std::move(parsed), request, arrival, index);
}

}  // namespace pmdex
