#include "tools/profile/profile_run.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <map>

#include "absl/strings/str_cat.h"

#include "pmem/mutex.h"
#include "pmem/thread.h"
#include "tools/bound_to_cpu.h"
#include "tools/profile/query_metrics.h"
#include "tools/profile/sampled_pass.h"
#include "tools/profile/thread_usage.h"

namespace pmdex {
namespace {

using RunClock = std::chrono::steady_clock;

// A query is repeated between two reads of the counters until it takes so many times as long.
constexpr double kReadsWorth = 50;
constexpr size_t kMostRepeats = 64;

double NanosecondsSince(RunClock::time_point start) {
  return std::chrono::duration<double, std::nano>(RunClock::now() - start).count();
}

SearchOptions SearchOptionsOf(const ProfileRunOptions& options) {
  SearchOptions search;
  search.exhaustive = options.exhaustive;
  search.kernels = options.kernels;
  return search;
}

class ProfilePasses {
 public:
  ProfilePasses(const Searcher& searcher, const std::vector<ProfileQuery>& queries,
                const EventTable& table, CounterSource& source, const ProfileRunOptions& options)
      : searcher_(searcher),
        queries_(queries),
        table_(table),
        source_(source),
        options_(options),
        search_(SearchOptionsOf(options)),
        counts_(queries.size()) {
    for (QueryCounts& counts : counts_) counts.groups.resize(table.groups.size());
  }

  absl::Status Run() {
    PMDEX_RETURN_IF_ERROR(WarmUp());
    PMDEX_RETURN_IF_ERROR(TimeQueries());
    PMDEX_RETURN_IF_ERROR(MeasureReadCost());
    for (size_t i = 0; i < queries_.size() && read_ns_ > 0; ++i) counts_[i].repeats = Repeats(i);
    for (size_t group = 0; group < table_.groups.size(); ++group) {
      PMDEX_RETURN_IF_ERROR(CountGroup(group));
    }
    return absl::OkStatus();
  }

  const std::vector<QueryCounts>& counts() const { return counts_; }
  // User and system time, switches and faults of one pass over the queries; only what says
  // something. Faults that were counted as events take the place of these.
  std::map<std::string, double> OtherValues() const {
    const double passes = static_cast<double>(options_.passes);
    std::map<std::string, double> others = {{"switches", usage_.switches() / passes},
                                            {"minor_faults", usage_.minor_faults / passes},
                                            {"major_faults", usage_.major_faults / passes},
                                            {"page_faults", usage_.faults() / passes}};
    others["first_page_faults"] = first_page_faults_;
    if (usage_.DividesCpuTime()) {
      others["user_ns"] = usage_.user_ns / passes;
      others["system_ns"] = usage_.system_ns / passes;
    }
    return others;
  }
  const std::vector<std::string>& notes() const { return notes_; }
  // What one read of the largest group takes.
  double read_ns() const { return read_ns_; }

 private:
  absl::Status RunOnce(size_t query) {
    return searcher_.Search(queries_[query].text, search_).status();
  }

  absl::Status OnThreads(const std::function<absl::Status()>& work) const {
    return RunOnThreads(options_.threads, [&](size_t thread) {
      const BoundToCpu bound(options_.cpus, thread);
      return work();
    });
  }

  // Runs each query once, and counts the page faults: those of an index that was just mapped.
  absl::Status WarmUp() {
    const CounterEvent event = *SoftwareTable().FindEvent("page_faults");
    Mutex mutex;
    std::atomic<size_t> next = 0;
    return OnThreads([&] {
      const auto counters = source_.Open({&event, 1});
      const auto before = counters.ok() ? (*counters)->Read() : counters.status();
      const ThreadUsage usage_before = UsageOfThisThread();
      for (size_t i; (i = next.fetch_add(1)) < queries_.size();) PMDEX_RETURN_IF_ERROR(RunOnce(i));
      double faults = (UsageOfThisThread() - usage_before).faults();
      if (before.ok()) {
        PMDEX_ASSIGN_OR_RETURN(const CounterReading after, (*counters)->Read());
        faults = static_cast<double>(after.counts[0] - before->counts[0]);
      }
      MutexLock lock(&mutex);
      first_page_faults_ += faults;
      return absl::OkStatus();
    });
  }

  // The time of each query without counters: the mean of the passes.
  absl::Status TimeQueries() {
    Mutex mutex;
    std::atomic<size_t> next = 0;
    const size_t runs = queries_.size() * options_.passes;
    return OnThreads([&] {
      const ThreadUsage before = UsageOfThisThread();
      for (size_t run; (run = next.fetch_add(1)) < runs;) {
        const size_t i = run % queries_.size();
        const RunClock::time_point start = RunClock::now();
        PMDEX_RETURN_IF_ERROR(RunOnce(i));
        const double ns = NanosecondsSince(start);
        MutexLock lock(&mutex);
        counts_[i].wall_ns += ns / static_cast<double>(options_.passes);
      }
      const ThreadUsage after = UsageOfThisThread();
      MutexLock lock(&mutex);
      usage_ += after - before;
      return absl::OkStatus();
    });
  }

  absl::StatusOr<std::unique_ptr<OpenCounters>> OpenGroup(size_t group) {
    std::vector<CounterEvent> events;
    for (const std::string_view name : table_.groups[group].events) {
      const CounterEvent* event = table_.FindEvent(name);
      if (event == nullptr) {
        return MakeStatus(absl::StatusCode::kInternal,
                          absl::StrCat("the table has no event ", std::string(name)));
      }
      events.push_back(*event);
    }
    return source_.Open(events);
  }

  absl::Status MeasureReadCost() {
    constexpr int kReads = 200;
    for (size_t group = 0; group < table_.groups.size(); ++group) {
      auto counters = OpenGroup(group);
      if (!counters.ok()) continue;
      double shortest_ns = std::numeric_limits<double>::infinity();
      for (int i = 0; i < kReads; ++i) {  // other work of the machine makes some of them long
        const RunClock::time_point start = RunClock::now();
        PMDEX_RETURN_IF_ERROR((*counters)->Read().status());
        shortest_ns = std::min(shortest_ns, NanosecondsSince(start));
      }
      read_ns_ = std::max(read_ns_, shortest_ns);
    }
    return absl::OkStatus();
  }

  size_t Repeats(size_t query) const {
    const double repeats = kReadsWorth * read_ns_ / std::max(counts_[query].wall_ns, 1.0);
    return std::clamp<size_t>(static_cast<size_t>(repeats) + 1, 1, kMostRepeats);
  }

  absl::Status CountGroup(size_t group) {
    Mutex mutex;
    std::atomic<size_t> next = 0;
    absl::Status refusal;
    const size_t runs = queries_.size() * options_.passes;
    const absl::Status status = OnThreads([&] {
      auto counters = OpenGroup(group);
      if (!counters.ok()) {
        MutexLock lock(&mutex);
        refusal = counters.status();
        return absl::OkStatus();
      }
      for (size_t run; (run = next.fetch_add(1)) < runs;) {
        const size_t query = run % queries_.size();
        PMDEX_RETURN_IF_ERROR(CountQuery(group, query, **counters, mutex));
      }
      return absl::OkStatus();
    });
    PMDEX_RETURN_IF_ERROR(status);
    if (!refusal.ok()) {
      notes_.push_back(absl::StrCat("the group '", std::string(table_.groups[group].name),
                                    "' was not counted: ", std::string(Message(refusal))));
      const auto& events = table_.groups[group].events;
      if (std::find(events.begin(), events.end(), "page_faults") != events.end()) {
        notes_.push_back(
            "page faults of all queries come from getrusage(RUSAGE_THREAD) instead, which counts "
            "those of the kernel, too; there are none by class, plan and length");
      }
    }
    return absl::OkStatus();
  }

  absl::Status CountQuery(size_t group, size_t query, OpenCounters& counters, Mutex& mutex) {
    const size_t repeats = Repeats(query);
    PMDEX_ASSIGN_OR_RETURN(const CounterReading before, counters.Read());
    for (size_t i = 0; i < repeats; ++i) PMDEX_RETURN_IF_ERROR(RunOnce(query));
    PMDEX_ASSIGN_OR_RETURN(const CounterReading after, counters.Read());
    MutexLock lock(&mutex);
    AddReading(before, after, repeats, counts_[query].groups[group]);
    return absl::OkStatus();
  }

  static void AddReading(const CounterReading& before, const CounterReading& after, size_t runs,
                         GroupCounts& group) {
    group.runs += runs;
    group.enabled_ns += after.enabled_ns - before.enabled_ns;
    group.running_ns += after.running_ns - before.running_ns;
    group.counts.resize(after.counts.size());
    for (size_t i = 0; i < after.counts.size() && i < before.counts.size(); ++i) {
      group.counts[i] += static_cast<double>(after.counts[i] - before.counts[i]);
    }
  }

  const Searcher& searcher_;
  const std::vector<ProfileQuery>& queries_;
  const EventTable& table_;
  CounterSource& source_;
  const ProfileRunOptions& options_;
  const SearchOptions search_;
  std::vector<QueryCounts> counts_;  // indexed like queries_
  double read_ns_ = 0;
  double first_page_faults_ = 0;
  ThreadUsage usage_;  // of all threads in the passes without counters
  std::vector<std::string> notes_;
};

}  // namespace

absl::StatusOr<ProfiledConfiguration> ProfileQueries(const Searcher& searcher,
                                                     const std::vector<ProfileQuery>& queries,
                                                     const EventTable& table, CounterSource& source,
                                                     const ProfileRunOptions& options) {
  ProfilePasses passes(searcher, queries, table, source, options);
  PMDEX_RETURN_IF_ERROR(passes.Run());
  ProfiledConfiguration result;
  result.threads = options.threads;
  result.queries = queries.size();
  result.kernels = std::string(ToString(options.kernels->level));
  result.notes = passes.notes();
  result.read_ns = passes.read_ns();
  PMDEX_RETURN_IF_ERROR(SetMetrics(table, queries, passes.counts(), passes.OtherValues(), result));
  if (options.each_query) {
    PMDEX_ASSIGN_OR_RETURN(result.each_query,
                           MetricsOfEachQuery(table, queries, passes.counts(), passes.read_ns()));
  }
  if (options.sample_rate_hz > 0) {
    PMDEX_RETURN_IF_ERROR(SampleQueries(searcher, queries, options, result));
  }
  return result;
}

}  // namespace pmdex
