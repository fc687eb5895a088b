// The buckets that a collector has made: numbers from 0 on for pairs of a bucket of the collector
// above and a key, with a count of documents. For one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace pmdex {

class BucketTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;
  // A table takes about 50 bytes a bucket. Beyond so many, collectors give up.
  static constexpr size_t kMostBuckets = size_t{1} << 24;

  // The bucket of a key below bucket `parent` of the collector above, which is made if it is not
  // there.
  uint32_t FindOrAdd(uint32_t parent, uint64_t key);
  // Makes a bucket with this count, for less time. Requires that there is none of the key below
  // `parent`.
  void Append(uint32_t parent, uint64_t key, uint64_t count);

  size_t size() const { return counts_.size(); }
  bool is_full() const { return size() > kMostBuckets; }
  uint64_t key(uint32_t bucket) const { return keys_[bucket]; }
  uint32_t parent(uint32_t bucket) const { return parents_[bucket]; }
  uint64_t count(uint32_t bucket) const { return counts_[bucket]; }
  void AddDocs(uint32_t bucket, uint64_t count) { counts_[bucket] += count; }

  // The buckets below `parent`, in the order in which they were made.
  std::vector<uint32_t> BucketsBelow(uint32_t parent) const;

 private:
  // Of the first numbers_.size() buckets. Those behind them were appended.
  absl::flat_hash_map<std::pair<uint32_t, uint64_t>, uint32_t> numbers_;
  std::vector<uint32_t> parents_;
  std::vector<uint64_t> keys_;
  std::vector<uint64_t> counts_;
  // Of the last call of BucketsBelow that found it out of date: the buckets in the order of their
  // parents, and where those of each parent begin.
  mutable std::vector<uint32_t> by_parent_;
  mutable std::vector<size_t> parent_begins_;
};

}  // namespace pmdex
