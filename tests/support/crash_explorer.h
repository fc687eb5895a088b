// Crashes a StoreWorkload at every operation and settles each crash in many ways, recovers from
// what is left as the next process would, and compares with what the workload expects:
//
//   a reader finds the last acknowledged generation, or the next one if its Publish was running,
//   whole, byte by byte and answer by answer; a writer finds the same one and keeps nothing that it
//   does not list; what it found survives any later crash; recovering again changes nothing;
//   recovery itself may crash anywhere; going on works.
//
// One seed repeats one exploration. Belongs to one thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"

#include "pmem/status.h"
#include "tests/support/protocol_mutant.h"
#include "tests/support/simulated_medium.h"
#include "tests/support/store_workload.h"

namespace pmdex {

struct CrashExplorerOptions {
  MediumOptions medium;
  ProtocolMutation mutation = ProtocolMutation::kNone;
  uint64_t seed = 1;
  int random_settlements = 4;  // a crash point, beside the systematic ones
  bool stop_at_first = false;
  // States that were counted as distinct before, here or by other explorers; may be null.
  absl::flat_hash_set<uint64_t>* distinct_states = nullptr;
};

struct CrashReport {
  uint64_t points = 0;           // operations that a crash was put before
  uint64_t recovery_points = 0;  // the same during recoveries
  uint64_t states = 0;           // settlements of all these
  uint64_t distinct_states = 0;  // different in bytes or in what they must recover to
  uint64_t bad_states = 0;
  std::string first_bad;  // what was wrong, and how to get there again

  void Add(const CrashReport& other);
};

class CrashExplorer {
 public:
  CrashExplorer(const StoreWorkload& workload, CrashExplorerOptions options)
      : workload_(workload), options_(options) {}

  CrashReport Explore();
  // Runs the workload with the power cut at each operation in turn, so that the program meets
  // errors, and checks that it acknowledges nothing from then on. Slower: a run a point.
  CrashReport ExploreRuns();

 private:
  // Generations that may be there.
  struct Allowed {
    uint64_t first = 0;
    uint64_t last = 0;
  };

  static Allowed AllowedBy(const WorkloadProgress& progress);
  bool Enough() const { return options_.stop_at_first && report_.bad_states > 0; }
  uint64_t NextSeed();
  std::vector<Settlement> Settlements();
  void CrashAt(const SimulatedMedium& medium, Allowed allowed);
  bool IsNew(const SimulatedMedium& image, Allowed allowed);
  void Report(const SimulatedMedium& medium, const std::string& how, const absl::Status& bad);

  // `killed`: only the process died; what the image shows is not all durable.
  absl::Status Recover(SimulatedMedium& image, Allowed allowed, bool killed);
  // The writer's half of it, without further crashes.
  absl::Status RecoverOnce(SimulatedMedium& image, uint64_t generation);
  absl::Status CrashAgain(const SimulatedMedium& image, Allowed allowed);
  absl::StatusOr<uint64_t> CheckReader(SimulatedMedium& image, Allowed allowed) const;
  absl::Status CheckFiles(const SimulatedMedium& image, uint64_t generation, bool no_others) const;
  absl::Status CheckGoingOn(SimulatedMedium& image, uint64_t generation) const;

  const StoreWorkload& workload_;
  const CrashExplorerOptions options_;
  CrashReport report_;
  uint64_t seeds_drawn_ = 0;
  absl::flat_hash_set<uint64_t> seen_;
};

}  // namespace pmdex
