// The indexes of a server, each in its newest generation. Requests take the whole set at once and
// keep it until they are answered. A newer generation takes the place of an older one in one step,
// after its pages are mapped, so that no request waits for it. Indexes that the server itself
// writes (writing/writable_indexes.h) are put here by whoever writes them.
//
// Reload is for one thread; the other members are thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "engine/store/manifest.h"
#include "pmem/mutex.h"
#include "pmem/status.h"
#include "tools/server/served_index.h"

namespace pmdex {

struct IndexSource {
  std::string name;
  std::string directory;
};

// "NAME=DIR", or "DIR", whose last part becomes the name. kInvalidArgument if the name is empty,
// begins with '_' or has a character that paths of requests cannot have as it is.
absl::StatusOr<IndexSource> ParseIndexSource(std::string_view text);

using ServedIndexes = std::vector<std::shared_ptr<const ServedIndex>>;

// How the opening of an index went, for /metrics.
struct IndexHistory {
  double open_seconds = 0;  // of the newest generation, until it answered
  uint64_t reloads = 0;
  uint64_t failures = 0;  // to open a newer generation
};

class IndexCatalog {
 public:
  // prefault: map whole indexes before they answer, however large they are. options: how segments
  // are opened; all indexes share the cache. nodes: those on which the server's threads may run.
  // Returns the error of the first index that cannot be opened, and kInvalidArgument if two have
  // the same name.
  static absl::StatusOr<std::unique_ptr<IndexCatalog>> Open(std::vector<IndexSource> sources,
                                                            bool prefault,
                                                            SnapshotOptions options = {},
                                                            std::vector<NumaNode> nodes = {});
  // A catalog of indexes that are open, for tests. They have no sources.
  static std::unique_ptr<IndexCatalog> Of(ServedIndexes indexes);

  std::shared_ptr<const ServedIndexes> Current() const;
  // Grows with each change of Current(), so that a thread can keep its own copy.
  uint64_t version() const { return version_.load(std::memory_order_acquire); }
  const std::vector<IndexSource>& sources() const { return sources_; }
  // The indexes, and the history of each.
  struct IndexesWithHistory {
    std::shared_ptr<const ServedIndexes> indexes;
    std::vector<IndexHistory> history;
  };
  IndexesWithHistory CurrentWithHistory() const;
  // The cache of units that are read past the page cache; nullptr if they are mapped.
  const BlockCache* unit_cache() const { return options_.unit_cache.get(); }

  // Opens the newest generation of sources()[i] unless the one that answers shows the same, or the
  // server writes the index. Returns whether there was a newer one. If it cannot be opened, or is
  // damaged where the present one is whole, the present one stays.
  absl::StatusOr<bool> Reload(size_t i);
  // The index of this name; nullptr if there is none.
  std::shared_ptr<const ServedIndex> Find(std::string_view name) const;
  // Puts an index that the server writes in the place of the one with its name, or behind all.
  void Put(std::shared_ptr<const ServedIndex> index);
  // Removes an index that is not one of sources(). Does nothing if there is none of this name.
  void Remove(std::string_view name);
  // Unmaps the generations that were replaced and that no request uses any more.
  void DropUnused();
  bool has_unused() const;
  // How many queries searched each segment of sources()[i] since the last call, by the id of the
  // segment.
  std::map<uint64_t, uint64_t> TakeHeat(size_t i);

 private:
  IndexCatalog() = default;
  absl::StatusOr<std::shared_ptr<const ServedIndex>> OpenNewest(const IndexSource& source,
                                                                const Snapshot* present) const;
  // Removes the generations that no request uses from retired_.
  std::vector<std::shared_ptr<const ServedIndex>> TakeUnused() ABSL_LOCKS_EXCLUDED(mutex_);
  void Change(std::shared_ptr<const ServedIndexes> next) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  std::vector<IndexSource> sources_;
  bool prefault_ = false;
  SnapshotOptions options_;
  std::vector<NumaNode> nodes_;
  std::atomic<uint64_t> version_{1};
  mutable Mutex mutex_;
  // Those of sources_ come first, in their order.
  std::shared_ptr<const ServedIndexes> current_ ABSL_GUARDED_BY(mutex_);
  std::vector<IndexHistory> history_ ABSL_GUARDED_BY(mutex_);  // indexed like current_
  // The last owners of old generations: unmapping one takes too long for a thread that answers.
  std::vector<std::shared_ptr<const ServedIndex>> retired_ ABSL_GUARDED_BY(mutex_);
  // What generations counted that are unmapped, by the name of the index.
  std::map<std::string, std::map<uint64_t, uint64_t>, std::less<>> old_heat_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmdex
