// One file of a SimulatedMedium: the bytes that every process sees, the bytes that are durable, and
// in between, for each unit that the medium persists by itself (a 64 B line; a 4 KiB page behind
// the page cache), the ordered versions that it went through since it was last durable. A crash may
// leave any of these versions: AfterCrash makes one choice of them.
//
// What each mode promises is said at PersistenceMode. Belongs to one thread.
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

// kAdr   Stores of 8 bytes. Those to one 64 B line persist in order, those to different lines in
//        any order: caches evict whenever they like. A store that was flushed (or went past the
//        caches) is durable once Drain returns.
// kEadr  Cached stores persist in program order, and before any later system call of the program;
//        stores past the caches as with kAdr, because the buffers that combine them are no cache.
// kPage  As kAdr with pages of 4 KiB: the kernel writes pages back in any order.
//
// fsync makes size and allocation durable. Only with kPage does it write data back as well: Linux
// does so on DAX too, but a protocol that leans on it pays for a flush of its own and then for the
// kernel's. The simulator is strict so that the drains of the protocol are what carries it.
enum class PersistenceMode { kAdr, kEadr, kPage };

enum class StoreKind { kCached, kNonTemporal };

// How much of what is not durable yet survives a crash.
enum class Survival { kNothing, kEverything, kOne, kAllButOne, kRandom };

// Deals one Survival out over a number of candidates, each with a history of versions.
class SurvivalDealer {
 public:
  SurvivalDealer(Survival survival, size_t candidates, SeededRandom& random);
  // How many of the next candidate's `versions` survive.
  size_t Next(size_t versions);

 private:
  const Survival survival_;
  SeededRandom& random_;
  size_t until_odd_one_;  // candidates before the one that is treated differently
};

class SimulatedFile {
 public:
  // Empty, nothing of it durable.
  explicit SimulatedFile(PersistenceMode mode);
  // Durable as a whole: `bytes`, and zeros up to size_bytes.
  SimulatedFile(PersistenceMode mode, std::vector<std::byte> bytes, uint64_t size_bytes);

  uint64_t size_bytes() const { return sizes_.back(); }
  // What a process sees. Shared with all who ask once the file is durable.
  std::shared_ptr<const MemoryFile> View() const;
  // Nothing of it can be lost. Media share such a file: nobody writes to it any more.
  bool durable() const { return synced_ && units_.empty() && sizes_.size() == 1; }
  // Of the visible bytes and the size.
  uint64_t Digest() const;

  // Allocates, or truncates.
  void Resize(uint64_t size_bytes);
  // Stores take the numbers sequence, sequence + 1, ... in program order.
  void Store(uint64_t offset, std::span<const std::byte> bytes, StoreKind kind, uint64_t& sequence);
  void Flush(uint64_t offset, uint64_t size_bytes);
  void Drain();
  void Sync();
  // kEadr: cached stores have become durable.
  void PersistCached();

  // What the deals below are about.
  size_t pending_units() const { return units_.size(); }
  // Cached stores with a number of at least this one are lost (kEadr).
  struct CrashChoice {
    SurvivalDealer& stores;
    SurvivalDealer& metadata;
    uint64_t first_lost_cached;
    bool extents_lost;  // what was never synced may read as zeros
  };
  std::shared_ptr<SimulatedFile> AfterCrash(CrashChoice choice) const;

 private:
  // At most 8 bytes that persist together.
  struct Version {
    uint64_t sequence;
    std::array<std::byte, 8> bytes;
    uint16_t begin;  // in the unit
    uint8_t size_bytes;
    bool cached;
  };
  struct Unit {
    std::vector<Version> versions;
    size_t flushed = 0;  // versions that become durable at Drain
  };

  uint64_t unit_bytes() const { return mode_ == PersistenceMode::kPage ? 4096 : 64; }
  void Append(uint64_t offset, std::span<const std::byte> word, StoreKind kind, uint64_t sequence);
  // The first `count` versions of the unit become part of `bytes`.
  void Apply(uint64_t unit, std::span<const Version> versions, std::vector<std::byte>& bytes) const;
  void Persist(uint64_t unit_number, Unit& unit, size_t count);
  void ForgetDurableUnits();
  void ForgetWhatWasMade();
  size_t SurvivingVersions(const Unit& unit, const CrashChoice& choice) const;

  PersistenceMode mode_;
  std::vector<uint64_t> sizes_;  // the durable one, and those that came after
  bool synced_ = false;          // once: its extents are durable
  // Both end after the last byte ever written; zeros follow up to the size.
  std::vector<std::byte> visible_;
  std::vector<std::byte> durable_;
  std::map<uint64_t, Unit> units_;  // those with versions that are not durable
  // Made once a file is durable.
  mutable std::shared_ptr<const MemoryFile> view_;
  mutable std::optional<uint64_t> digest_;
};

}  // namespace pmdex
