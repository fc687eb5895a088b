// A history of one store for crash tests: writers that create, append, give up, overwrite,
// checkpoint a build and take one up, over small random documents, and what each generation must
// look like, byte by byte and answer by answer. The start of a build and its checkpoints are
// generations too: readers see the same answers, and recovery keeps what is pending. The same seed
// gives the same history. A new kind of writer is a new step.
//
// The inputs are read by one Run at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/store/index_writer.h"
#include "engine/store/snapshot.h"
#include "pmem/directory.h"
#include "pmem/status.h"
#include "tests/support/vector_segment_input.h"

namespace pmdex {

struct ExpectedGeneration {
  std::map<std::string, std::vector<std::byte>> files;  // the manifest and what it lists
  size_t visible_segments = 0;                          // the others are pending
  std::vector<std::string> answers;                     // one a query
};

// How far a run has come: what a crash at this moment may show.
struct WorkloadProgress {
  uint64_t acknowledged = 0;  // the last generation that was reported as durable
  bool publishing = false;    // the next one may be there
  std::function<void()> on_acknowledged = [] {};
};

class StoreWorkload {
 public:
  explicit StoreWorkload(uint64_t seed);

  // Returns the first error.
  absl::Status Run(Directory& directory, WorkloadProgress& progress) const;
  // Appends one more segment to whatever generation is there, or creates the store.
  absl::Status GoOn(Directory& directory, uint64_t generation) const;

  // By generation; number 0 is a directory without an index.
  const std::vector<ExpectedGeneration>& generations() const { return generations_; }
  std::vector<std::string> Answers(std::shared_ptr<const Snapshot> snapshot) const;
  IndexSettings settings() const { return {AnalyzerKind::kWhitespace, true, true}; }

 private:
  using Inputs = std::vector<std::unique_ptr<VectorSegmentInput>>;
  enum class Build { kNone, kStart, kResume };
  struct Step {
    OpenMode mode;
    Build build = Build::kNone;
    std::vector<Inputs> checkpoints;  // of a build, before it is published
    bool starts_anew = false;         // behind the checkpoints, which are dropped
    std::vector<Inputs> publishes;
    Inputs given_up;  // written after the last publish, and never published
  };

  absl::StatusOr<std::unique_ptr<IndexWriter>> OpenWriter(const Step& step,
                                                          Directory& directory) const;
  absl::Status RunStep(const Step& step, Directory& directory, WorkloadProgress& progress) const;
  absl::StatusOr<ExpectedGeneration> Describe(const Directory& directory) const;

  std::vector<Step> steps_;
  std::unique_ptr<VectorSegmentInput> one_more_;
  std::vector<std::string> queries_;
  std::vector<ExpectedGeneration> generations_;
};

}  // namespace pmdex
