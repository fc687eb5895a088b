// Explores what a StoreWorkload leaves when it crashes. It crashes the workload before every
// operation. For each crash it makes many of the states that the medium may then have, recovers
// from each state as the next process would, and checks:
//
//   A reader finds the expected bytes and answers of the last acknowledged generation, or of the
//     next one if its Publish was running.
//   A writer finds the same generation and removes all files that it does not list.
//   What was found survives any later crash, also a crash during recovery.
//   A second recovery changes nothing, and the workload can go on.
//
// The same seed gives the same exploration. Belongs to one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

#include "engine/store/snapshot.h"
#include "pmem/status.h"
#include "tests/support/protocol_mutant.h"
#include "tests/support/simulated_medium.h"
#include "tests/support/store_workload.h"

namespace pmdex {

// What was found in states that were explored before, so that the same bytes are read and recovered
// once. Readers and writers know nothing but the visible bytes. Explorers of the same workload may
// share it, whatever their media.
struct KnownStates {
  struct Reading {
    absl::Status opened;
    uint64_t generation = 0;
    absl::Status intact;  // what is wrong with the files or the answers of that generation
  };
  struct Recovery {
    absl::Status status;
    uint64_t digest = 0;  // of the files after it
  };
  // Keyed by the generation, the live documents and the bytes of the segments in a snapshot. False
  // if the answers are not those of the generation.
  absl::flat_hash_map<uint64_t, bool> has_answers;
  absl::flat_hash_map<uint64_t, Reading> readings;     // keyed by SimulatedMedium::Digest
  absl::flat_hash_map<uint64_t, Recovery> recoveries;  // keyed by that and the generation expected
};

struct CrashExplorerOptions {
  MediumOptions medium;
  ProtocolMutation mutation = ProtocolMutation::kNone;
  uint64_t seed = 1;
  int random_settlements = 4;  // for each crash point, in addition to the systematic ones
  bool stop_at_first = false;
  uint64_t stride = 1;  // it crashes before every so many-th operation
  // The states that were counted as distinct before, also by other explorers; may be nullptr.
  absl::flat_hash_set<uint64_t>* distinct_states = nullptr;
  KnownStates* known_states = nullptr;  // may be nullptr: the explorer then keeps its own
};

struct CrashReport {
  uint64_t points = 0;           // operations before which it crashed
  uint64_t recovery_points = 0;  // the same during recoveries
  uint64_t states = 0;           // states of the medium after all these crashes
  uint64_t distinct_states =
      0;  // with different bytes, or that must recover to different generations
  uint64_t bad_states = 0;
  std::string first_bad;  // what was wrong first, and how to repeat it

  void Add(const CrashReport& other);
};

class CrashExplorer {
 public:
  CrashExplorer(const StoreWorkload& workload, CrashExplorerOptions options)
      : workload_(workload),
        options_(options),
        known_(options.known_states == nullptr ? own_known_ : *options.known_states) {}

  CrashReport Explore();
  // Runs the workload once for each operation and cuts the power at that operation, so that the
  // program meets errors. Checks that it acknowledges nothing after that.
  CrashReport ExploreRuns();

 private:
  // The generations that recovery may find.
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

  // killed: only the process died, so the bytes of the image need not be durable.
  absl::Status Recover(SimulatedMedium& image, Allowed allowed, bool killed);
  // Checks what a writer finds, without further crashes.
  absl::Status RecoverOnce(SimulatedMedium& image, uint64_t generation);
  // The same. Leaves the image as it is if the result is known.
  KnownStates::Recovery RecoverUnlessKnown(SimulatedMedium& image, uint64_t generation);
  absl::Status CrashAgain(const SimulatedMedium& image, Allowed allowed);
  absl::StatusOr<uint64_t> CheckReader(SimulatedMedium& image, Allowed allowed);
  KnownStates::Reading Read(SimulatedMedium& image);
  bool HasAnswers(const std::shared_ptr<const Snapshot>& snapshot, uint64_t generation);
  absl::Status CheckFiles(const SimulatedMedium& image, uint64_t generation, bool no_others) const;
  absl::Status CheckGoingOn(SimulatedMedium& image, uint64_t generation) const;

  const StoreWorkload& workload_;
  const CrashExplorerOptions options_;
  CrashReport report_;
  uint64_t seeds_drawn_ = 0;
  absl::flat_hash_set<uint64_t> seen_;
  KnownStates own_known_;
  KnownStates& known_;
};

}  // namespace pmdex
