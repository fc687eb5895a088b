#include "tools/server/run_server.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include "pmem/descriptor_limit.h"
#include "pmem/numa_placement.h"
#include "pmem/text.h"
#include "tools/command.h"
#include "tools/save_heat.h"
#include "tools/server/http/http_server.h"
#include "tools/server/index_watcher.h"
#include "tools/server/search_service.h"
#include "tools/server/service_manager.h"

namespace pmdex {
namespace {

using Microseconds = std::chrono::microseconds;

constexpr Microseconds kLookInterval{1'000'000};

// The signals that the main thread waits for. Threads that start later inherit that they are
// blocked.
class ServerSignals {
 public:
  ServerSignals() {
    sigemptyset(&set_);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set_, signal);
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~ServerSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  // The next signal, or 0 if none comes within this time.
  int Await(Microseconds time) const {
    const timespec limit = {time.count() / 1'000'000, time.count() % 1'000'000 * 1000};
    return std::max(0, sigtimedwait(&set_, nullptr, &limit));
  }
  // From now on signals do what they do by default: they end the process.
  void Release() const {
    for (const int signal : {SIGTERM, SIGINT}) {
      struct sigaction action = {};
      action.sa_handler = SIG_DFL;
      sigaction(signal, &action, nullptr);
    }
    pthread_sigmask(SIG_UNBLOCK, &set_, nullptr);
  }

 private:
  sigset_t set_;
  sigset_t before_;
};

absl::StatusOr<std::vector<Listener>> OpenListeners(const ServeOptions& options) {
  std::vector<Listener> listeners;
  PMDEX_ASSIGN_OR_RETURN(std::vector<FileDescriptor> sockets, TakeActivatedSockets());
  for (FileDescriptor& socket : sockets) {
    PMDEX_ASSIGN_OR_RETURN(Listener listener, Listener::Adopt(std::move(socket)));
    listeners.push_back(std::move(listener));
  }
  std::vector<std::string> addresses = options.listen;
  if (addresses.empty() && listeners.empty()) addresses.emplace_back("127.0.0.1:7700");
  // Where each user sees what is for it, every user may ask.
  const uint32_t unix_mode = options.user_map.empty() ? Listener::kForGroup : Listener::kForAll;
  for (const std::string& text : addresses) {
    PMDEX_ASSIGN_OR_RETURN(const ListenAddress address, ParseListenAddress(text));
    PMDEX_ASSIGN_OR_RETURN(Listener listener, Listener::Open(address, options.threads, unix_mode));
    listeners.push_back(std::move(listener));
  }
  return listeners;
}

absl::StatusOr<AccessTokens> LoadTokens(const ServeOptions& options) {
  if (options.token_file.empty()) return AccessTokens();
  return AccessTokens::Load(options.token_file);
}

absl::StatusOr<std::shared_ptr<const UserMap>> LoadUsers(const ServeOptions& options) {
  if (options.user_map.empty()) return std::shared_ptr<const UserMap>();
  PMDEX_ASSIGN_OR_RETURN(UserMap users, UserMap::Load(options.user_map));
  return std::make_shared<const UserMap>(std::move(users));
}

// Checked before a socket is open, and again for sockets of the service manager.
absl::Status CheckReach(bool is_loopback, const std::string& name, const ServeOptions& options) {
  if (is_loopback || !options.token_file.empty() || !options.user_map.empty()) {
    return absl::OkStatus();
  }
  return InvalidArgument(absl::StrCat(name,
                                      " can be reached from other machines, which needs a token "
                                      "(hint: --token-file FILE, or --user-map FILE)"));
}

absl::Status CheckAddresses(const ServeOptions& options) {
  for (const std::string& text : options.listen) {
    PMDEX_ASSIGN_OR_RETURN(const ListenAddress address, ParseListenAddress(text));
    PMDEX_RETURN_IF_ERROR(CheckReach(IsLoopback(address), text, options));
  }
  return absl::OkStatus();
}

// The CPUs of each loop: one of the given each, or those of a NUMA node in turn.
std::vector<std::vector<int>> CpusOfLoops(const ServeOptions& options) {
  std::vector<std::vector<int>> cpus;
  for (const int cpu : options.cpus) cpus.push_back({cpu});
  if (!cpus.empty()) return cpus;
  for (NumaNode& node : UsableNumaNodes()) cpus.push_back(std::move(node.cpus));
  return cpus;
}

// The nodes on which threads of the server may run, with their CPUs.
std::vector<NumaNode> NodesOfThreads(const ServeOptions& options) {
  std::vector<int> cpus = options.cpus;
  if (cpus.empty()) return UsableNumaNodes();
  std::sort(cpus.begin(), cpus.end());
  return KeepUsable(UsableNumaNodes(), cpus);
}

HttpServerOptions ServerOptionsOf(const ServeOptions& options) {
  HttpServerOptions server;
  server.loops = options.threads;
  server.loop.limits.body_bytes = options.most_body_bytes;
  server.loop.busy_poll = options.busy_poll;
  // What is being answered at the end may take its whole time.
  server.loop.drain_timeout = std::max(server.loop.drain_timeout, options.timeout);
  server.pool.threads = options.threads;
  server.pool.cpus = options.cpus;
  server.cpus = CpusOfLoops(options);
  return server;
}

SearchServiceOptions ServiceOptionsOf(const ServeOptions& options, AccessTokens tokens,
                                      std::shared_ptr<const UserMap> users) {
  SearchServiceOptions service;
  service.search.timeout = options.timeout;
  service.search.slow = options.slow;
  service.search.search.kernels = options.kernels;
  service.result_cache_bytes = options.result_cache_bytes;
  service.tokens = std::move(tokens);
  service.users = std::move(users);
  service.loops = options.threads;
  return service;
}

void TellAddresses(const HttpServer& server) {
  for (const Listener& listener : server.listeners()) {
    std::fprintf(stderr, "pmdex: listening on %s%s\n",
                 listener.name().starts_with("unix:") ? "" : "http://", listener.name().c_str());
  }
}

// True if each loop has ticked since the last call.
bool AllLoopsLive(const HttpServer& server, std::vector<uint64_t>& ticks) {
  bool live = true;
  ticks.resize(server.loops().size());
  for (size_t i = 0; i < ticks.size(); ++i) {
    const uint64_t now = server.loops()[i]->counters().ticks;
    live = live && now != ticks[i];
    ticks[i] = now;
  }
  return live;
}

// Returns when a signal asks the server to end.
void AwaitEnd(const ServerSignals& signals, const HttpServer& server, RequestLog* log) {
  const auto watchdog = WatchdogInterval();
  std::vector<uint64_t> ticks;
  while (true) {
    const int signal = signals.Await(watchdog.has_value() ? std::min(*watchdog / 3, kLookInterval)
                                                          : kLookInterval);
    if (signal == SIGHUP && log != nullptr) log->Reopen();
    if (signal == SIGTERM || signal == SIGINT) return;
    if (signal == 0 && watchdog.has_value() && AllLoopsLive(server, ticks)) {
      NotifyServiceManager("WATCHDOG=1");
    }
  }
}

// The server has answered all requests, so that an error is only a warning.
void SaveHeatOf(IndexCatalog& catalog) {
  for (size_t i = 0; i < catalog.sources().size(); ++i) {
    const absl::Status saved = SaveHeat(catalog.sources()[i].directory, catalog.TakeHeat(i));
    if (saved.ok()) continue;
    Warn(absl::StrCat("the heat of the segments of ", catalog.sources()[i].name,
                      " is not saved: ", ToAbsl(Message(saved))));
  }
}

}  // namespace

absl::StatusOr<std::vector<int>> ParseCpuList(std::string_view text) {
  constexpr int kMostCpus = 4096;
  std::vector<int> cpus;
  const auto wrong = [&] {
    return InvalidArgument(absl::StrCat("--cpus ", ToAbsl(text), ": expected a list like 0-3,8"));
  };
  for (std::string_view rest = text; !rest.empty();) {
    const size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    rest.remove_prefix(comma == rest.npos ? rest.size() : comma + 1);
    const size_t dash = part.find('-');
    int first = 0;
    int last = 0;
    if (!absl::SimpleAtoi(ToAbsl(part.substr(0, dash)), &first)) return wrong();
    last = first;
    if (dash != part.npos && !absl::SimpleAtoi(ToAbsl(part.substr(dash + 1)), &last)) {
      return wrong();
    }
    if (first < 0 || last < first || last >= kMostCpus) return wrong();
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
  }
  if (cpus.empty()) return wrong();
  return cpus;
}

absl::Status RunServer(const ServeOptions& options) {
  const ServerSignals signals;
  signal(SIGPIPE, SIG_IGN);
  RaiseDescriptorLimit();
  PMDEX_RETURN_IF_ERROR(CheckAddresses(options));
  PMDEX_ASSIGN_OR_RETURN(AccessTokens tokens, LoadTokens(options));
  PMDEX_ASSIGN_OR_RETURN(std::shared_ptr<const UserMap> users, LoadUsers(options));
  PMDEX_ASSIGN_OR_RETURN(std::vector<Listener> listeners, OpenListeners(options));
  for (const Listener& listener : listeners) {
    PMDEX_RETURN_IF_ERROR(CheckReach(listener.is_loopback(), listener.name(), options));
  }
  PMDEX_ASSIGN_OR_RETURN(const auto catalog,
                         IndexCatalog::Open(options.indexes, options.prefault, options.snapshots,
                                            NodesOfThreads(options)));
  std::unique_ptr<RequestLog> log;
  if (!options.access_log.empty() || !options.slow_log.empty()) {
    PMDEX_ASSIGN_OR_RETURN(log, RequestLog::Open({options.access_log, options.slow_log}));
  }
  PMDEX_ASSIGN_OR_RETURN(auto writing, WritableIndexes::Start(options.writing, *catalog));
  SearchService service(ServiceOptionsOf(options, std::move(tokens), std::move(users)), *catalog,
                        log.get(), writing.get());
  PMDEX_ASSIGN_OR_RETURN(const auto server, HttpServer::Start(ServerOptionsOf(options),
                                                              std::move(listeners), service));
  service.set_server(server.get());
  PMDEX_ASSIGN_OR_RETURN(
      auto watcher, IndexWatcher::Start(*catalog, [&server = *server] { server.WakeLoops(); }));
  TellAddresses(*server);
  NotifyServiceManager("READY=1");
  AwaitEnd(signals, *server, log.get());
  NotifyServiceManager("STOPPING=1");
  signals.Release();
  service.BeginDrain();
  writing->StopMerges();  // a request that waits for one is answered
  server->BeginDrain();
  server->AwaitDrain();
  watcher.reset();  // the catalog is for one thread
  writing.reset();  // its writers hold the locks of their indexes
  if (options.save_heat) SaveHeatOf(*catalog);
  return absl::OkStatus();
}

}  // namespace pmdex
