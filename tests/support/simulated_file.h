// One file of a SimulatedMedium. It has the bytes that all processes see, and the bytes that are
// durable. The medium persists units: lines of 64 bytes, or pages of 4 KiB behind a page cache. For
// each unit the file has the versions that the unit had since it was last durable. A crash may
// leave any of these versions; AfterCrash chooses among them. PersistenceMode says which choices
// are possible.
//
// Belongs to one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tests/support/memory_file.h"
#include "tests/support/random_corpus.h"

namespace pmdex {

// kAdr   Stores of 8 bytes. Stores to the same line of 64 bytes persist in program order, stores to
//        different lines in any order, because caches may evict a line at any time. A store that
//        was flushed, or that went past the caches, is durable once Drain has returned.
// kEadr  Cached stores persist in program order, and before any later system call of the program.
//        Stores past the caches persist as with kAdr, because write-combining buffers are no cache.
// kPage  As kAdr with pages of 4 KiB, because the kernel writes pages back in any order.
//
// fsync makes size and allocation durable. It writes data back only with kPage. Linux also does so
// on DAX, but a protocol that relied on it would flush everything twice. The tests therefore show
// that the drains of the protocol are sufficient.
enum class PersistenceMode { kAdr, kEadr, kPage };

enum class StoreKind { kCached, kNonTemporal };

// How much survives a crash of what is not durable.
enum class Survival { kNothing, kEverything, kOne, kAllButOne, kRandom };

// Applies a Survival to a number of units, each of which has several versions.
class SurvivalDealer {
 public:
  SurvivalDealer(Survival survival, size_t candidates, SeededRandom& random);
  // The number of versions of the next unit that survive.
  size_t Next(size_t versions);

 private:
  const Survival survival_;
  SeededRandom& random_;
  size_t until_odd_one_;  // the units before the one that is treated differently
};

class SimulatedFile {
 public:
  // An empty file of which nothing is durable.
  explicit SimulatedFile(PersistenceMode mode);
  // A durable file of `bytes` and zeros up to size_bytes.
  SimulatedFile(PersistenceMode mode, std::vector<std::byte> bytes, uint64_t size_bytes);

  uint64_t size_bytes() const { return sizes_.back(); }
  // The bytes that processes see. All callers share them once the file is durable.
  std::shared_ptr<const MemoryFile> View() const;
  // True if nothing of the file can be lost. Media share such files, which never change again.
  bool durable() const { return synced_ && units_.empty() && sizes_.size() == 1; }
  // A hash of the visible bytes and the size.
  uint64_t Digest() const;

  // Allocates or truncates the file.
  void Resize(uint64_t size_bytes);
  // Each store gets the next number from `sequence`, in program order.
  void Store(uint64_t offset, std::span<const std::byte> bytes, StoreKind kind, uint64_t& sequence);
  void Flush(uint64_t offset, uint64_t size_bytes);
  void Drain();
  void Sync();
  // With kEadr: makes all cached stores durable.
  void PersistCached();

  // How many units and sizes are not durable.
  size_t pending_units() const { return units_.size(); }
  // With kEadr: cached stores with this number or a greater one are lost.
  struct CrashChoice {
    SurvivalDealer& stores;
    SurvivalDealer& metadata;
    uint64_t first_lost_cached;
    bool extents_lost;  // blocks of a file that was never synced read as zeros
  };
  std::shared_ptr<SimulatedFile> AfterCrash(CrashChoice choice) const;

 private:
  // Up to 8 bytes that persist together.
  struct Version {
    uint64_t sequence;
    std::array<std::byte, 8> bytes;
    uint16_t begin;  // an offset in the unit
    uint8_t size_bytes;
    bool cached;
  };
  struct Unit {
    std::vector<Version> versions;
    size_t flushed = 0;  // the versions that Drain makes durable
  };

  uint64_t unit_bytes() const { return mode_ == PersistenceMode::kPage ? 4096 : 64; }
  void Append(uint64_t offset, std::span<const std::byte> word, StoreKind kind, uint64_t sequence);
  // Applies the first `count` versions of the unit to `bytes`.
  void Apply(uint64_t unit, std::span<const Version> versions, std::vector<std::byte>& bytes) const;
  void Persist(uint64_t unit_number, Unit& unit, size_t count);
  void ForgetDurableUnits();
  void ForgetWhatWasMade();
  size_t SurvivingVersions(const Unit& unit, const CrashChoice& choice) const;

  PersistenceMode mode_;
  std::vector<uint64_t> sizes_;  // the durable size, and those that followed
  bool synced_ = false;          // true after the first fsync: its blocks are durable
  // Both end behind the last byte that was ever written; zeros follow up to the size.
  std::vector<std::byte> visible_;
  std::vector<std::byte> durable_;
  std::map<uint64_t, Unit> units_;  // the units with versions that are not durable
  // Set once the file is durable.
  mutable std::shared_ptr<const MemoryFile> view_;
  mutable std::optional<uint64_t> digest_;
};

}  // namespace pmdex
