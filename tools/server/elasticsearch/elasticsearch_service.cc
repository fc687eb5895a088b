#include "tools/server/elasticsearch/elasticsearch_service.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "tools/server/http/content_coding.h"

namespace pmdex {

std::chrono::milliseconds ElasticsearchService::TimeLeft(ServerClock::time_point arrival) const {
  const auto passed = std::chrono::ceil<std::chrono::milliseconds>(ServerClock::now() - arrival);
  return std::max(std::chrono::milliseconds(0), options_.timeout - passed);
}

ServeOutcome ElasticsearchService::Serve(HttpRequest request, const RequestContext& context,
                                         std::shared_ptr<const ServedIndexes> indexes) const {
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
  // The function is copied where it is stored; the request need not be.
  outcome.work = [this, request = std::make_shared<const HttpRequest>(std::move(request)),
                  arrival = context.arrival, indexes = std::move(indexes)]() -> HttpResponse {
    metrics_.AddTime(Stage::kQueue, ServerClock::now() - arrival);
    HttpResponse answer = api_.Handle(*request, *indexes, TimeLeft(arrival));
    CompressResponse(request->Header("accept-encoding"), answer);
    return answer;
  };
  return outcome;
}

}  // namespace pmdex
