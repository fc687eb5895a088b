#include "tools/watch/watched_directories.h"

namespace pmdex {

void WatchedDirectories::Set(int watch, const std::string& path) {
  Forget(watch);
  const auto other = watches_.find(path);
  if (other != watches_.end()) paths_.erase(other->second);
  paths_[watch] = path;
  watches_[path] = watch;
}

void WatchedDirectories::Forget(int watch) {
  const auto found = paths_.find(watch);
  if (found == paths_.end()) return;
  watches_.erase(found->second);
  paths_.erase(found);
}

std::vector<int> WatchedDirectories::ForgetBelow(std::string_view directory) {
  std::vector<int> forgotten;
  if (const auto found = watches_.find(directory); found != watches_.end()) {
    forgotten.push_back(found->second);
  }
  std::string prefix(directory);
  if (!prefix.ends_with('/')) prefix += '/';
  for (auto at = watches_.lower_bound(prefix);
       at != watches_.end() && at->first.starts_with(prefix); ++at) {
    forgotten.push_back(at->second);
  }
  for (const int watch : forgotten) Forget(watch);
  return forgotten;
}

const std::string* WatchedDirectories::Find(int watch) const {
  const auto found = paths_.find(watch);
  return found == paths_.end() ? nullptr : &found->second;
}

}  // namespace pmdex
