// Keeps what a run of `pmdex compare` has done, in a file below --out, so that --resume goes on
// from there. The file is replaced whole after every index and every configuration. For one thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pmem/status.h"
#include "tools/compare/compare_json.h"
#include "tools/compare/compare_options.h"

namespace pmdex {

// The name of the file below --out.
inline constexpr char kCompareStateFile[] = "compare-state.json";

// What a run is of, as one text. Two runs with equal texts measure the same.
std::string DescribeRequest(const CompareOptions& options);

class CompareStateFile {
 public:
  // Reads the state if options.resume is set and there is one. Returns kFailedPrecondition if it
  // belongs to another request. Without options.out nothing is ever written.
  static absl::StatusOr<CompareStateFile> Open(const CompareOptions& options);

  const CompareState& state() const { return state_; }

  absl::Status SetSets(std::vector<QuerySet> sets);
  // An index is made. build_s: as MadeIndex has it.
  absl::Status AddMade(const std::string& place, std::optional<double> build_s);
  absl::Status AddFinished(ComparedConfiguration configuration);
  absl::Status SetScaleBasis(const ScaleBasis& basis);
  absl::Status AddFinishedScale(FinishedScale scale);
  // Removes the file: the run is complete.
  void Remove() const;

  // Whether the index is made, and the finished configuration with the key, or nullptr.
  bool IsMade(const std::string& place) const;
  std::optional<double> BuildSecondsOf(const std::string& place) const;
  const ComparedConfiguration* Finished(const ConfigurationKey& key) const;
  const FinishedScale* FinishedScaleOf(uint64_t scale) const;

 private:
  absl::Status Save() const;

  std::string out_;
  CompareState state_;
};

}  // namespace pmdex
