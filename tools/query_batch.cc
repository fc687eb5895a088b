#include "tools/query_batch.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "pmem/numa_placement.h"
#include "pmem/text.h"
#include "pmem/thread.h"
#include "tools/command.h"
#include "tools/json_writer.h"
#include "tools/nvme_flags.h"
#include "tools/output.h"
#include "tools/printable.h"
#include "tools/search_output.h"

namespace pmdex {
namespace {

using Clock = std::chrono::steady_clock;

struct BatchEntry {
  std::string query;
  std::optional<absl::StatusOr<SearchResult>> result;  // of the first run
  std::vector<double> took_us;                         // of every run
};

struct Summary {
  size_t queries = 0;
  double mean_us = 0;
  double p50_us = 0;
  double p99_us = 0;
  double max_us = 0;
  double wall_s = 0;
};

bool IsBlank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

absl::StatusOr<std::vector<BatchEntry>> ReadQueries(const std::string& path) {
  std::ifstream file;
  if (path != "-") {
    file.open(path);
    if (!file) return ErrnoStatus(errno, absl::StrCat("queries file ", path));
  }
  std::istream& in = path == "-" ? std::cin : file;
  std::vector<BatchEntry> entries;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!IsBlank(line)) entries.push_back({std::move(line), {}, {}});
  }
  if (in.bad() || (path == "-" && std::ferror(stdin) != 0)) {
    return ErrnoStatus(EIO, absl::StrCat("queries file ", path));
  }
  return entries;
}

// Runs each entry once. Each thread takes the next entry that is left, so only one thread writes an
// entry. With several NUMA nodes, the threads are bound to them in turn, except the calling thread.
absl::Status RunRound(const Searcher& searcher, const SearchOptions& search, int threads,
                      const std::vector<NumaNode>& nodes, std::vector<BatchEntry>& entries) {
  std::atomic<size_t> next = 0;
  return RunOnThreads(static_cast<size_t>(threads), [&](size_t thread) {
    // A thread that cannot be bound still runs, only perhaps farther from its memory.
    if (thread > 0 && nodes.size() > 1) (void)RunOnCpus(nodes[thread % nodes.size()].cpus);
    for (size_t i; (i = next.fetch_add(1)) < entries.size();) {
      auto result = searcher.Search(entries[i].query, search);
      if (result.ok()) entries[i].took_us.push_back(result->took_us);
      if (!entries[i].result) entries[i].result.emplace(std::move(result));
    }
    return absl::OkStatus();
  });
}

// The percentile of sorted values by nearest rank.
double Percentile(const std::vector<double>& sorted, double fraction) {
  if (sorted.empty()) return 0;
  const auto rank = static_cast<size_t>(fraction * static_cast<double>(sorted.size()) + 0.999999);
  return sorted[std::clamp<size_t>(rank, 1, sorted.size()) - 1];
}

Summary Summarize(const std::vector<BatchEntry>& entries, double wall_s) {
  Summary summary;
  summary.queries = entries.size();
  summary.wall_s = wall_s;
  std::vector<double> all;
  for (const BatchEntry& entry : entries) {
    if (entry.result->ok()) all.push_back((*entry.result)->took_us);
  }
  std::sort(all.begin(), all.end());
  for (const double us : all) summary.mean_us += us / static_cast<double>(all.size());
  summary.p50_us = Percentile(all, 0.5);
  summary.p99_us = Percentile(all, 0.99);
  summary.max_us = all.empty() ? 0 : all.back();
  return summary;
}

// cache: may be nullptr.
std::string SummaryToJson(const Summary& summary, const BlockCache* cache) {
  JsonWriter json;
  json.BeginObject().Key("summary").BeginObject();
  json.Key("queries").Uint(summary.queries);
  json.Key("mean_us").Double(summary.mean_us);
  json.Key("p50_us").Double(summary.p50_us);
  json.Key("p99_us").Double(summary.p99_us);
  json.Key("max_us").Double(summary.max_us);
  json.Key("wall_s").Double(summary.wall_s);
  if (cache != nullptr) WriteCache(*cache, json);
  json.EndObject().EndObject();
  return json.result();
}

// Prints one entry. Returns false if its result is an error.
bool PrintEntry(const BatchEntry& entry, bool json) {
  const auto& result = *entry.result;
  std::string text;
  if (json) {
    text = (result.ok() ? ResultToJson(entry.query, *result)
                        : ErrorToJson(entry.query, result.status())) +
           "\n";
  } else if (result.ok()) {
    text = absl::StrCat("query: ", Printable(entry.query), "\n", ResultToText(*result), "\n");
  }
  WriteOutput(text);
  if (!result.ok()) {
    const std::string label = absl::StrCat("pmdex: error: query '",
                                           PrintableHead(entry.query, kMostQueryCharacters), "': ");
    absl::FPrintF(stderr, "%s\n", MessageLine(label, WithoutPlace(result.status())));
  }
  return result.ok();
}

}  // namespace

double MedianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return Percentile(values, 0.5);
}

absl::StatusOr<int> RunQueryBatch(const Searcher& searcher, const SearchOptions& search,
                                  const QueryBatchOptions& batch) {
  PMDEX_ASSIGN_OR_RETURN(std::vector<BatchEntry> entries, ReadQueries(batch.path));
  const auto start = Clock::now();
  const std::vector<NumaNode> nodes =
      batch.threads > 1 ? UsableNumaNodes() : std::vector<NumaNode>();
  for (int i = 0; i < batch.repeat; ++i) {
    PMDEX_RETURN_IF_ERROR(RunRound(searcher, search, batch.threads, nodes, entries));
  }
  const double wall_s = std::chrono::duration<double>(Clock::now() - start).count();
  for (BatchEntry& entry : entries) {
    if (entry.result->ok()) (*entry.result)->took_us = MedianOf(std::move(entry.took_us));
  }
  const Summary summary = Summarize(entries, wall_s);
  const BlockCache* const cache = searcher.snapshot().unit_cache();
  int status = kExitDone;
  size_t timed_out = 0;
  for (const BatchEntry& entry : entries) {
    timed_out += entry.result->ok() && (*entry.result)->timed_out ? 1 : 0;
    if (!PrintEntry(entry, batch.json)) {
      status = std::max(status,
                        absl::IsInvalidArgument(entry.result->status()) ? kExitUsage : kExitFailed);
    }
  }
  if (batch.json) {
    WriteOutput(SummaryToJson(summary, cache) + "\n");
  } else {
    PrintOutput("%d queries in %.3f s: mean %.0f us, p50 %.0f, p99 %.0f, max %.0f\n",
                summary.queries, summary.wall_s, summary.mean_us, summary.p50_us, summary.p99_us,
                summary.max_us);
    if (cache != nullptr) PrintOutput("%s\n", CacheInWords(*cache));
  }
  if (timed_out == 0) return status;
  absl::FPrintF(
      stderr, "pmdex: warning: the deadline came first in %d of %d queries: hits may be missing\n",
      timed_out, summary.queries);
  return std::max(status, kExitFailed);
}

}  // namespace pmdex
