// Keeps finished answers, up to a number of bytes, and forgets those that were not used for
// longest. The generation of the index is part of a key, so that no answer outlives it. Off unless
// the operator gives it memory. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"

#include "pmem/mutex.h"

namespace pmdex {

class ResultCache {
 public:
  explicit ResultCache(uint64_t most_bytes) : most_bytes_(most_bytes / kParts) {}

  bool is_on() const { return most_bytes_ > 0; }
  // The answer that was kept under the key, or nullopt.
  std::optional<std::string> Find(const std::string& key);
  void Insert(const std::string& key, const std::string& answer);
  uint64_t bytes() const;

 private:
  static constexpr size_t kParts = 16;  // each with a lock of its own
  // What an entry costs beside its texts.
  static constexpr uint64_t kEntryBytes = 160;

  struct Entry {
    std::string key;
    std::string answer;
    uint64_t bytes() const { return 2 * key.size() + answer.size() + kEntryBytes; }
  };
  struct Part {
    mutable Mutex mutex;
    std::list<Entry> entries ABSL_GUARDED_BY(mutex);  // the last used first
    absl::flat_hash_map<std::string, std::list<Entry>::iterator> by_key ABSL_GUARDED_BY(mutex);
    uint64_t bytes ABSL_GUARDED_BY(mutex) = 0;
  };

  Part& PartOf(const std::string& key);

  const uint64_t most_bytes_;  // of each part
  std::array<Part, kParts> parts_;
};

}  // namespace pmdex
