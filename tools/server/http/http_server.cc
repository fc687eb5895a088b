#include "tools/server/http/http_server.h"

#include "pmem/thread.h"

namespace pmdex {

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const HttpServerOptions& options,
                                                              std::vector<Listener> listeners,
                                                              HttpService& service) {
  std::unique_ptr<HttpServer> server(new HttpServer(std::move(listeners)));
  PMDEX_ASSIGN_OR_RETURN(server->pool_, WorkPool::Start(options.pool));
  PMDEX_ASSIGN_OR_RETURN(server->waiting_pool_, WorkPool::Start(options.waiting_pool));
  const WorkPools pools{*server->pool_, *server->waiting_pool_};
  for (size_t i = 0; i < options.loops; ++i) {
    EventLoopOptions loop_options = options.loop;
    loop_options.number = i;
    if (!options.cpus.empty()) loop_options.cpus = options.cpus[i % options.cpus.size()];
    PMDEX_ASSIGN_OR_RETURN(auto loop,
                           EventLoop::Create(loop_options, server->listeners_, service, pools));
    server->loops_.push_back(std::move(loop));
  }
  for (const auto& loop : server->loops_) {
    PMDEX_ASSIGN_OR_RETURN(std::thread thread, StartThread([&loop = *loop] { loop.Run(); }));
    server->threads_.push_back(std::move(thread));
  }
  return server;
}

HttpServer::~HttpServer() {
  BeginDrain();
  AwaitDrain();
  pool_.reset();
  waiting_pool_.reset();
}

void HttpServer::WakeLoops() {
  for (const auto& loop : loops_) loop->Wake();
}

void HttpServer::BeginDrain() {
  for (const auto& loop : loops_) loop->BeginDrain();
}

void HttpServer::AwaitDrain() {
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

}  // namespace pmdex
