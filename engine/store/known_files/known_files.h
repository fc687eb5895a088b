// The files that `pmdex watch` has read, by their paths, in DRAM. The path of a file is the id of
// its document. known_files_store.h keeps them with a generation of the index.
//
// It also remembers which paths have changed since ClearChanges, so that only these are written
// with the next generation. Not thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"

#include "engine/store/known_files/known_file.h"

namespace pmdex {

class KnownFiles {
 public:
  KnownFiles() = default;
  // Entries point at one another's nodes, so that a copy would need new ones.
  KnownFiles(const KnownFiles&) = delete;
  KnownFiles& operator=(const KnownFiles&) = delete;
  KnownFiles(KnownFiles&&) = default;
  KnownFiles& operator=(KnownFiles&&) = default;

  // nullptr if the path is not known. Valid until the next Set or Remove.
  const KnownFile* Find(std::string_view path) const;
  void Set(std::string_view path, const KnownFile& file);
  // Does nothing if the path is not known.
  void Remove(std::string_view path);
  size_t size() const { return files_.size(); }

  // Calls visit(path, file) for each file below the directory, in the order of paths. The visitor
  // must not change the files.
  void ForEachBelow(std::string_view directory,
                    const std::function<void(const std::string&, const KnownFile&)>& visit) const;
  void ForEach(const std::function<void(const std::string&, const KnownFile&)>& visit) const;
  // The paths of a file that has several names (hard links), as far as they are known. None for
  // inode 0, which stands for files that nobody has looked at.
  std::vector<std::string> PathsOf(uint64_t device, uint64_t inode) const;

  // The paths that were set or removed since the last ClearChanges, sorted.
  const std::set<std::string, std::less<>>& changes() const { return changes_; }
  void ClearChanges() { changes_.clear(); }

 private:
  using Files = std::map<std::string, KnownFile, std::less<>>;
  using InodeKey = std::pair<uint64_t, uint64_t>;  // device, inode

  void Link(const InodeKey& key, const std::string* path);
  void Unlink(const InodeKey& key, const std::string* path);

  Files files_;
  // Points at the keys of files_, which do not move.
  absl::flat_hash_map<InodeKey, absl::InlinedVector<const std::string*, 1>> inodes_;
  std::set<std::string, std::less<>> changes_;
};

}  // namespace pmdex
