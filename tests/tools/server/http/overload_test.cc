// More requests than the server can hold: each of them is answered, and none is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/tools/server/http/test_service.h"
#include "tests/tools/server/http_client.h"
#include "tests/tools/server/search_server.h"

namespace pmdex {
namespace overload_test {

// Work for /search and /write ends when the gate opens.
class GatedService : public HttpService {
 public:
  ServeOutcome Serve(HttpRequest request, const RequestContext&) override {
    if (request.path.empty()) return {HttpResponse(), nullptr};
    ServeOutcome outcome;
    outcome.is_waiting_work = request.path[0] == "write";
    outcome.work = [this] {
      gate_.wait();
      return HttpResponse();
    };
    return outcome;
  }
  HttpResponse Refuse(const HttpFailure& failure) override {
    ++refused_;
    HttpResponse response;
    response.status = failure.status;
    return response;
  }
  HttpResponse TooLate() override { return Refuse({503, ""}); }
  void Finished(const FinishedRequest&) override {}
  void Tick(size_t) override {}

  void OpenGate() { opens_.set_value(); }
  int refused() const { return refused_; }

 private:
  std::promise<void> opens_;
  const std::shared_future<void> gate_ = opens_.get_future().share();
  std::atomic<int> refused_{0};
};

class FullPoolTest : public testing::TestWithParam<bool> {};

TEST_P(FullPoolTest, AnswersEveryRequestAtTwiceItsCapacity) {
  constexpr size_t kThreads = 2;
  constexpr size_t kWaiting = 6;
  constexpr size_t kCapacity = kThreads + kWaiting;
  GatedService service;
  HttpServerOptions options;
  options.pool = options.waiting_pool = {kThreads, kWaiting, {}};
  const auto server = StartTestServer(options, service);
  const WorkPool& pool = GetParam() ? server->waiting_pool() : server->pool();
  std::vector<HttpClient> clients;
  const auto send = [&] {
    clients.emplace_back(server->listeners()[0].name());
    clients.back().Send(std::string("GET /") + (GetParam() ? "write" : "search") +
                        " HTTP/1.1\r\nHost: x\r\n\r\n");
  };
  for (size_t i = 0; i < kThreads; ++i) send();
  while (pool.running() < kThreads) std::this_thread::yield();
  while (clients.size() < 2 * kCapacity) send();
  while (static_cast<size_t>(service.refused()) + pool.waiting() < 2 * kCapacity - kThreads)
    std::this_thread::yield();
  EXPECT_EQ(pool.waiting(), kWaiting);
  service.OpenGate();
  std::map<int, size_t> answers;
  for (HttpClient& client : clients) {
    const auto answer = client.Receive();
    ASSERT_TRUE(answer.has_value());
    ++answers[answer->status];
    EXPECT_EQ(client.Get("/")->status, 200) << "the connection stays";
  }
  const std::map<int, size_t> expected = {{200, kCapacity}, {GetParam() ? 429 : 503, kCapacity}};
  EXPECT_EQ(answers, expected);
}

INSTANTIATE_TEST_SUITE_P(ReadsAndWrites, FullPoolTest, testing::Bool());

TEST(Overload, CountsWhatTheServerOfAnIndexAnswersAndSheds) {
  SearchServerOptions options;
  options.http.pool = {1, 2, {}};
  SearchServer server({"the quick brown fox", "a brown bear"}, options);
  constexpr int kClients = 16;
  constexpr int kRequests = 50;
  std::atomic<int> found{0};
  std::atomic<int> shed{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kClients; ++i) {
    threads.emplace_back([&] {
      HttpClient client = server.Connect();
      for (int j = 0; j < kRequests; ++j) {
        const auto answer = client.Get("/search?q=brown&explain=true");  // for the pool
        ASSERT_TRUE(answer.has_value());
        if (answer->status == 200) {
          EXPECT_THAT(answer->body, testing::HasSubstr("\"value\":2"));
          ++found;
        } else {
          EXPECT_EQ(answer->status, 503) << answer->body;
          EXPECT_THAT(answer->head, testing::HasSubstr("retry-after: 1\r\n"));
          ++shed;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found + shed, kClients * kRequests);
  EXPECT_GT(found, 0);
  HttpClient client = server.Connect();
  EXPECT_EQ(client.Get("/healthz")->status, 200);
  EXPECT_THAT(client.Get("/metrics")->body,
              testing::HasSubstr("pmdex_shed_requests_total " + std::to_string(shed) + "\n"));
}

}  // namespace overload_test
}  // namespace pmdex
