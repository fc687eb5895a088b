// The persistence domain of a simulated machine: one directory of files, of which a crash leaves
// what the protocol made durable and any part of what it did not. Stands behind pmem/directory.h as
// SimulatedDirectory; tests/README.md says what is explored with it.
//
//   SimulatedMedium medium({.mode = PersistenceMode::kAdr});
//   SimulatedDirectory directory(medium);
//   medium.set_observer([&] { Check(*medium.AfterPowerCut({.stores = Survival::kRandom})); });
//   ... the code under test writes to `directory`; the observer sees every crash point
//
// Names change in a journal that Sync (fsync of the directory) makes durable. Which part of an
// unsynced journal survives is said at DirectoryOrder.
//
// Belongs to one thread, so that a run can be repeated.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pmem/persister.h"
#include "pmem/status.h"
#include "tests/support/simulated_file.h"

namespace pmdex {

// kJournaled  Changes survive in their order, as in ext4 and XFS.
// kUnordered  Any of them survive, as far as POSIX is asked; but a change of a name survives only
//             with the changes that it was made on top of.
enum class DirectoryOrder { kJournaled, kUnordered };

struct MediumOptions {
  PersistenceMode mode = PersistenceMode::kAdr;
  DirectoryOrder order = DirectoryOrder::kJournaled;
};

// One of the ways in which a crash may end.
struct Settlement {
  Survival stores = Survival::kNothing;
  Survival names = Survival::kNothing;
  Survival metadata = Survival::kNothing;  // sizes of files that were not synced
  bool extents_lost = false;               // files that were never synced read as zeros
  uint64_t seed = 0;
};
std::string ToString(const Settlement& settlement);
std::string ToString(const MediumOptions& options);

class SimulatedMedium {
 public:
  explicit SimulatedMedium(MediumOptions options) : options_(options) {}
  SimulatedMedium& operator=(const SimulatedMedium&) = delete;

  const MediumOptions& options() const { return options_; }

  // Called before every operation that changes the medium: each is a point to crash at.
  void set_observer(std::function<void()> observer) { observer_ = std::move(observer); }
  // From this operation on (the first is 0) every operation fails and has no effect.
  void CutPowerAt(uint64_t operation) { power_cut_ = operation; }
  uint64_t operation_count() const { return operation_count_; }
  // The operation that was begun last, for messages.
  const std::string& operation() const { return operation_; }

  // What the next boot finds. The operation that is about to begin has not happened.
  std::unique_ptr<SimulatedMedium> AfterPowerCut(const Settlement& settlement) const;
  // What the next process finds when only this one is killed: everything visible stays visible, and
  // what was not durable still is not.
  std::unique_ptr<SimulatedMedium> AfterKill() const;

  std::vector<std::string> FileNames() const;  // sorted
  // Null when there is none.
  std::shared_ptr<SimulatedFile> Find(std::string_view name) const;
  // Of all visible names, sizes and bytes.
  uint64_t Digest() const;

  // The operations. False: the power is off.
  bool Create(std::string_view name, std::shared_ptr<SimulatedFile>* file);
  bool Resize(SimulatedFile& file, std::string_view name, uint64_t size_bytes);
  bool Store(SimulatedFile& file, std::string_view name, uint64_t offset,
             std::span<const std::byte> bytes, StoreKind kind);
  bool Flush(SimulatedFile& file, std::string_view name, uint64_t offset, uint64_t size_bytes);
  bool Drain(SimulatedFile& file, std::string_view name);
  bool SyncFile(SimulatedFile& file, std::string_view name);
  bool Rename(std::string_view from, std::string_view to);  // `from` exists
  bool Remove(std::string_view name);                       // it exists
  bool SyncNames();
  // Volatile. False: held.
  bool Lock(std::string_view name) { return locks_.emplace(name).second; }
  void Unlock(std::string_view name);

 private:
  using Names = std::map<std::string, std::shared_ptr<SimulatedFile>, std::less<>>;
  // from -> to; a create comes from nowhere, a remove leads nowhere.
  struct Change {
    std::string from;
    std::string to;
    std::shared_ptr<SimulatedFile> file;
  };

  SimulatedMedium(const SimulatedMedium&) = default;

  bool Begin(std::string_view verb, std::string_view name, bool system_call);
  static void Apply(const Change& change, Names& names);
  Names SurvivingNames(Survival survival, SeededRandom& random) const;
  std::vector<bool> SurvivingChanges(Survival survival, SeededRandom& random) const;

  MediumOptions options_;
  Names names_;                  // visible
  Names durable_names_;          // since the last Sync
  std::vector<Change> journal_;  // what happened since
  std::set<std::string, std::less<>> locks_;
  uint64_t store_sequence_ = 0;
  uint64_t first_unordered_store_ = 0;  // kEadr: cached stores before it are durable
  uint64_t operation_count_ = 0;
  uint64_t power_cut_ = UINT64_MAX;
  std::string operation_;
  std::function<void()> observer_;
};

}  // namespace pmdex
