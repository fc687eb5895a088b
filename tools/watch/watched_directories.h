// The directories that an inotify instance watches: from watch to path and back. A directory keeps
// its watch when it is renamed, so that the paths must follow. Plain bookkeeping without system
// calls. Not thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace pmdex {

class WatchedDirectories {
 public:
  // The watch now stands for this path, and the path for this watch, whatever both stood for
  // before.
  void Set(int watch, const std::string& path);
  // Forgets a watch that the kernel has removed.
  void Forget(int watch);
  // Forgets the directory and all below it, and returns their watches.
  std::vector<int> ForgetBelow(std::string_view directory);

  // nullptr if the watch is not known. Valid until the next change.
  const std::string* Find(int watch) const;
  size_t size() const { return paths_.size(); }

 private:
  absl::flat_hash_map<int, std::string> paths_;
  std::map<std::string, int, std::less<>> watches_;
};

}  // namespace pmdex
