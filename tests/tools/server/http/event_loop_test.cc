// The event loop, over real connections: requests in order, refusals, and time limits.
#include "tools/server/http/event_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include "tests/support/run_program.h"
#include "tests/tools/server/http/test_service.h"
#include "tests/tools/server/http_client.h"

namespace pmdex {
namespace event_loop_test {

using testing::HasSubstr;
using testing::Not;

class EventLoopTest : public testing::Test {
 protected:
  void Start(const std::string& address = "127.0.0.1:0") {
    server_ = StartTestServer(options_, service_, address);
    address_ = server_->listeners()[0].name();
  }
  const EventLoopCounters& counters() const { return server_->loops()[0]->counters(); }

  HttpServerOptions options_;
  TestService service_;
  std::unique_ptr<HttpServer> server_;
  std::string address_;
};

constexpr char kGet[] = "GET /echo HTTP/1.1\r\nHost: x\r\n\r\n";

// True if the server answers these bytes with 200.
bool Answers(HttpClient& client, std::string_view bytes) {
  const auto answer = client.Ask(bytes);
  return answer.has_value() && answer->status == 200;
}

TEST_F(EventLoopTest, AnswersManyRequestsOnOneConnection) {
  Start();
  HttpClient client(address_);
  for (int i = 0; i < 50; ++i) {
    const auto answer = client.Post("/echo", std::to_string(i));
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->body, "POST " + std::to_string(i));
    EXPECT_THAT(answer->head, Not(HasSubstr("connection: close")));
  }
  EXPECT_EQ(counters().accepted, 1u);
}

TEST_F(EventLoopTest, AnswersPipelinedRequestsInTheirOrder) {
  Start();
  HttpClient client(address_);
  std::string requests;
  for (int i = 0; i < 200; ++i) {
    const std::string body = std::to_string(i);
    requests += "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) +
                "\r\n\r\n" + body;
  }
  client.Send(requests);
  for (int i = 0; i < 200; ++i) {
    const auto answer = client.Receive();
    ASSERT_TRUE(answer.has_value()) << i;
    EXPECT_EQ(answer->body, "POST " + std::to_string(i));
  }
}

TEST_F(EventLoopTest, KeepsTheOrderWhereThePoolMakesAnAnswer) {
  Start();
  HttpClient client(address_);
  client.Send("GET /gate HTTP/1.1\r\nHost: x\r\n\r\n" + std::string(kGet));
  service_.AwaitGate();
  EXPECT_EQ(HttpClient(address_).Get("/echo")->body, "GET ");  // others go on meanwhile
  service_.OpenGate();
  EXPECT_EQ(client.Receive()->body, "through the gate");
  EXPECT_EQ(client.Receive()->body, "GET ");
}

TEST_F(EventLoopTest, TakesRequestsThatComeByteByByte) {
  Start();
  HttpClient client(address_);
  for (const char c :
       std::string("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab")) {
    client.Send({&c, 1});
  }
  EXPECT_EQ(client.Receive()->body, "POST ab");
}

TEST_F(EventLoopTest, ServesAUnixSocket) {
  const TemporaryDirectory directory;
  Start("unix:" + (directory / "s"));
  EXPECT_EQ(HttpClient(address_).Get("/echo")->status, 200);
}

TEST_F(EventLoopTest, RefusesWhatTwoProgramsCouldReadInTwoWays) {
  Start();
  for (const char* head : {"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
                           "Content-Length: 3\r\nContent-Length: 4\r\n",
                           "Transfer-Encoding: gzip, chunked\r\n", "Content-Length: +3\r\n",
                           "Host: y\r\n", "X: a\r\n b\r\n", "Transfer-Encoding : chunked\r\n"}) {
    HttpClient client(address_);
    client.Send("POST /echo HTTP/1.1\r\nHost: x\r\n" + std::string(head) + "\r\n" +
                "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n");
    const auto answer = client.Receive();
    ASSERT_TRUE(answer.has_value()) << head;
    EXPECT_GE(answer->status, 400) << head;
    EXPECT_THAT(answer->head, HasSubstr("connection: close"));
    client.EndSending();
    EXPECT_EQ(client.ReceiveRest(), "") << head;  // nothing after it is answered
  }
}

TEST_F(EventLoopTest, RefusesHeadsAndBodiesThatAreTooLarge) {
  options_.loop.limits.body_bytes = 1000;
  Start();
  HttpClient bomb(address_);
  bomb.Send("GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(100'000, 'x'));
  EXPECT_EQ(bomb.Receive()->status, 431);
  HttpClient client(address_);
  client.Send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1073741824\r\n\r\n");
  EXPECT_EQ(client.Receive()->status, 413);
}

TEST_F(EventLoopTest, AsksForABodyThatTheClientHoldsBack) {
  Start();
  HttpClient client(address_);
  client.Send(
      "POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.Receive()->status, 100);
  client.Send("ab");
  EXPECT_EQ(client.Receive()->body, "POST ab");
}

TEST_F(EventLoopTest, SendsAnswersInPiecesAndLargeOnes) {
  Start();
  HttpClient client(address_);
  EXPECT_EQ(client.Get("/pieces")->body, "piece piece piece ");
  EXPECT_EQ(client.Get("/large")->body.size(), 8'000'000u);
  client.Send("HEAD /large HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.Receive(/*has_body=*/false)->head, HasSubstr("content-length: 8000000"));
  client.Send("GET /pieces HTTP/1.0\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.ReceiveRest(), testing::EndsWith("\r\n\r\npiece piece piece "));
}

TEST_F(EventLoopTest, AnswersAClientThatHasEndedItsOwnSide) {
  Start();
  HttpClient client(address_);
  client.Send(std::string(kGet) + kGet);
  client.EndSending();
  EXPECT_EQ(client.Receive()->status, 200);
  EXPECT_EQ(client.Receive()->status, 200);
  EXPECT_EQ(client.ReceiveRest(), "");
}

TEST_F(EventLoopTest, EndsRequestsThatDoNotCome) {
  options_.loop.head_timeout = std::chrono::milliseconds(200);
  options_.loop.body_timeout = std::chrono::milliseconds(200);
  options_.loop.idle_timeout = std::chrono::milliseconds(200);
  Start();
  HttpClient silent(address_);
  EXPECT_EQ(silent.ReceiveRest(), "");
  HttpClient slow_head(address_);
  EXPECT_EQ(slow_head.Ask("GET / HT")->status, 408);
  HttpClient slow_body(address_);
  EXPECT_EQ(slow_body.Ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nx")->status, 408);
  EXPECT_EQ(counters().timed_out, 3u);
  HttpClient idle(address_);
  EXPECT_EQ(idle.Get("/echo")->status, 200);
  EXPECT_EQ(idle.ReceiveRest(), "");
}

TEST_F(EventLoopTest, LosesNoRequestThatComesAsItsConnectionExpires) {
  options_.loop.head_timeout = std::chrono::milliseconds(200);
  options_.loop.idle_timeout = std::chrono::milliseconds(200);
  Start();
  HttpClient idle(address_);
  EXPECT_EQ(idle.Get("/echo")->status, 200);
  HttpClient fresh(address_);
  HttpClient staller(address_);
  staller.Send("GET /stall HTTP/1.1\r\nHost: x\r\n\r\n");  // longer than both may be silent
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  idle.Send(kGet);
  fresh.Send(kGet);
  EXPECT_EQ(staller.Receive()->status, 200);
  const auto second = idle.Receive();
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->body, "GET ");
  const auto first = fresh.Receive();
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->body, "GET ");
}

TEST_F(EventLoopTest, ServesOthersBesideAThousandHalfOpenConnections) {
  Start();
  std::vector<HttpClient> half_open;
  for (int i = 0; i < 1000; ++i) {
    half_open.emplace_back(address_);
    half_open.back().Send("GET /echo HTTP/1.1\r\nHos");
  }
  HttpClient client(address_);
  std::atomic<int> answered{0};
  std::vector<std::thread> good;
  for (int i = 0; i < 8; ++i) {
    good.emplace_back([&] {
      HttpClient kept(address_);
      for (int j = 0; j < 100; ++j) {
        answered += Answers(kept, kGet);
        HttpClient fresh(address_);
        answered += Answers(fresh, kGet);
      }
    });
  }
  for (std::thread& thread : good) thread.join();
  EXPECT_EQ(answered, 8 * 200);
  EXPECT_TRUE(Answers(client, kGet));
  EXPECT_EQ(counters().timed_out, 0u);
  EXPECT_EQ(counters().refused_connections, 0u);
  // Nor is any of the slow ones lost once it goes on.
  int completed = 0;
  for (HttpClient& slow : half_open) completed += Answers(slow, "t: x\r\n\r\n");
  EXPECT_EQ(completed, 1000);
}

TEST_F(EventLoopTest, ClosesConnectionsBeyondTheMost) {
  options_.loop.most_connections = 1;
  Start();
  HttpClient first(address_);
  EXPECT_EQ(first.Get("/echo")->status, 200);
  EXPECT_EQ(HttpClient(address_).ReceiveRest(), "");
  EXPECT_EQ(counters().refused_connections, 1u);
  EXPECT_EQ(first.Get("/echo")->status, 200);
}

TEST_F(EventLoopTest, BoundsTheMemoryOfRequestsThatAreNotComplete) {
  options_.loop.most_input_bytes = 100'000;
  Start();
  HttpClient large(address_);
  large.Send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" +
             std::string(300'000, 'x'));
  EXPECT_EQ(large.Receive()->status, 503);
  EXPECT_EQ(HttpClient(address_).Get("/echo")->status, 200);
}

TEST_F(EventLoopTest, RefusesHeavyWorkThatThePoolCannotTake) {
  options_.pool.most_waiting = 0;
  Start();
  EXPECT_EQ(HttpClient(address_).Get("/gate")->status, 503);
}

TEST_F(EventLoopTest, AnswersAtTheDeadlineOfWorkThatIsNotBegun) {
  Start();
  HttpClient gate(address_);
  gate.Send("GET /gate HTTP/1.1\r\nHost: x\r\n\r\n");
  service_.AwaitGate();
  HttpClient late(address_);
  late.Send("GET /late HTTP/1.1\r\nHost: x\r\n\r\n" + std::string(kGet));
  const auto answer = late.Receive();
  EXPECT_EQ(answer->status, 503);
  EXPECT_EQ(answer->body, "too late");
  EXPECT_EQ(late.Receive()->body, "GET ") << "the connection goes on";
  HttpClient gone(address_);
  gone.Send("GET /late HTTP/1.1\r\nHost: x\r\n\r\n");
  gone = HttpClient(address_);
  EXPECT_EQ(gone.Get("/late")->status, 503);
  service_.OpenGate();
  EXPECT_EQ(gate.Receive()->body, "through the gate");
  EXPECT_EQ(late.Get("/later")->status, 200);
  server_.reset();
  EXPECT_EQ(service_.late(), 1);
}

TEST_F(EventLoopTest, AnswersThatMemoryRanOut) {
  Start();
  HttpClient client(address_);
  EXPECT_EQ(client.Get("/no-memory")->status, 503);
  EXPECT_EQ(client.Get("/echo")->status, 200);
}

// Every batch counts as long, and the queue need not stand for any time.
TEST_F(EventLoopTest, TellsTheServiceThatRequestsWaitTooLong) {
  options_.loop.most_wait = std::chrono::microseconds(-1);
  options_.loop.overload_after = std::chrono::milliseconds(0);
  Start();
  HttpClient client(address_);
  client.Get("/echo");
  EXPECT_EQ(client.Get("/overloaded")->body, "yes");
}

TEST_F(EventLoopTest, TellsTheServiceOfEachAnswer) {
  Start();
  HttpClient client(address_);
  client.Get("/echo");
  client.Ask("NONSENSE\r\n\r\n");
  client.ReceiveRest();
  server_.reset();
  EXPECT_EQ(service_.finished(), 2);
  EXPECT_GE(service_.ticks(), 1);
}

TEST_F(EventLoopTest, AsksForEventsAfterARequestWhereItMay) {
  options_.loop.busy_poll = std::chrono::milliseconds(20);
  Start();
  HttpClient client(address_);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.Get("/echo")->status, 200);
  while (counters().empty_polls == 0) std::this_thread::yield();
  // Three ticks later the time is over, so that an idle loop sleeps.
  const uint64_t ticks = counters().ticks;
  while (counters().ticks < ticks + 3) std::this_thread::sleep_for(kLoopTick);
  const uint64_t polls = counters().empty_polls;
  while (counters().ticks < ticks + 5) std::this_thread::sleep_for(kLoopTick);
  EXPECT_EQ(counters().empty_polls, polls);
  EXPECT_EQ(client.Get("/echo")->status, 200);
}

TEST_F(EventLoopTest, SleepsAtOnceUnlessToldOtherwise) {
  Start();
  HttpClient client(address_);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.Get("/echo")->status, 200);
  EXPECT_EQ(counters().empty_polls, 0u);
}

// Keeps the times at which the loop saw requests.
class ArrivalService : public TestService {
 public:
  ServeOutcome Serve(HttpRequest request, const RequestContext& context) override {
    if (!request.path.empty() && request.path[0] == "note") arrivals_.insert(context.arrival);
    return TestService::Serve(std::move(request), context);
  }
  const std::set<ServerClock::time_point>& arrivals() const { return arrivals_; }

 private:
  std::set<ServerClock::time_point> arrivals_;
};

// What the loop does not see counts for no deadline, and for no overload.
TEST_F(EventLoopTest, SeesAllRequestsThatHaveComeAtOnce) {
  constexpr size_t kClients = 1100;
  rlimit files = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
  if (files.rlim_max < 3 * kClients) GTEST_SKIP() << "too few descriptors";
  const rlimit before = files;
  files.rlim_cur = std::max<rlim_t>(files.rlim_cur, 3 * kClients);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &files), 0);
  ArrivalService service;
  options_.loops = 1;
  auto server = StartTestServer(options_, service);
  std::vector<HttpClient> clients;
  for (size_t i = 0; i < kClients; ++i) {
    clients.emplace_back(server->listeners()[0].name());
    ASSERT_EQ(clients.back().Get("/echo")->status, 200);
  }
  HttpClient slow(server->listeners()[0].name());
  slow.Send("GET /gate-of-loop HTTP/1.1\r\nHost: x\r\n\r\n");
  service.AwaitGate();
  for (HttpClient& client : clients) client.Send("GET /note HTTP/1.1\r\nHost: x\r\n\r\n");
  service.OpenGate();
  for (HttpClient& client : clients) ASSERT_EQ(client.Receive()->status, 200);
  server.reset();
  EXPECT_EQ(service.arrivals().size(), 1u);
  setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace event_loop_test
}  // namespace pmdex
