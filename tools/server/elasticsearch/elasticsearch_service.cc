#include "tools/server/elasticsearch/elasticsearch_service.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "tools/server/http/content_coding.h"

namespace pmdex {
namespace {

constexpr std::chrono::hours kWriteTime{1};  // of a request that writes, for its searches

}  // namespace

std::chrono::milliseconds ElasticsearchService::TimeLeft(ServerClock::time_point arrival) const {
  const auto passed = std::chrono::ceil<std::chrono::milliseconds>(ServerClock::now() - arrival);
  return std::max(std::chrono::milliseconds(0), options_.timeout - passed);
}

// What is answered is durable, so that there is no time after which to give up.
ServeOutcome ElasticsearchService::ServeWrite(HttpRequest request, const RequestContext& context,
                                              std::shared_ptr<const ServedIndexes> indexes) const {
  if (!is_writing_) {
    return {api_.Handle(request, *indexes, TimeLeft(context.arrival)), nullptr};
  }
  auto reserved = write_bytes_.Reserve(request.body.size());
  if (reserved == nullptr) {
    metrics_.CountEvent(ServerEvent::kShed);
    return {api_.RefuseWrite(request), nullptr};
  }
  ServeOutcome outcome;
  outcome.is_waiting_work = true;
  outcome.work = [this, request = std::make_shared<const HttpRequest>(std::move(request)),
                  reserved = std::shared_ptr<const ReservedBytes>(std::move(reserved)),
                  arrival = context.arrival, indexes = std::move(indexes)]() -> HttpResponse {
    metrics_.AddTime(Stage::kQueue, ServerClock::now() - arrival);
    HttpResponse answer = api_.Handle(*request, *indexes, kWriteTime);
    CompressResponse(request->Header("accept-encoding"), answer);
    return answer;
  };
  return outcome;
}

ServeOutcome ElasticsearchService::Serve(HttpRequest request, const RequestContext& context,
                                         std::shared_ptr<const ServedIndexes> indexes) const {
  if (api_.Writes(request)) return ServeWrite(std::move(request), context, std::move(indexes));
  const auto start = ServerClock::now();
  std::optional<HttpResponse> response =
      api_.HandleCheap(request, *indexes, TimeLeft(context.arrival), options_.most_cost_of_loop);
  if (response.has_value()) {
    metrics_.AddTime(Stage::kQueue, start - context.arrival);
    CompressResponse(request.Header("accept-encoding"), *response);
    return {*std::move(response), nullptr};
  }
  metrics_.CountEvent(ServerEvent::kHeavy);
  ServeOutcome outcome;
  outcome.deadline = context.arrival + options_.timeout;
  // The function is copied where it is stored; the request need not be.
  outcome.work = [this, request = std::make_shared<const HttpRequest>(std::move(request)),
                  arrival = context.arrival, indexes = std::move(indexes)]() -> HttpResponse {
    metrics_.AddTime(Stage::kQueue, ServerClock::now() - arrival);
    HttpResponse answer = api_.Handle(*request, *indexes, TimeLeft(arrival));
    CompressResponse(request->Header("accept-encoding"), answer, arrival + options_.timeout);
    return answer;
  };
  return outcome;
}

}  // namespace pmdex
