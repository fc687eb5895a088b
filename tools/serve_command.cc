// The command `pmdex serve`: the query server.
#include <algorithm>

#include "absl/strings/str_cat.h"

#include "pmem/cpu_limit.h"
#include "pmem/numa_placement.h"
#include "tools/command.h"
#include "tools/flag_checks.h"
#include "tools/nvme_flags.h"
#include "tools/report/report_files.h"
#include "tools/server/run_server.h"
#include "tools/server/serve_config.h"
#include "tools/simd_flag.h"

namespace pmdex {
namespace {

struct ServeFlags {
  std::vector<std::string> indexes;
  std::vector<std::string> listen;
  std::string cpus;
  std::string config;
  std::string simd = "auto";
  NvmeFlags nvme;
  int threads = 0;  // 0: one for each CPU
  int timeout_ms = 10'000;
  int slow_ms = 100;
  int busy_poll_us = 0;
  ServeOptions serve;
};

absl::Status CheckUsable(const std::vector<int>& cpus) {
  PMDEX_ASSIGN_OR_RETURN(const std::vector<int> allowed, AllowedCpus());
  for (const int cpu : cpus) {
    if (std::find(allowed.begin(), allowed.end(), cpu) == allowed.end()) {
      return InvalidArgument(absl::StrCat("--cpus: pmdex may not run on CPU ", cpu));
    }
  }
  return absl::OkStatus();
}

constexpr size_t kMostConfigBytes = size_t{1} << 20;

// Gives the flags that are not on the command line the values of the file, with the same checks.
absl::Status ApplyConfig(CLI::App& command, const std::string& path) {
  PMDEX_ASSIGN_OR_RETURN(const std::string text, ReadReportFile(path, kMostConfigBytes));
  const auto entries = ParseServeConfig(text);
  if (!entries.ok()) return InvalidArgument(absl::StrCat(path, ": ", entries.status().message()));
  for (const ConfigEntry& entry : *entries) {
    const std::string where = absl::StrCat(path, ": line ", entry.line, ": ");
    CLI::Option* const option = command.get_option_no_throw("--" + entry.key);
    if (option == nullptr || entry.key == "config" || entry.key == "help") {
      return InvalidArgument(absl::StrCat(
          where, "'", entry.key, "' is no flag of pmdex serve (hint: pmdex serve --help)"));
    }
    if (option->count() > 0) continue;
    if (entry.values.empty()) {
      return InvalidArgument(absl::StrCat(where, "'", entry.key, "' needs a value"));
    }
    try {
      option->add_result(entry.values);
      option->run_callback();
    } catch (const CLI::ParseError& error) {
      return InvalidArgument(absl::StrCat(where, error.what()));
    }
  }
  return absl::OkStatus();
}

absl::Status CompleteOptions(ServeFlags& flags) {
  ServeOptions& serve = flags.serve;
  if (flags.indexes.empty() && serve.writing.data_directory.empty()) {
    PMDEX_ASSIGN_OR_RETURN(std::string path, ResolveIndexPath(""));
    flags.indexes.push_back(std::move(path));
  }
  for (const std::string& text : flags.indexes) {
    PMDEX_ASSIGN_OR_RETURN(IndexSource source, ParseIndexSource(text));
    serve.indexes.push_back(std::move(source));
  }
  serve.listen = flags.listen;
  if (!flags.cpus.empty()) {
    PMDEX_ASSIGN_OR_RETURN(serve.cpus, ParseCpuList(flags.cpus));
    PMDEX_RETURN_IF_ERROR(CheckUsable(serve.cpus));
  }
  const size_t cpus = serve.cpus.empty() ? static_cast<size_t>(UsableCpus()) : serve.cpus.size();
  serve.threads = flags.threads > 0 ? static_cast<size_t>(flags.threads) : cpus;
  serve.timeout = std::chrono::milliseconds(flags.timeout_ms);
  serve.slow = std::chrono::milliseconds(flags.slow_ms);
  serve.busy_poll = std::chrono::microseconds(flags.busy_poll_us);
  PMDEX_ASSIGN_OR_RETURN(const SimdLevel simd, SimdLevelNamed("serve", flags.simd));
  serve.kernels = &QueryKernelsOf(simd);
  PMDEX_ASSIGN_OR_RETURN(serve.snapshots, SnapshotOptionsOf("serve", flags.nvme));
  return absl::OkStatus();
}

absl::StatusOr<int> RunServe(CLI::App& command, ServeFlags& flags) {
  if (!flags.config.empty()) PMDEX_RETURN_IF_ERROR(ApplyConfig(command, flags.config));
  PMDEX_RETURN_IF_ERROR(CompleteOptions(flags));
  PMDEX_RETURN_IF_ERROR(RunServer(flags.serve));
  return kExitDone;
}

void AddLogFlags(CLI::App& command, ServeFlags& flags) {
  command
      .add_option("--access-log", flags.serve.access_log,
                  "write a line of JSON for each request; - is stderr")
      ->type_name("FILE");
  command
      .add_option("--slow-log", flags.serve.slow_log,
                  "write a line of JSON, with the plan, for each slow query; - is stderr")
      ->type_name("FILE");
  command.add_option("--slow-ms", flags.slow_ms, "queries from N milliseconds on are slow")
      ->capture_default_str()
      ->check(CLI::Range(0, 1'000'000))
      ->type_name("N");
}

void AddLimitFlags(CLI::App& command, ServeFlags& flags) {
  command
      .add_option("--timeout-ms", flags.timeout_ms,
                  "answer each request within N milliseconds of its arrival, with the best hits "
                  "found by then")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000'000))
      ->type_name("N");
  command
      .add_option("--max-body", flags.serve.most_body_bytes,
                  "refuse larger bodies of requests (default: 16M)")
      ->transform(SizeValue())
      ->type_name("SIZE");
  command
      .add_option("--merge-rate", flags.serve.writing.merge_bytes_per_second,
                  "write at most so many bytes a second where the server merges small segments by "
                  "itself, to spare searches; requests that write the index wait for the merge "
                  "(default: no limit)")
      ->transform(SizeValue())
      ->type_name("SIZE");
  command
      .add_option("--result-cache", flags.serve.result_cache_bytes,
                  "keep finished answers of /search in so much memory (default: 0, none)")
      ->transform(SizeValue())
      ->type_name("SIZE");
}

void AddServeFlags(CLI::App& command, ServeFlags& flags) {
  command
      .add_option("--index", flags.indexes,
                  "an index to serve, under NAME or the last part of DIR; may repeat (default: as "
                  "for pmdex search)")
      ->type_name("[NAME=]DIR")
      ->allow_extra_args(false);
  command
      .add_option("--data", flags.serve.writing.data_directory,
                  "serve the indexes below DIR, and let clients make and remove indexes there")
      ->type_name("DIR");
  command.add_flag("--read-only", flags.serve.writing.read_only,
                   "let no client write; the indexes may be on a read-only mount");
  command
      .add_option("--listen", flags.listen,
                  "an ADDRESS:PORT or unix:PATH; may repeat (default: 127.0.0.1:7700, or the "
                  "sockets of systemd)")
      ->type_name("ADDRESS")
      ->allow_extra_args(false);
  command
      .add_option("--threads", flags.threads,
                  "event loops, and as many threads for heavy queries (default: one for each CPU)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command
      .add_option("--cpus", flags.cpus, "the CPUs to use, such as 0-3,8; each loop keeps to one")
      ->type_name("LIST");
  command
      .add_option("--busy-poll-us", flags.busy_poll_us,
                  "after each request a loop asks for the next one for N microseconds before it "
                  "sleeps: that shortens the wait of requests and uses the CPU for it")
      ->capture_default_str()
      ->check(CLI::Range(0, 1'000'000))
      ->type_name("N");
  AddLimitFlags(command, flags);
  command
      .add_option("--token-file", flags.serve.token_file,
                  "let in only requests with a token of this file, one a line; needed to listen "
                  "beyond this machine")
      ->type_name("FILE");
  command
      .add_option(
          "--user-map", flags.serve.user_map,
          "show each user only the files that it could read when they were indexed, and can "
          "read now: a file with lines TOKEN USER; through a Unix socket the user of the "
          "client counts. Tokens of --token-file see everything")
      ->type_name("FILE");
  command.add_flag("--prefault", flags.serve.prefault, "map whole indexes before they answer");
  command.add_flag("--save-heat", flags.serve.save_heat,
                   "at the end save in each index how many queries searched each segment, for "
                   "pmdex tier; needs permission to write");
  AddSimdFlag(command, flags.simd);
  AddNvmeFlags(command, flags.nvme);
  AddLogFlags(command, flags);
  command
      .add_option("--config", flags.config,
                  "a TOML file with the names of these flags; the command line goes before it")
      ->type_name("FILE");
}

constexpr char kServeFooter[] =
    "Paths (docs/SERVER.md describes them):\n"
    "  /search?q=QUERY     the JSON of pmdex search; with several indexes /NAME/search\n"
    "  /stats, /metrics    facts of the indexes; metrics for Prometheus\n"
    "  /healthz, /readyz   whether the server lives, and whether it takes requests\n"
    "  /openapi.json       all paths and parameters\n"
    "  /                   a search page for browsers\n"
    "Signals:\n"
    "  SIGTERM, SIGINT     answer what has come, then end; the second one ends at once\n"
    "  SIGHUP              open the logs again\n"
    "Exit status:\n"
    "  0  a signal ended the server\n"
    "  1  an index could not be opened, or an address is in use\n"
    "  2  wrong usage";

}  // namespace

void AddServeCommand(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<ServeFlags>();
  CLI::App* command = app.add_subcommand("serve", "answer queries over HTTP");
  AddServeFlags(*command, *flags);
  command->footer(kServeFooter);
  command->callback([flags, command, &invocation] {
    invocation.run = [flags, command] { return RunServe(*command, *flags); };
  });
}

}  // namespace pmdex
