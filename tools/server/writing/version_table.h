// The versions of the documents of an index: 1 for a document, and one more for each later write of
// its id. Only ids with other versions than 1 are kept, in memory, as long as the server has the
// index open. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"

#include "pmem/mutex.h"

namespace pmdex {

class VersionTable {
 public:
  // When more ids than this would be kept, all are forgotten: their versions count from 1 again.
  explicit VersionTable(size_t most_ids = size_t{1} << 20) : most_ids_(most_ids) {}

  // Notes a write of the id and returns the version that it made. existed: whether there was a
  // document with the id.
  uint64_t Next(std::string_view id, bool existed);
  uint64_t Of(std::string_view id) const;

 private:
  const size_t most_ids_;
  mutable Mutex mutex_;
  absl::flat_hash_map<std::string, uint64_t> versions_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmdex
