// What `pmdex profile` found: plain values that profile_json.h and profile_report.h present.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/counters/event_table.h"
#include "tools/counters/metrics.h"
#include "tools/counters/pmu_diagnosis.h"
#include "tools/profile/index_mapping.h"
#include "tools/profile/profile_queries.h"
#include "tools/report/flame_graph.h"

namespace pmdex {

struct PhaseShare {
  std::string name;
  uint64_t samples = 0;  // or instructions, if simulated
  double share = 0;
};

// What it takes to count some queries, each by two reads of the counters around one or more runs.
struct CounterReads {
  double read_ns = 0;        // one read of the largest group of events
  uint64_t fewest_runs = 0;  // of one of the queries between its two reads
  uint64_t most_runs = 0;
  double share = 0;  // the time of the reads, divided by that of the runs between them
};

// Different lines that a query reads in a section of the segments, mean of some queries.
struct TouchedSection {
  std::string section;
  double random_lines = 0;      // of 64 bytes
  double sequential_lines = 0;  // whose line before the query has read, too
  double bytes() const { return 64 * (random_lines + sequential_lines); }
};

// Queries that have something in common: a length of their lists, a class, a plan.
struct QueryGroup {
  std::string name;    // of the class or plan; empty for a range
  PostingRange range;  // {0, 0} for a class or plan
  uint64_t queries = 0;
  MetricSet metrics;
  std::optional<CounterReads> reads;    // none: no counters were read
  std::vector<PhaseShare> phases;       // of a class that has samples; else empty
  std::vector<TouchedSection> touched;  // of a class, as that of a configuration
  uint64_t touched_queries = 0;
  std::vector<std::string> notes;  // what the reader must know of these numbers beside others
};

// One index, mode and number of threads.
struct ProfiledConfiguration {
  std::string index;
  std::string mode;  // "pruned" or "exhaustive"
  size_t threads = 1;
  uint64_t documents = 0;
  uint64_t index_bytes = 0;
  uint64_t queries = 0;
  std::string kernels;  // "avx512"
  MetricSet metrics;
  EventCounts counts;  // by the table's name of the event, of one pass over all queries
  std::vector<QueryGroup> buckets;  // by rising range; only those with queries
  std::vector<QueryGroup> classes;
  std::vector<QueryGroup> plans;
  std::vector<QueryGroup> each_query;  // the text is the name; in their order; empty: not asked for
  std::vector<PhaseShare> phases;      // of the samples; those without samples are left out
  uint64_t samples = 0;
  std::vector<TouchedSection> touched;  // by rising name; empty: nothing was recorded
  uint64_t touched_queries = 0;         // that were recorded; each class counts by its queries
  FoldedStacks stacks;                  // class, functions by call (StackOn)
  std::optional<IndexMapping> mapping;  // after the queries; none: not known
  double read_ns = 0;                   // what a read of the counters takes; 0: nothing was read
  std::optional<CounterReads> reads;    // of all queries
  bool has_broken_groups = false;       // that are left out: see BrokenGroups
  std::vector<std::string> notes;       // what the reader must know of these numbers
};

struct ProfileResult {
  CpuIdentity cpu;
  const EventTable* table = nullptr;  // that of the events that were counted
  PmuDiagnosis pmu;
  std::string source;  // "hardware", "software" or "simulated"
  std::vector<std::pair<std::string, std::string>> machine;  // more facts, for the report
  std::vector<ProfiledConfiguration> configurations;         // at least one
  std::vector<std::string> notes;
  bool is_partial = false;  // damaged segments of an index did not answer
};

}  // namespace pmdex
