#include "tests/support/crash_explorer.h"

#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/store/index_writer.h"
#include "engine/store/placement/place_mark.h"
#include "engine/store/snapshot.h"
#include "pmem/checksum.h"
#include "pmem/text.h"
#include "tests/support/simulated_directory.h"

namespace pmdex {
namespace {

constexpr std::string_view kLockName = "write.lock";
// Going on after a recovery costs as much as all the rest, and depends on little of what differs.
constexpr uint64_t kGoOnOneIn = 16;

constexpr Survival kNothing = Survival::kNothing;
constexpr Survival kEverything = Survival::kEverything;
constexpr Survival kOne = Survival::kOne;
constexpr Survival kAllButOne = Survival::kAllButOne;
constexpr Survival kRandom = Survival::kRandom;

// stores, names, metadata, extents lost
constexpr Settlement kSystematic[] = {
    {kNothing, kNothing, kNothing, true},        {kEverything, kEverything, kEverything, false},
    {kEverything, kNothing, kNothing, false},    {kNothing, kEverything, kEverything, false},
    {kOne, kEverything, kEverything, false},     {kAllButOne, kEverything, kEverything, false},
    {kEverything, kOne, kEverything, false},     {kEverything, kAllButOne, kEverything, false},
    {kEverything, kEverything, kNothing, false}, {kEverything, kEverything, kEverything, true},
    {kNothing, kAllButOne, kAllButOne, false},
};

bool AreSame(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

// Locks stay, and so does the mark of a place that a writer made and died before it listed it: the
// next writer that is given the place takes it up.
bool IsKept(std::string_view name) {
  const bool at_place = name.starts_with('/');
  if (at_place) name.remove_prefix(name.rfind('/') + 1);
  return name == kLockName ||
         (at_place && (name == kPlaceMarkName || name == kPlaceMarkTemporaryName));
}

absl::Status Named(std::string_view what, const absl::Status& status) {
  if (status.ok()) return status;
  return MakeStatus(status.code(), absl::StrCat(ToAbsl(what), ": ", ToAbsl(Message(status))));
}

}  // namespace

void CrashReport::Add(const CrashReport& other) {
  points += other.points;
  recovery_points += other.recovery_points;
  states += other.states;
  distinct_states += other.distinct_states;
  bad_states += other.bad_states;
  if (first_bad.empty()) first_bad = other.first_bad;
}

CrashExplorer::Allowed CrashExplorer::AllowedBy(const WorkloadProgress& progress) {
  return {progress.acknowledged, progress.acknowledged + (progress.publishing ? 1 : 0)};
}

uint64_t CrashExplorer::NextSeed() {
  const uint64_t parts[] = {options_.seed, seeds_drawn_++};
  return Xxh3(std::as_bytes(std::span(parts)));
}

std::vector<Settlement> CrashExplorer::Settlements() {
  std::vector<Settlement> settlements(std::begin(kSystematic), std::end(kSystematic));
  for (int i = 0; i < options_.random_settlements; ++i) {
    settlements.push_back({kRandom, kRandom, kRandom, i % 4 == 3});
  }
  for (Settlement& settlement : settlements) settlement.seed = NextSeed();
  return settlements;
}

CrashReport CrashExplorer::Explore() {
  SimulatedMedium medium(options_.medium);
  SimulatedDirectory directory(medium);
  MutantDirectory mutant(directory, options_.mutation);
  WorkloadProgress progress;
  std::vector<std::shared_ptr<const Snapshot>> snapshots;
  progress.on_acknowledged = [&] {
    const auto snapshot = Snapshot::Open(directory);
    if (snapshot.ok()) snapshots.push_back(*snapshot);
  };
  uint64_t operation = 0;
  medium.set_observer([&] {
    if (operation++ % options_.stride == 0 && !Enough()) CrashAt(medium, AllowedBy(progress));
  });
  const absl::Status run = workload_.Run(mutant, progress);
  if (!run.ok()) Report(medium, "no crash", run);
  if (!Enough()) CrashAt(medium, AllowedBy(progress));
  // A reader keeps its generation, whatever writers do meanwhile.
  for (size_t i = 0; i < snapshots.size(); ++i) {
    if (workload_.Answers(snapshots[i]) == workload_.generations()[i + 1].answers) continue;
    Report(medium, "no crash", DataLoss(absl::StrCat("snapshot ", i + 1, " changed")));
  }
  return report_;
}

CrashReport CrashExplorer::ExploreRuns() {
  for (uint64_t operation = 0, operations = 1; operation < operations && !Enough();
       operation += options_.stride) {
    SimulatedMedium medium(options_.medium);
    SimulatedDirectory directory(medium);
    MutantDirectory mutant(directory, options_.mutation);
    medium.CutPowerAt(operation);
    WorkloadProgress progress;
    const bool finished = workload_.Run(mutant, progress).ok();
    operations = finished ? operation : operation + options_.stride + 1;
    ++report_.points;
    for (const Survival survival : {kNothing, kEverything}) {
      const Settlement settlement{survival, survival, survival, false, NextSeed()};
      const auto image = medium.AfterPowerCut(settlement);
      ++report_.states;
      if (!IsNew(*image, AllowedBy(progress))) continue;
      const absl::Status bad = Recover(*image, AllowedBy(progress), /*killed=*/false);
      if (!bad.ok()) Report(medium, "power cut, " + ToString(settlement), bad);
    }
  }
  return report_;
}

void CrashExplorer::CrashAt(const SimulatedMedium& medium, Allowed allowed) {
  ++report_.points;
  for (const Settlement& settlement : Settlements()) {
    if (Enough()) return;
    const auto image = medium.AfterPowerCut(settlement);
    ++report_.states;
    if (!IsNew(*image, allowed)) continue;
    const absl::Status bad = Recover(*image, allowed, /*killed=*/false);
    if (!bad.ok()) Report(medium, "power cut, " + ToString(settlement), bad);
  }
  // Never taken for known: what is visible says nothing about what is durable.
  const auto image = medium.AfterKill();
  ++report_.states;
  IsNew(*image, allowed);
  const absl::Status bad = Recover(*image, allowed, /*killed=*/true);
  if (!bad.ok()) Report(medium, "process killed", bad);
}

bool CrashExplorer::IsNew(const SimulatedMedium& image, Allowed allowed) {
  const uint64_t parts[] = {image.Digest(), allowed.first, allowed.last};
  const uint64_t key = Xxh3(std::as_bytes(std::span(parts)));
  if (!seen_.insert(key).second) return false;
  const bool counted =
      options_.distinct_states != nullptr && !options_.distinct_states->insert(key).second;
  if (!counted) ++report_.distinct_states;
  return true;
}

void CrashExplorer::Report(const SimulatedMedium& medium, const std::string& how,
                           const absl::Status& bad) {
  if (report_.bad_states++ > 0) return;
  report_.first_bad = absl::StrCat("seed ", options_.seed, ", ", ToString(options_.medium),
                                   ", mutation ", ToAbsl(ToString(options_.mutation)),
                                   ", before operation ", medium.operation_count(), " (",
                                   medium.operation(), "), ", how, ": ", ToAbsl(Message(bad)));
}

absl::Status CrashExplorer::Recover(SimulatedMedium& image, Allowed allowed, bool killed) {
  PMDEX_ASSIGN_OR_RETURN(const uint64_t generation, CheckReader(image, allowed));
  // What a power cut left is durable: no later crash may go back behind it.
  const Allowed later = killed ? allowed : Allowed{generation, generation};
  absl::Status crashed_again;
  image.set_observer([&] {
    ++report_.recovery_points;
    if (crashed_again.ok()) crashed_again = CrashAgain(image, later);
  });
  const absl::Status recovered = RecoverOnce(image, generation);
  image.set_observer(nullptr);
  PMDEX_RETURN_IF_ERROR(recovered);
  PMDEX_RETURN_IF_ERROR(Named("crash during recovery", crashed_again));
  // A writer goes on from what it found, so that must be durable by now.
  PMDEX_RETURN_IF_ERROR(Named("crash after recovery", CrashAgain(image, {generation, generation})));
  const uint64_t digest = image.Digest();
  const KnownStates::Recovery second = RecoverUnlessKnown(image, generation);
  PMDEX_RETURN_IF_ERROR(Named("second recovery", second.status));
  if (second.digest != digest) return DataLoss("the second recovery changed something");
  if (!killed && seen_.size() % kGoOnOneIn != 0) return absl::OkStatus();
  return Named("going on", CheckGoingOn(image, generation));
}

KnownStates::Recovery CrashExplorer::RecoverUnlessKnown(SimulatedMedium& image,
                                                        uint64_t generation) {
  const uint64_t parts[] = {image.Digest(), generation};
  const auto [known, is_new] = known_.recoveries.try_emplace(Xxh3(std::as_bytes(std::span(parts))));
  if (is_new) {
    known->second.status = RecoverOnce(image, generation);
    known->second.digest = image.Digest();
  }
  return known->second;
}

absl::Status CrashExplorer::RecoverOnce(SimulatedMedium& image, uint64_t generation) {
  SimulatedDirectory directory(image);
  const OpenMode mode = generation == 0 ? OpenMode::kCreate : OpenMode::kAppend;
  const auto writer = IndexWriter::Open(directory, mode, workload_.settings());
  if (!writer.ok()) return Named("writer", writer.status());
  const uint64_t found = (*writer)->published().generation;
  if (found != generation) {
    return DataLoss(
        absl::StrCat("the writer found generation ", found, ", the reader before it ", generation));
  }
  return CheckFiles(image, generation, /*no_others=*/true);
}

absl::Status CrashExplorer::CrashAgain(const SimulatedMedium& image, Allowed allowed) {
  for (Settlement settlement :
       {Settlement{kNothing, kNothing, kNothing, true},
        Settlement{kEverything, kEverything, kEverything, false},
        Settlement{kAllButOne, kAllButOne, kEverything, false},
        Settlement{kRandom, kOne, kRandom, false}, Settlement{kRandom, kRandom, kRandom, true}}) {
    settlement.seed = NextSeed();
    const auto again = image.AfterPowerCut(settlement);
    ++report_.states;
    if (!IsNew(*again, allowed)) continue;
    PMDEX_ASSIGN_OR_RETURN(const uint64_t generation, CheckReader(*again, allowed));
    PMDEX_RETURN_IF_ERROR(RecoverUnlessKnown(*again, generation).status);
  }
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> CrashExplorer::CheckReader(SimulatedMedium& image, Allowed allowed) {
  const auto [known, is_new] = known_.readings.try_emplace(image.Digest());
  if (is_new) known->second = Read(image);
  const KnownStates::Reading& reading = known->second;
  PMDEX_RETURN_IF_ERROR(Named("reader", reading.opened));
  if (reading.generation < allowed.first || reading.generation > allowed.last) {
    return DataLoss(absl::StrCat("the reader found generation ", reading.generation, ", expected ",
                                 allowed.first, " to ", allowed.last));
  }
  PMDEX_RETURN_IF_ERROR(reading.intact);
  return reading.generation;
}

KnownStates::Reading CrashExplorer::Read(SimulatedMedium& image) {
  const SimulatedDirectory directory(image);
  const auto snapshot = Snapshot::Open(directory);
  if (absl::IsNotFound(snapshot.status())) return {};
  if (!snapshot.ok()) return {snapshot.status(), 0, absl::OkStatus()};
  const uint64_t generation = (*snapshot)->manifest().generation;
  const auto intact = [&]() -> absl::Status {
    if (generation >= workload_.generations().size())
      return DataLoss("nobody wrote the generation");
    if (!(*snapshot)->passed_over().empty()) {
      return Named("passed over", (*snapshot)->passed_over().front());
    }
    PMDEX_RETURN_IF_ERROR(CheckFiles(image, generation, /*no_others=*/false));
    if (!HasAnswers(*snapshot, generation)) {
      return DataLoss(absl::StrCat("answers of generation ", generation, " changed"));
    }
    return absl::OkStatus();
  };
  return {absl::OkStatus(), generation, intact()};
}

bool CrashExplorer::HasAnswers(const std::shared_ptr<const Snapshot>& snapshot,
                               uint64_t generation) {
  // All that an answer depends on, beside the manifest, whose bytes were compared.
  const std::string live_ids = StoreWorkload::LiveIds(*snapshot);
  std::vector<uint64_t> parts = {generation, Xxh3(std::as_bytes(std::span(live_ids)))};
  for (const auto& segment : snapshot->segments()) parts.push_back(Xxh3(segment->view().bytes()));
  const auto [known, is_new] =
      known_.has_answers.try_emplace(Xxh3(std::as_bytes(std::span(parts))));
  if (is_new) {
    known->second = workload_.Answers(snapshot) == workload_.generations()[generation].answers;
  }
  return known->second;
}

absl::Status CrashExplorer::CheckFiles(const SimulatedMedium& image, uint64_t generation,
                                       bool no_others) const {
  const auto& expected = workload_.generations()[generation].files;
  for (const auto& [name, bytes] : expected) {
    const auto file = image.Find(name);
    if (file == nullptr) return DataLoss(name + " is missing");
    if (!AreSame(file->View()->bytes(), bytes)) return DataLoss(name + " changed");
  }
  if (!no_others) return absl::OkStatus();
  for (const std::string& name : image.FileNames()) {
    if (!expected.contains(name) && !IsKept(name)) {
      return DataLoss(name + " is listed nowhere, and still there");
    }
  }
  return absl::OkStatus();
}

absl::Status CrashExplorer::CheckGoingOn(SimulatedMedium& image, uint64_t generation) const {
  SimulatedDirectory directory(image);
  PMDEX_RETURN_IF_ERROR(workload_.GoOn(directory, generation));
  const auto next = image.AfterPowerCut({});
  const SimulatedDirectory next_directory(*next);
  PMDEX_ASSIGN_OR_RETURN(const auto snapshot, Snapshot::Open(next_directory));
  const auto& before = workload_.generations()[generation].files;
  const size_t segments = workload_.generations()[generation].visible_segments;
  if (snapshot->manifest().generation != generation + 1 ||
      snapshot->segments().size() != segments + 1) {
    return DataLoss("one segment more is not one generation more");
  }
  for (size_t i = 0; i < segments; ++i) {
    const auto bytes = snapshot->segments()[i]->view().bytes();
    const std::string place(snapshot->place(i));
    const std::string name =
        absl::StrCat(place, place.empty() ? "" : "/", snapshot->segments()[i]->file_name());
    if (!before.contains(name) || !AreSame(before.at(name), bytes)) {
      return DataLoss(name + " changed");
    }
  }
  return absl::OkStatus();
}

}  // namespace pmdex
