// What `pmdex compare` found: plain values that compare_json.h writes and reads, and
// compare_tables.h and compare_report.h present. A number that was not measured is absent.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/compare/answer_fingerprint.h"

namespace pmdex {

// What a run is of. Two runs with equal keys measure the same.
struct ConfigurationKey {
  std::string tier;       // "uncompressed" or "compressed"
  std::string directory;  // below which the index lies, as the user named it
  std::string mode;       // "pruned" or "exhaustive"
  uint64_t threads = 1;
  uint64_t scale = 1;
  std::string numa = "any";  // "local", "remote"; "any": threads were not bound to a node
  friend bool operator==(const ConfigurationKey&, const ConfigurationKey&) = default;
};

// Queries whose posting lists have [from, to) postings together.
struct PostingBucket {
  uint64_t from = 0;
  uint64_t to = 0;
  uint64_t queries = 0;
  double mean_us = 0;
  std::optional<double> instructions;  // of a query, where they were counted
};

// A metric of tools/counters.
struct CounterValue {
  std::string name;
  double value = 0;
  std::string unit;
  std::string source;
};

// Different lines and units that a query touched in a section of the segments, mean of some
// queries.
struct SectionTouchCounts {
  std::string section;
  double random_64 = 0;
  double sequential_64 = 0;
  double random_256 = 0;
  double sequential_256 = 0;
};
using ClassTouchCounts = std::vector<SectionTouchCounts>;

// How well the planning model meets this class in DRAM (medium_model.h), over some queries of it.
struct ModelCheck {
  double hot_us = 0;
  double dropped_us = 0;
  double error = 0;
  std::optional<double> uncached_us;  // predicted on the medium, to compare with dropped_us
};

// A mean time that was computed and not measured.
struct PredictedTime {
  std::string model;
  double mean_us = 0;
  double error = 0;  // of the model for this class in DRAM: 0.1 is 10 %
};

// One query set in one configuration. The percentiles are over all timed runs.
struct ComparedClass {
  std::string name;
  uint64_t queries = 0;
  uint64_t runs = 0;
  double qps = 0;
  double mean_us = 0;
  std::optional<double> ci95_us;  // the mean is within so much, with 95 % confidence
  double p50_us = 0;
  double p95_us = 0;
  double p99_us = 0;
  double max_us = 0;
  std::optional<double> cold_mean_us;
  std::optional<double> bytes_touched;  // of the index, mean of a query
  std::vector<PostingBucket> by_postings;
  std::vector<CounterValue> counters;
  ClassTouchCounts touches;
  std::optional<ModelCheck> model;
  std::optional<PredictedTime> predicted;
  std::vector<AnswerFingerprint> answers;  // indexed like the queries of the set
};

// From what the sizes of the scaling study follow.
struct ScaleBasis {
  uint64_t llc_bytes = 0;  // the last-level cache
  double index_bytes_per_text_byte = 1;
};

struct ComparedConfiguration {
  ConfigurationKey key;
  uint64_t documents = 0;
  uint64_t segments = 0;
  uint64_t postings = 0;
  uint64_t tokens = 0;
  uint64_t terms = 0;  // of all segments: one that is in two counts twice
  uint64_t bytes = 0;
  std::map<std::string, uint64_t> part_bytes;  // by IndexPartOf; they add up to `bytes`
  std::optional<double> bytes_per_posting;
  std::optional<double> build_s;  // absent if compare did not build the index
  double open_ms = 0;
  std::vector<ComparedClass> classes;
  std::vector<std::string> notes;  // what the reader must know of these numbers
};

struct SkippedPart {
  std::string what;
  std::string why;
};

// Two configurations answered a query differently.
struct AnswerDifference {
  std::string set;
  std::string query;
  std::string what;  // "hits" or "total"
  std::string one;   // names of the configurations
  std::string other;
};

struct CompareResult {
  std::vector<std::pair<std::string, std::string>> machine;
  std::vector<ComparedConfiguration> configurations;
  std::optional<AnswerDifference> difference;  // the first one; absent: all answers agree
  std::vector<SkippedPart> skipped;
  std::vector<std::string> notes;
  // Of other runs (--beside): the name of the file, and its configurations.
  std::vector<std::pair<std::string, std::vector<ComparedConfiguration>>> beside;
};

// "uncompressed /dev/shm pruned, 1 thread"; names scale and node only if they are not the default.
std::string NameOfConfiguration(const ConfigurationKey& key);

}  // namespace pmdex
