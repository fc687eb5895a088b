// Simulates the persistent storage of a machine: directories of files. A crash leaves all that was
// made durable and any part of the rest. SimulatedDirectory is its Directory. tests/README.md says
// which crashes the tests explore. The directory of a file is what its name has up to the last
// slash; each directory is on a file system of its own.
//
//   SimulatedMedium medium({.mode = PersistenceMode::kAdr});
//   SimulatedDirectory directory(medium);
//   medium.set_observer([&] { Check(*medium.AfterPowerCut({.stores = Survival::kRandom})); });
//   ... the code under test writes to `directory`; the observer sees every crash point
//
// Changes of names are recorded in a journal, which Sync (fsync of the directory) makes durable.
// DirectoryOrder says which changes survive without Sync.
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

// kJournaled  The first changes of the journal survive, as in ext4 and XFS.
// kUnordered  Any of the changes survive, as POSIX allows. A change of a name survives only
// together
//             with the earlier changes of that name.
enum class DirectoryOrder { kJournaled, kUnordered };

struct MediumOptions {
  PersistenceMode mode = PersistenceMode::kAdr;
  DirectoryOrder order = DirectoryOrder::kJournaled;
};

// What survives one crash.
struct Settlement {
  Survival stores = Survival::kNothing;
  Survival names = Survival::kNothing;
  Survival metadata = Survival::kNothing;  // the sizes of files that were not synced
  bool extents_lost = false;               // blocks of files that were never synced read as zeros
  uint64_t seed = 0;
};
std::string ToString(const Settlement& settlement);
std::string ToString(const MediumOptions& options);

// The name up to its last slash, with the slash. Empty if it has none.
std::string_view DirectoryOfName(std::string_view name);

class SimulatedMedium {
 public:
  explicit SimulatedMedium(MediumOptions options) : options_(options) {}
  SimulatedMedium& operator=(const SimulatedMedium&) = delete;

  const MediumOptions& options() const { return options_; }

  // Sets a function that is called before each operation that changes the medium.
  void set_observer(std::function<void()> observer) { observer_ = std::move(observer); }
  // Makes all operations from this one on fail without effect. The first operation is 0.
  void CutPowerAt(uint64_t operation) { power_cut_ = operation; }
  uint64_t operation_count() const { return operation_count_; }
  // The last operation that was begun, for messages.
  const std::string& operation() const { return operation_; }

  // The medium after a power cut. An operation before which the observer is called has not
  // happened.
  std::unique_ptr<SimulatedMedium> AfterPowerCut(const Settlement& settlement) const;
  // The medium after the process was killed. All visible bytes stay visible, and what was not
  // durable is still not durable.
  std::unique_ptr<SimulatedMedium> AfterKill() const;

  std::vector<std::string> FileNames() const;  // sorted
  // nullptr if there is no such file.
  std::shared_ptr<SimulatedFile> Find(std::string_view name) const;
  // A hash of all visible names, sizes and bytes.
  uint64_t Digest() const;

  // The operations return false if the power was cut.
  bool Create(std::string_view name, std::shared_ptr<SimulatedFile>* file);
  bool Resize(SimulatedFile& file, std::string_view name, uint64_t size_bytes);
  bool Store(SimulatedFile& file, std::string_view name, uint64_t offset,
             std::span<const std::byte> bytes, StoreKind kind);
  bool Flush(SimulatedFile& file, std::string_view name, uint64_t offset, uint64_t size_bytes);
  bool Drain(SimulatedFile& file, std::string_view name);
  bool SyncFile(SimulatedFile& file, std::string_view name);
  bool Rename(std::string_view from, std::string_view to);  // requires that `from` exists
  bool Remove(std::string_view name);                       // requires that it exists
  // directory: as DirectoryOfName returns it.
  bool SyncNames(std::string_view directory = "");
  // The lock is not durable. Returns false if it is held.
  bool Lock(std::string_view name) { return locks_.emplace(name).second; }
  void Unlock(std::string_view name);

 private:
  using Names = std::map<std::string, std::shared_ptr<SimulatedFile>, std::less<>>;
  // A rename. `from` is empty for a new file, and `to` for a removed one.
  struct Change {
    std::string from;
    std::string to;
    std::shared_ptr<SimulatedFile> file;

    std::string_view directory() const { return DirectoryOfName(to.empty() ? from : to); }
  };

  SimulatedMedium(const SimulatedMedium&) = default;

  bool Begin(std::string_view verb, std::string_view name, bool system_call);
  static void Apply(const Change& change, Names& names);
  Names SurvivingNames(Survival survival, SeededRandom& random) const;
  std::vector<bool> SurvivingChanges(Survival survival, SeededRandom& random) const;

  MediumOptions options_;
  Names names_;                  // the visible names
  Names durable_names_;          // the names at the last Sync of their directories
  std::vector<Change> journal_;  // the changes since then
  std::set<std::string, std::less<>> locks_;
  uint64_t store_sequence_ = 0;
  uint64_t first_unordered_store_ = 0;  // with kEadr: cached stores before it are durable
  uint64_t operation_count_ = 0;
  uint64_t power_cut_ = UINT64_MAX;
  std::string operation_;
  std::function<void()> observer_;
};

}  // namespace pmdex
