// The result of `pmdex compare` as JSON: for --json, report.json, --beside, and the state that
// --resume reads. Thread-safe: no state.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pmem/status.h"
#include "tools/compare/compare_result.h"
#include "tools/compare/query_sets.h"

namespace pmdex {

// One document on one line. docs/COMPARING.md describes the keys.
std::string CompareToJson(const CompareResult& result);

// The configurations of a document that CompareToJson made, here or on another machine. `path` is
// for messages. Returns kInvalidArgument if the text is no such document.
absl::StatusOr<std::vector<ComparedConfiguration>> ConfigurationsFromJson(const std::string& text,
                                                                          const std::string& path);

// A scale of the scaling study that is measured, and whose indexes are removed again.
struct FinishedScale {
  uint64_t scale = 0;
  std::string note;  // on its text
  std::vector<SkippedPart> skipped;
};

// What an unfinished run has done. In its JSON, configurations have the fingerprints of their
// answers.
struct CompareState {
  std::string request;  // what the run is of; another request cannot go on with this state
  std::vector<QuerySet> sets;
  // The indexes that are made, by their place, with the seconds that the build took.
  std::vector<std::pair<std::string, std::optional<double>>> made;
  std::vector<ComparedConfiguration> finished;
  std::optional<ScaleBasis> scale_basis;
  std::vector<FinishedScale> finished_scales;
};

std::string StateToJson(const CompareState& state);
absl::StatusOr<CompareState> StateFromJson(const std::string& text, const std::string& path);

}  // namespace pmdex
