// The command `pmdex serve`: opens the indexes, starts the server, and waits for a signal.
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "pmem/cpu_limit.h"
#include "pmem/descriptor_limit.h"
#include "tools/command.h"
#include "tools/server/index_watcher.h"
#include "tools/server/search_service.h"

namespace pmdex {
namespace {

struct ServeFlags {
  std::vector<std::string> listen;
  std::vector<std::string> indexes;
  int threads = 0;  // 0: one for each CPU
  int timeout_ms = 10'000;
  uint64_t max_body = uint64_t{16} << 20;
  uint64_t result_cache = 0;
  std::string token_file;
  RequestLogPaths logs;
  int slow_ms = 100;
  bool prefault = false;
};

// SIGINT and SIGTERM end the server, SIGHUP has it open its logs again. They are blocked in all
// threads, and the main thread waits for them.
class ServeSignals {
 public:
  ServeSignals() {
    sigemptyset(&awaited_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&awaited_, signal);
    pthread_sigmask(SIG_BLOCK, &awaited_, &before_);
    signal(SIGPIPE, SIG_IGN);  // a log may be a pipe
  }

  // Returns when SIGINT or SIGTERM has come. The next one ends the process at once.
  void AwaitEnd(RequestLog& log) {
    int signal = 0;
    while (sigwait(&awaited_, &signal) != 0 || signal == SIGHUP) log.Reopen();
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t awaited_;
  sigset_t before_;
};

absl::StatusOr<std::unique_ptr<IndexCatalog>> OpenCatalog(const ServeFlags& flags) {
  std::vector<IndexSource> sources;
  std::vector<std::string> texts = flags.indexes;
  if (texts.empty()) {
    PMDEX_ASSIGN_OR_RETURN(const std::string path, ResolveIndexPath(""));
    texts.push_back(path);
  }
  for (const std::string& text : texts) {
    PMDEX_ASSIGN_OR_RETURN(IndexSource source, ParseIndexSource(text));
    sources.push_back(std::move(source));
  }
  return IndexCatalog::Open(std::move(sources), flags.prefault);
}

// Whoever reaches the port can read the indexes, so that other machines must show a token.
absl::StatusOr<std::vector<Listener>> OpenListeners(const ServeFlags& flags, bool has_tokens,
                                                    size_t loops) {
  std::vector<Listener> listeners;
  for (const std::string& text : flags.listen) {
    PMDEX_ASSIGN_OR_RETURN(const ListenAddress address, ParseListenAddress(text));
    if (!has_tokens && !IsLoopback(address)) {
      return InvalidArgument(absl::StrCat("--listen ", text,
                                          " is open to other machines, and no token is needed "
                                          "(hint: --token-file FILE)"));
    }
    PMDEX_ASSIGN_OR_RETURN(Listener listener, Listener::Open(address, loops));
    listeners.push_back(std::move(listener));
  }
  return listeners;
}

HttpServerOptions ServerOptions(const ServeFlags& flags) {
  HttpServerOptions options;
  options.loops = static_cast<size_t>(flags.threads == 0 ? UsableCpus() : flags.threads);
  options.loop.limits.body_bytes = flags.max_body;
  // What is being answered at the end may take its whole time.
  options.loop.drain_timeout =
      std::max(options.loop.drain_timeout, std::chrono::milliseconds(flags.timeout_ms));
  options.pool.threads = options.loops;
  return options;
}

absl::StatusOr<SearchServiceOptions> ServiceOptions(const ServeFlags& flags, size_t loops) {
  SearchServiceOptions options;
  options.loops = loops;
  options.result_cache_bytes = flags.result_cache;
  options.search.timeout = std::chrono::milliseconds(flags.timeout_ms);
  options.search.slow = std::chrono::milliseconds(flags.slow_ms);
  if (!flags.token_file.empty()) {
    PMDEX_ASSIGN_OR_RETURN(options.tokens, AccessTokens::Load(flags.token_file));
  }
  return options;
}

absl::StatusOr<int> RunServe(const ServeFlags& flags) {
  RaiseDescriptorLimit();
  ServeSignals signals;  // before the first thread
  const HttpServerOptions server_options = ServerOptions(flags);
  PMDEX_ASSIGN_OR_RETURN(const SearchServiceOptions options,
                         ServiceOptions(flags, server_options.loops));
  PMDEX_ASSIGN_OR_RETURN(auto listeners,
                         OpenListeners(flags, options.tokens.are_needed(), server_options.loops));
  PMDEX_ASSIGN_OR_RETURN(const auto log, RequestLog::Open(flags.logs));
  PMDEX_ASSIGN_OR_RETURN(const auto catalog, OpenCatalog(flags));
  SearchService service(options, *catalog, log.get());
  PMDEX_ASSIGN_OR_RETURN(const auto server,
                         HttpServer::Start(server_options, std::move(listeners), service));
  service.set_server(server.get());
  PMDEX_ASSIGN_OR_RETURN(const auto watcher,
                         IndexWatcher::Start(*catalog, [&] { server->WakeLoops(); }));
  for (const Listener& listener : server->listeners()) {
    absl::FPrintF(stderr, "pmdex: listening on %s%s\n",
                  listener.name().starts_with("unix:") ? "" : "http://", listener.name());
  }
  signals.AwaitEnd(*log);
  service.BeginDrain();
  server->BeginDrain();
  server->AwaitDrain();
  return kExitDone;
}

void AddAddressFlags(CLI::App& command, ServeFlags& flags) {
  command
      .add_option(
          "--listen", flags.listen,
          "an address and port, or unix:PATH; may repeat. Port 0 takes any free port, which "
          "a line on stderr names (default: 127.0.0.1:7700)")
      ->type_name("ADDRESS")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      .add_option("--index", flags.indexes,
                  "an index, with the name that requests use; may repeat (default of the name: the "
                  "last part of DIR; default of the index: as for pmdex search)")
      ->type_name("[NAME=]DIR")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      .add_option("--token-file", flags.token_file,
                  "a file with one token a line; each request but /healthz and /readyz must show "
                  "one. Needed to listen beyond this machine")
      ->type_name("FILE");
}

void AddLimitFlags(CLI::App& command, ServeFlags& flags) {
  command
      .add_option("--threads", flags.threads,
                  "event loops, and as many threads for heavy queries (default: one for each CPU)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command
      .add_option("--timeout-ms", flags.timeout_ms,
                  "the longest time of a request; its answer is then what was found so far, with "
                  "\"timed_out\": true")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000000))
      ->type_name("N");
  command.add_option("--max-body", flags.max_body, "the largest body of a request (default: 16M)")
      ->transform(CLI::AsSizeValue(false))
      ->type_name("SIZE");
  command
      .add_option(
          "--result-cache", flags.result_cache,
          "keep answers in this much memory until the index changes (default: 0, keep none)")
      ->transform(CLI::AsSizeValue(false))
      ->type_name("SIZE");
  command.add_flag("--prefault", flags.prefault, "map whole indexes before they answer");
}

void AddLogFlags(CLI::App& command, ServeFlags& flags) {
  command
      .add_option("--access-log", flags.logs.access,
                  "write a line of JSON for each request; - is stderr")
      ->type_name("FILE");
  command
      .add_option("--slow-log", flags.logs.slow,
                  "write a line of JSON with the plan for each slow query; - is stderr")
      ->type_name("FILE");
  command.add_option("--slow-ms", flags.slow_ms, "from how many milliseconds on a query is slow")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000000))
      ->type_name("N");
}

constexpr char kServeFooter[] =
    "Endpoints (docs/SERVER.md describes them):\n"
    "  GET, POST /search    the JSON of pmdex search; with several indexes /NAME/search\n"
    "  GET /stats           facts of the indexes\n"
    "  GET /metrics         what the server counts, for Prometheus\n"
    "  GET /healthz         the process lives; /readyz: it takes requests\n"
    "  GET /                a search page for browsers\n"
    "Signals:\n"
    "SIGTERM and SIGINT let the requests that have come be answered, and end the server with exit "
    "status 0; a second one ends it at once. SIGHUP opens the logs again.\n"
    "Exit status:\n"
    "  0  a signal ended the server\n"
    "  1  an index, an address or a log could not be opened\n"
    "  2  wrong usage";

}  // namespace

void AddServeCommand(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<ServeFlags>();
  CLI::App* command = app.add_subcommand("serve", "answer queries over HTTP");
  AddAddressFlags(*command, *flags);
  AddLimitFlags(*command, *flags);
  AddLogFlags(*command, *flags);
  command->footer(kServeFooter);
  command->callback([flags, &invocation] {
    if (flags->listen.empty()) flags->listen = {"127.0.0.1:7700"};
    invocation.run = [flags] { return RunServe(*flags); };
  });
}

}  // namespace pmdex
