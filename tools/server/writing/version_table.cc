#include "tools/server/writing/version_table.h"

#include "pmem/text.h"

namespace pmdex {

uint64_t VersionTable::Next(std::string_view id, bool existed) {
  MutexLock lock(&mutex_);
  const auto found = versions_.find(ToAbsl(id));
  if (found != versions_.end()) return ++found->second;
  if (!existed) return 1;
  if (versions_.size() >= most_ids_) versions_.clear();
  versions_.emplace(std::string(id), 2);
  return 2;
}

uint64_t VersionTable::Of(std::string_view id) const {
  MutexLock lock(&mutex_);
  const auto found = versions_.find(ToAbsl(id));
  return found == versions_.end() ? 1 : found->second;
}

}  // namespace pmdex
