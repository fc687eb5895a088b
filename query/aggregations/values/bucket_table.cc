#include "query/aggregations/values/bucket_table.h"

#include <algorithm>

namespace pmdex {

uint32_t BucketTable::FindOrAdd(uint32_t parent, uint64_t key) {
  for (size_t bucket = numbers_.size(); bucket < size(); ++bucket) {
    numbers_.emplace(std::pair(parents_[bucket], keys_[bucket]), static_cast<uint32_t>(bucket));
  }
  const auto [found, is_new] =
      numbers_.try_emplace({parent, key}, static_cast<uint32_t>(counts_.size()));
  if (is_new) Append(parent, key, 0);
  return found->second;
}

void BucketTable::Append(uint32_t parent, uint64_t key, uint64_t count) {
  parents_.push_back(parent);
  keys_.push_back(key);
  counts_.push_back(count);
}

std::vector<uint32_t> BucketTable::BucketsBelow(uint32_t parent) const {
  if (by_parent_.size() != size()) {
    const uint32_t greatest =
        parents_.empty() ? 0 : *std::max_element(parents_.begin(), parents_.end());
    parent_begins_.assign(size_t{greatest} + 2, 0);
    for (const uint32_t of : parents_) ++parent_begins_[of + 1];
    for (size_t i = 1; i < parent_begins_.size(); ++i) parent_begins_[i] += parent_begins_[i - 1];
    by_parent_.resize(size());
    std::vector<size_t> next = parent_begins_;
    for (uint32_t bucket = 0; bucket < size(); ++bucket) {
      by_parent_[next[parents_[bucket]]++] = bucket;
    }
  }
  if (size_t{parent} + 1 >= parent_begins_.size()) return {};
  return {by_parent_.begin() + static_cast<ptrdiff_t>(parent_begins_[parent]),
          by_parent_.begin() + static_cast<ptrdiff_t>(parent_begins_[parent + 1])};
}

}  // namespace pmdex
