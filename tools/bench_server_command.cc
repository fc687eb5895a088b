// The command `pmdex bench-server`: a load generator for any server of HTTP.
#include <iterator>

#include "absl/strings/str_cat.h"

#include "pmem/descriptor_limit.h"
#include "tools/command.h"
#include "tools/load/load_report.h"
#include "tools/output.h"
#include "tools/report/report_files.h"

namespace pmdex {
namespace {

constexpr double kUsualRates[] = {100, 300, 1000, 3000, 10'000};

struct BenchServerFlags {
  std::string url;
  std::string requests;
  std::vector<double> rates;  // without rates and clients: kUsualRates
  std::vector<size_t> clients;
  double seconds = 10;
  size_t connections = 64;
  uint64_t seed = 1;
  int timeout_ms = 10'000;
  std::vector<std::string> headers;
  std::string out;
  bool json = false;
};

std::vector<LoadPlan> PlansOf(const BenchServerFlags& flags) {
  LoadPlan plan;
  plan.duration = std::chrono::milliseconds(static_cast<int64_t>(flags.seconds * 1000));
  plan.timeout = std::chrono::milliseconds(flags.timeout_ms);
  plan.seed = flags.seed;
  std::vector<double> rates = flags.rates;
  if (rates.empty() && flags.clients.empty()) {
    rates.assign(std::begin(kUsualRates), std::end(kUsualRates));
  }
  std::vector<LoadPlan> plans;
  for (const double rate : rates) {
    plan.rate = rate;
    plan.connections = flags.connections;
    plans.push_back(plan);
  }
  for (const size_t clients : flags.clients) {
    plan.rate = 0;
    plan.connections = clients;
    plans.push_back(plan);
  }
  return plans;
}

absl::StatusOr<int> RunBenchServer(const BenchServerFlags& flags) {
  RaiseDescriptorLimit();
  PMDEX_ASSIGN_OR_RETURN(const LoadTarget target, ParseLoadTarget(flags.url));
  PMDEX_ASSIGN_OR_RETURN(const std::string text, ReadReportFile(flags.requests));
  PMDEX_ASSIGN_OR_RETURN(const auto requests, MakeLoadRequests(text, target, flags.headers));
  LoadReport report{flags.url, flags.requests, {}};
  if (!flags.json) WriteOutput(LoadTableHead());
  for (const LoadPlan& plan : PlansOf(flags)) {
    PMDEX_ASSIGN_OR_RETURN(const LoadResult result, RunLoad(target, requests, plan));
    if (!flags.json) WriteOutput(LoadTableLine(result));
    if (result.first_error != 0) {
      Warn(absl::StrCat("the server answered requests of ", flags.requests, " with the status ",
                        result.first_error));
    }
    report.steps.push_back(result);
  }
  if (flags.json) WriteOutput(LoadReportToJson(report) + "\n");
  if (!flags.out.empty()) PMDEX_RETURN_IF_ERROR(WriteLoadReport(report, flags.out));
  return kExitDone;
}

void AddBenchServerFlags(CLI::App& command, BenchServerFlags& flags) {
  command.add_option("url", flags.url, "http://HOST:PORT or unix:PATH")
      ->required()
      ->type_name("URL");
  command
      .add_option("--requests", flags.requests,
                  "a file with one request per line: METHOD /PATH, or METHOD /PATH JSON; any other "
                  "line is a query for /search")
      ->required()
      ->type_name("FILE");
  command
      .add_option("--rate", flags.rates,
                  "requests a second, one step for each; they come at random times, whether the "
                  "server answers or not (default: 100,300,1000,3000,10000)")
      ->delimiter(',')
      ->check(CLI::Range(0.1, 1e7))
      ->type_name("N,N,...");
  command
      .add_option("--clients", flags.clients,
                  "clients that each wait for their answer before the next request, one step for "
                  "each number")
      ->delimiter(',')
      ->check(CLI::Range(1, 100'000))
      ->type_name("N,N,...");
  command.add_option("--seconds", flags.seconds, "how long each step lasts")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 1e6))
      ->type_name("N");
  command.add_option("--connections", flags.connections, "connections, with --rate")
      ->capture_default_str()
      ->check(CLI::Range(1, 100'000))
      ->type_name("N");
  command
      .add_option("--timeout-ms", flags.timeout_ms,
                  "an answer that takes longer counts as an error")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  command.add_option("--header", flags.headers, "a header for every request; may repeat")
      ->type_name("'NAME: VALUE'");
  command.add_option("--seed", flags.seed, "of the times at which requests come")
      ->capture_default_str()
      ->type_name("N");
  command
      .add_option("--out", flags.out,
                  "write bench-server.json, a page and its plots into this directory")
      ->type_name("DIR");
  command.add_flag("--json", flags.json, "print one JSON document");
}

}  // namespace

void AddBenchServerCommand(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<BenchServerFlags>();
  CLI::App* command =
      app.add_subcommand("bench-server", "measure the latency of a server under load");
  AddBenchServerFlags(*command, *flags);
  command->footer(
      "The latency of a request counts from the moment at which it was due, not from the moment at "
      "which a connection was free for it. Percentiles are those of answers with a status of 200 "
      "to 299; 429 and 503 count as shed.\n"
      "\n"
      "Exit status:\n"
      "  0  the load was sent; the output says how the server answered\n"
      "  1  the server cannot be reached, or a file cannot be read or written\n"
      "  2  wrong usage");
  command->callback(
      [flags, &invocation] { invocation.run = [flags] { return RunBenchServer(*flags); }; });
}

}  // namespace pmdex
