// A service for tests of the server of HTTP, and a server that it answers for.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tools/server/http/http_server.h"

namespace pmdex {

// What it does follows from the first part of the path.
class TestService : public HttpService {
 public:
  ServeOutcome Serve(HttpRequest request, const RequestContext& context) override {
    HttpResponse response;
    const std::string name = request.path.empty() ? "" : request.path[0];
    if (name == "stall") std::this_thread::sleep_for(std::chrono::milliseconds(600));
    if (name == "gate-of-loop") {
      begun_.set_value();
      gate_.get_future().wait();
    }
    if (name == "no-memory") throw std::bad_alloc();
    if (name == "overloaded") response.body = context.overloaded ? "yes" : "no";
    if (name == "echo") response.body = request.method + " " + request.body;
    if (name == "large") response.body = std::string(8'000'000, 'x');
    if (name == "pieces") {
      response.next_piece = [left = 3]() mutable {
        return left-- > 0 ? std::string("piece ") : std::string();
      };
    }
    if (name == "late" || name == "later") {
      ServeOutcome outcome;
      outcome.work = [this] {
        ++late_;
        return HttpResponse();
      };
      outcome.deadline = context.arrival + std::chrono::milliseconds(name == "late" ? 20 : 600'000);
      return outcome;
    }
    if (name != "gate") return {std::move(response), nullptr};
    return {{}, [this] {
              begun_.set_value();
              gate_.get_future().wait();
              HttpResponse later;
              later.body = "through the gate";
              return later;
            }};
  }
  HttpResponse Refuse(const HttpFailure& failure) override {
    HttpResponse response;
    response.status = failure.status;
    response.body = failure.reason;
    return response;
  }
  HttpResponse TooLate() override { return Refuse({503, "too late"}); }
  void Finished(const FinishedRequest&) override { ++finished_; }
  void Tick(size_t) override { ++ticks_; }

  // Work for /gate begins, and ends when the gate opens; /gate-of-loop is answered by the loop, so
  // that the loop waits. Only one request may ask for either.
  void AwaitGate() { begun_.get_future().wait(); }
  void OpenGate() { gate_.set_value(); }
  int late() const { return late_; }  // how often the work for /late and /later was done
  int finished() const { return finished_; }
  int ticks() const { return ticks_; }

 private:
  std::promise<void> begun_;
  std::promise<void> gate_;
  std::atomic<int> finished_{0};
  std::atomic<int> late_{0};
  std::atomic<int> ticks_{0};
};

inline std::unique_ptr<HttpServer> StartTestServer(const HttpServerOptions& options,
                                                   HttpService& service,
                                                   const std::string& address = "127.0.0.1:0") {
  auto listener = Listener::Open(*ParseListenAddress(address), options.loops);
  EXPECT_TRUE(listener.ok()) << listener.status();
  std::vector<Listener> listeners;
  listeners.push_back(*std::move(listener));
  auto server = HttpServer::Start(options, std::move(listeners), service);
  EXPECT_TRUE(server.ok()) << server.status();
  return *std::move(server);
}

}  // namespace pmdex
