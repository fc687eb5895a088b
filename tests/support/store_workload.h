// A sequence of writers of one index for crash tests. They create, append, give up, overwrite,
// checkpoint a build and resume one, publish one in parts, delete documents, spread segments over
// places, move them between places and merge them, keep known files as `pmdex watch` does, or are
// live indexes, with small random documents. For each generation it has the expected files and
// answers. The start of a build and each checkpoint are generations, too, in which readers see the
// old answers, unless it publishes a part, and recovery keeps the pending segments. The same seed
// gives the same sequence. To test a new kind of writer, add a step.
//
// Only one Run may read the inputs at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/store/index_writer.h"
#include "engine/store/known_files/known_files.h"
#include "engine/store/snapshot.h"
#include "pmem/directory.h"
#include "pmem/status.h"
#include "tests/support/vector_segment_input.h"

namespace pmdex {

struct ExpectedGeneration {
  // The manifest and the files that it lists. The names of files at a place begin with its path.
  std::map<std::string, std::vector<std::byte>> files;
  size_t visible_segments = 0;       // the other segments are pending
  std::vector<std::string> answers;  // one for each query, and the ids of all live documents
};

// How far a run has come, which says what a crash may leave.
struct WorkloadProgress {
  uint64_t acknowledged = 0;  // the last generation that was reported as durable
  bool publishing = false;    // the next generation may be there, too
  std::function<void()> on_acknowledged = [] {};
};

class StoreWorkload {
 public:
  explicit StoreWorkload(uint64_t seed);

  // Returns the first error.
  absl::Status Run(Directory& directory, WorkloadProgress& progress) const;
  // Appends one segment to the newest generation, or creates an index with it.
  absl::Status GoOn(Directory& directory, uint64_t generation) const;

  // Indexed by generation; generation 0 is a directory without an index.
  const std::vector<ExpectedGeneration>& generations() const { return generations_; }
  std::vector<std::string> Answers(std::shared_ptr<const Snapshot> snapshot) const;
  // The ids of all live documents, in index order.
  static std::string LiveIds(const Snapshot& snapshot);
  IndexSettings settings() const { return {AnalyzerKind::kWhitespace, true, true}; }

 private:
  using Inputs = std::vector<std::unique_ptr<VectorSegmentInput>>;
  enum class Build { kNone, kStart, kResume };
  struct Step {
    OpenMode mode;
    Build build = Build::kNone;
    std::vector<Inputs> checkpoints;  // of a build, before it is published
    bool publishes_parts = false;     // each checkpoint makes its segments visible
    // Each part also deletes, as deletes_rest says of a Publish.
    std::optional<uint32_t> part_deletes_rest = std::nullopt;
    bool starts_anew = false;             // the build is begun anew after the checkpoints
    std::vector<std::string> places;      // given to UsePlaces unless it is empty
    TierChoice tier = TierChoice::kAuto;  // with places
    std::vector<Inputs> publishes;
    // Each Publish above also deletes: of each segment that it keeps or makes visible the documents
    // whose docid leaves this rest when divided by 3, and the whole segments with these ids.
    std::optional<uint32_t> deletes_rest = std::nullopt;
    std::vector<uint64_t> deletes_segments;
    // Then each visible segment moves to its next place, with one Publish for all.
    bool moves_segments = false;
    // Then the visible segments are merged, two at a time, with a Publish for each merge; an
    // unfinished build stays.
    bool merges_segments = false;
    // Then copies of the visible uncompressed segments are written and published, and then each
    // segment that has a copy is written anew from it, with one Publish for all.
    bool copies_segments = false;
    bool rebuilds_segments = false;
    // Each Publish also writes known files: some more, and some fewer. Then some are written that
    // are never published.
    bool writes_known_files = false;
    bool writes_live = false;  // a LiveIndex is the writer, and what is above does not matter
    Inputs given_up;           // written after the last Publish, and never published
  };

  absl::StatusOr<std::unique_ptr<IndexWriter>> OpenWriter(const Step& step,
                                                          Directory& directory) const;
  absl::Status RunStep(const Step& step, Directory& directory, WorkloadProgress& progress) const;
  absl::Status RunPublishes(const Step& step, Directory& directory, IndexWriter& writer,
                            WorkloadProgress& progress) const;
  // Counts a generation that `publish` makes durable.
  static absl::Status Acknowledge(const std::function<absl::Status()>& publish,
                                  WorkloadProgress& progress);
  static absl::Status RunLive(Directory& directory, WorkloadProgress& progress);
  // What `known` has after so many changes. Gives the writer the property that lists the files.
  static absl::Status WriteSomeKnownFiles(int changes, Directory& directory, IndexWriter& writer,
                                          KnownFiles& known);
  static absl::Status MoveSegments(IndexWriter& writer);
  static absl::Status RebuildSegments(IndexWriter& writer);
  static absl::Status MergeTwo(IndexWriter& writer);
  static absl::Status DeleteDocuments(std::optional<uint32_t> rest,
                                      std::span<const uint64_t> whole_segments,
                                      IndexWriter& writer);
  absl::StatusOr<ExpectedGeneration> Describe(const Directory& directory) const;

  std::vector<Step> steps_;
  std::unique_ptr<VectorSegmentInput> one_more_;
  std::vector<std::string> queries_;
  std::vector<ExpectedGeneration> generations_;
};

}  // namespace pmdex
