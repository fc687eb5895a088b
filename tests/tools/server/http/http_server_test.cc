// Starts and drains whole servers.
#include "tools/server/http/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/tools/server/http/test_service.h"
#include "tests/tools/server/http_client.h"

namespace pmdex {
namespace http_server_test {

using testing::HasSubstr;

TEST(HttpServer, DividesConnectionsAmongItsLoops) {
  TestService service;
  HttpServerOptions options;
  options.loops = 3;
  const auto server = StartTestServer(options, service);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 20; ++j) {
        HttpClient client(server->listeners()[0].name());
        EXPECT_EQ(client.Get("/echo")->status, 200);
        EXPECT_EQ(client.Post("/echo", "x")->body, "POST x");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  uint64_t accepted = 0;
  for (const auto& loop : server->loops()) accepted += loop->counters().accepted;
  EXPECT_EQ(accepted, 160u);
}

TEST(HttpServer, AnswersWhatHasComeBeforeItEnds) {
  TestService service;
  const auto server = StartTestServer({}, service);
  const std::string address = server->listeners()[0].name();
  HttpClient busy(address);
  HttpClient idle(address);
  EXPECT_EQ(idle.Get("/echo")->status, 200);
  busy.Send("GET /gate HTTP/1.1\r\nHost: x\r\n\r\n");
  service.AwaitGate();
  server->BeginDrain();
  EXPECT_EQ(idle.ReceiveRest(), "");  // closed after the time for a request that is on its way
  EXPECT_FALSE(HttpClient(address).is_connected());
  service.OpenGate();
  const auto answer = busy.Receive();
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->body, "through the gate");
  EXPECT_THAT(answer->head, HasSubstr("connection: close"));
  server->AwaitDrain();
}

TEST(HttpServer, EndsThoughAClientHasSentNothing) {
  TestService service;
  const auto server = StartTestServer({}, service);
  HttpClient silent(server->listeners()[0].name());
  server->BeginDrain();
  server->AwaitDrain();
  EXPECT_EQ(silent.ReceiveRest(), "");
}

TEST(HttpServer, GivesUpOnClientsThatHoldADrainUp) {
  TestService service;
  HttpServerOptions options;
  options.loop.drain_timeout = std::chrono::milliseconds(100);
  const auto server = StartTestServer(options, service);
  HttpClient slow(server->listeners()[0].name());
  slow.Send("POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n");
  EXPECT_EQ(slow.Receive()->status, 100);
  server->BeginDrain();
  server->AwaitDrain();
  EXPECT_EQ(slow.ReceiveRest(), "");
}

TEST(HttpServer, HasTheServiceLookAroundWhenItIsWoken) {
  TestService service;
  const auto server = StartTestServer({}, service);
  const int before = service.ticks();
  server->WakeLoops();
  EXPECT_EQ(HttpClient(server->listeners()[0].name()).Get("/echo")->status, 200);
  server->BeginDrain();
  server->AwaitDrain();
  EXPECT_GT(service.ticks(), before);
}

}  // namespace http_server_test
}  // namespace pmdex
