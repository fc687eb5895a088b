// The threads of a server of HTTP: one event loop a core, and the pool for heavy requests. The
// service behind it answers; this class starts, wakes, drains and ends the threads. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "pmem/status.h"
#include "tools/server/http/event_loop.h"
#include "tools/server/http/http_service.h"
#include "tools/server/http/listener.h"
#include "tools/server/http/work_pool.h"

namespace pmdex {

struct HttpServerOptions {
  size_t loops = 1;
  EventLoopOptions loop;  // its number and its CPUs are set for each loop
  WorkPoolOptions pool;
  WorkPoolOptions waiting_pool{40, 256, {}};  // of ServeOutcome::is_waiting_work
  // The CPUs of each loop, indexed by its number modulo the size. Empty: not bound.
  std::vector<std::vector<int>> cpus;
};

class HttpServer {
 public:
  // Requires at least one listener, opened for `loops` loops. The service outlives the server.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const HttpServerOptions& options,
                                                           std::vector<Listener> listeners,
                                                           HttpService& service);
  // Drains, and waits for it.
  ~HttpServer();

  // Has each loop call HttpService::Tick soon.
  void WakeLoops();
  // Takes no new connections, answers the requests that have come, and closes the connections.
  void BeginDrain();
  // Waits until the loops have ended, after BeginDrain.
  void AwaitDrain();

  const std::vector<Listener>& listeners() const { return listeners_; }
  const std::vector<std::unique_ptr<EventLoop>>& loops() const { return loops_; }
  const WorkPool& pool() const { return *pool_; }
  const WorkPool& waiting_pool() const { return *waiting_pool_; }

 private:
  explicit HttpServer(std::vector<Listener> listeners) : listeners_(std::move(listeners)) {}

  const std::vector<Listener> listeners_;
  // They end before the loops, to which they send answers.
  std::unique_ptr<WorkPool> pool_;
  std::unique_ptr<WorkPool> waiting_pool_;
  std::vector<std::unique_ptr<EventLoop>> loops_;
  std::vector<std::thread> threads_;
};

}  // namespace pmdex
