// What do reads of the counters before and after a query add to its time?
//
//   build/bench/counter_overhead INDEX QUERY [PAIRS]
//
// A pair (default: 1000 pairs) runs the query once as it is and once between two reads of a group
// of counters, as `pmdex profile` does, in random order. The group is the largest of this CPU's
// table, or the software events where there is no PMU. Prints quartiles of both and of their ratio
// in a pair, in which the load of the machine at that time cancels out, and the same for pairs of
// two runs without reads: what these differ by is noise. Then it prints what one read takes, by the
// number of events. A query of less than 100 us is refused: `profile` repeats those.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/store/snapshot.h"
#include "pmem/directory.h"
#include "query/searcher.h"
#include "tools/counters/perf_counters.h"
#include "tools/profile/profile_session.h"
#include "tools/profile/thread_metrics.h"

namespace pmdex {
namespace {

using OverheadClock = std::chrono::steady_clock;

constexpr double kShortestQueryUs = 100;
constexpr int kWarmUpRuns = 20;
constexpr int kReads = 20'000;
constexpr uint64_t kMostSoftwareEvents = 9;  // as many as the largest group of any table has

double MicrosecondsSince(OverheadClock::time_point start) {
  return std::chrono::duration<double, std::micro>(OverheadClock::now() - start).count();
}

double QuantileOf(std::vector<double> values, double fraction) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(fraction * static_cast<double>(values.size() - 1))];
}

void PrintQuartiles(const char* what, const std::vector<double>& values) {
  std::printf("%-32s %9.3f %9.3f %9.3f\n", what, QuantileOf(values, 0.25), QuantileOf(values, 0.5),
              QuantileOf(values, 0.75));
}

// Runs one query with and without reads around it.
class PairedRuns {
 public:
  PairedRuns(const Searcher& searcher, std::string query, OpenCounters& counters)
      : searcher_(searcher), query_(std::move(query)), counters_(counters) {}

  absl::StatusOr<double> RunPlain() {
    const OverheadClock::time_point start = OverheadClock::now();
    PMDEX_RETURN_IF_ERROR(searcher_.Search(query_, options_).status());
    return MicrosecondsSince(start);
  }

  absl::StatusOr<double> RunCounted() {
    const OverheadClock::time_point start = OverheadClock::now();
    PMDEX_RETURN_IF_ERROR(counters_.Read().status());
    PMDEX_RETURN_IF_ERROR(searcher_.Search(query_, options_).status());
    PMDEX_RETURN_IF_ERROR(counters_.Read().status());
    return MicrosecondsSince(start);
  }

  // Prints the pairs of plain runs and the same with reads, or pairs without reads in either.
  absl::Status Measure(const char* what, bool has_reads, int pairs) {
    std::vector<double> plain, other, ratios;
    for (int i = 0; i < pairs; ++i) {
      const bool plain_first = random_() % 2 == 0;
      for (const bool is_plain : {plain_first, !plain_first}) {
        PMDEX_ASSIGN_OR_RETURN(const double us, is_plain || !has_reads ? RunPlain() : RunCounted());
        (is_plain ? plain : other).push_back(us);
      }
      ratios.push_back(other.back() / plain.back());
    }
    std::printf("%s\n", what);
    PrintQuartiles("  one of the pair, us", plain);
    PrintQuartiles("  the other, us", other);
    PrintQuartiles("  the other / the one", ratios);
    return absl::OkStatus();
  }

 private:
  const Searcher& searcher_;
  const std::string query_;
  OpenCounters& counters_;
  const SearchOptions options_;
  std::mt19937_64 random_{1};
};

absl::Status PrintReadCost(const std::string& what, const std::vector<CounterEvent>& events) {
  PerfCounterSource source;
  PMDEX_ASSIGN_OR_RETURN(const auto counters, source.Open(events));
  std::vector<double> ns;
  for (int i = 0; i < kReads; ++i) {
    const OverheadClock::time_point start = OverheadClock::now();
    PMDEX_RETURN_IF_ERROR(counters->Read().status());
    ns.push_back(1000 * MicrosecondsSince(start));
  }
  PrintQuartiles(what.c_str(), ns);
  return absl::OkStatus();
}

absl::Status PrintReadCosts(const EventTable& table) {
  std::printf("one read, ns\n");
  std::vector<CounterEvent> events;
  for (uint64_t config = 0; config < kMostSoftwareEvents; ++config) {
    events.push_back({"software", EventType::kSoftware, config, "PERF_COUNT_SW", false});
    PMDEX_RETURN_IF_ERROR(
        PrintReadCost("  " + std::to_string(events.size()) + " software events", events));
  }
  for (const EventGroup& group : table.groups) {
    const absl::Status status = PrintReadCost(
        "  '" + std::string(group.name) + "', " + std::to_string(group.events.size()) + " events",
        EventsOfGroup(table, group));
    if (!status.ok()) std::printf("  %s\n", std::string(status.message()).c_str());
  }
  return absl::OkStatus();
}

absl::Status PrintOverhead(const EventTable& table, const std::string& index,
                           const std::string& query, int pairs) {
  PMDEX_ASSIGN_OR_RETURN(const auto directory, OpenFileDirectory(index, {}));
  PMDEX_ASSIGN_OR_RETURN(const auto snapshot, Snapshot::Open(*directory));
  const Searcher searcher(snapshot);
  PerfCounterSource source;
  const auto largest = std::max_element(
      table.groups.begin(), table.groups.end(),
      [](const EventGroup& a, const EventGroup& b) { return a.events.size() < b.events.size(); });
  PMDEX_ASSIGN_OR_RETURN(const auto counters, source.Open(EventsOfGroup(table, *largest)));
  PairedRuns runs(searcher, query, *counters);
  std::vector<double> warm_up;
  for (int i = 0; i < kWarmUpRuns; ++i) {
    PMDEX_ASSIGN_OR_RETURN(const double us, runs.RunPlain());
    warm_up.push_back(us);
  }
  if (QuantileOf(warm_up, 0.5) < kShortestQueryUs) {
    return InvalidArgument("the query takes " + std::to_string(QuantileOf(warm_up, 0.5)) +
                           " us: give one of 100 us or more");
  }
  std::printf("%-32s %9s %9s %9s\n", "", "25 %", "median", "75 %");
  PMDEX_RETURN_IF_ERROR(runs.Measure("no reads in either", false, pairs));
  const std::string what = "reads of '" + std::string(largest->name) + "' (" +
                           std::to_string(largest->events.size()) + " events) in the other";
  return runs.Measure(what.c_str(), true, pairs);
}

absl::Status MeasureOverhead(const std::string& index, const std::string& query, int pairs) {
  PerfCounterSource source;
  const EventTable table = TableOf(ThisMachine(source));
  PMDEX_RETURN_IF_ERROR(PrintOverhead(table, index, query, pairs));
  // By now no other group is open, with which these would have to take turns.
  return PrintReadCosts(table);
}

}  // namespace
}  // namespace pmdex

int main(int argc, char** argv) {
  const int pairs = argc > 3 ? std::atoi(argv[3]) : 1000;
  if (argc < 3 || argc > 4 || pairs < 1) {
    std::fprintf(stderr, "usage: counter_overhead INDEX QUERY [PAIRS]\n");
    return 2;
  }
  const absl::Status status = pmdex::MeasureOverhead(argv[1], argv[2], pairs);
  if (status.ok()) return 0;
  std::fprintf(stderr, "counter_overhead: %s\n", std::string(status.message()).c_str());
  return 1;
}
