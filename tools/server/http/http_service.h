// What the server of HTTP asks of the program behind it. The event loops call it, each on its own
// thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tools/server/http/http_message.h"
#include "tools/server/http/request_parser.h"

namespace pmdex {

using ServerClock = std::chrono::steady_clock;

struct RequestContext {
  size_t loop = 0;                  // the number of the event loop
  ServerClock::time_point arrival;  // when the loop saw that the request had come
  // True if requests wait for longer than they may: the service should refuse what costs time.
  bool overloaded = false;
  // The user of the process at the other end of a Unix socket, as the kernel knows it.
  std::optional<uint32_t> peer_uid = std::nullopt;
};

// The answer, or work that makes it. Work runs on a thread of a pool, and response is not used. It
// does not run if the client has gone, or its deadline has come, before its turn.
struct ServeOutcome {
  HttpResponse response;
  std::function<HttpResponse()> work;
  std::chrono::microseconds estimate{1000};  // how long the work is likely to take (WorkPool)
  // Work that is not begun by then is dropped, and answered with HttpService::TooLate.
  ServerClock::time_point deadline = ServerClock::time_point::max();
  // True for work that waits for a medium or for other requests most of its time. It has a pool of
  // its own, so that it keeps no heavy query waiting.
  bool is_waiting_work = false;
  std::string user = {};  // whom the request is answered for, where the service knows a name
};

inline HttpFailure OutOfMemoryFailure() {
  return {503, "the server has no memory left for this request"};
}

// A request after its answer was made.
struct FinishedRequest {
  std::string method;
  std::string target;
  int status = 0;
  size_t body_bytes = 0;  // of the answer; the first piece of one that is sent in pieces
  ServerClock::time_point arrival;
  ServerClock::time_point done;
  std::string user = {};  // ServeOutcome::user
};

// Thread-safe.
class HttpService {
 public:
  virtual ~HttpService() = default;

  virtual ServeOutcome Serve(HttpRequest request, const RequestContext& context) = 0;
  // The answer to a request that cannot be parsed, and to one that finds the pool full (503).
  virtual HttpResponse Refuse(const HttpFailure& failure) = 0;
  // The answer to a request whose work no thread has begun by its deadline.
  virtual HttpResponse TooLate() = 0;
  virtual void Finished(const FinishedRequest& request) = 0;
  // Called by each loop about ten times a second, and when HttpServer::WakeLoops is called.
  virtual void Tick(size_t /*loop*/) {}
};

}  // namespace pmdex
