#include "engine/store/known_files/known_files.h"

#include <algorithm>

namespace pmdex {

const KnownFile* KnownFiles::Find(std::string_view path) const {
  const auto found = files_.find(path);
  return found == files_.end() ? nullptr : &found->second;
}

void KnownFiles::Set(std::string_view path, const KnownFile& file) {
  auto found = files_.find(path);
  if (found != files_.end() && found->second == file) return;
  const InodeKey key = {file.facts.device, file.facts.inode};
  if (found == files_.end()) {
    found = files_.emplace(path, file).first;
    Link(key, &found->first);
  } else {
    const InodeKey before = {found->second.facts.device, found->second.facts.inode};
    if (before != key) {
      Unlink(before, &found->first);
      Link(key, &found->first);
    }
    found->second = file;
  }
  changes_.emplace(path);
}

void KnownFiles::Remove(std::string_view path) {
  const auto found = files_.find(path);
  if (found == files_.end()) return;
  Unlink({found->second.facts.device, found->second.facts.inode}, &found->first);
  changes_.emplace(path);
  files_.erase(found);
}

void KnownFiles::Link(const InodeKey& key, const std::string* path) {
  if (key.second != 0) inodes_[key].push_back(path);
}

void KnownFiles::Unlink(const InodeKey& key, const std::string* path) {
  if (key.second == 0) return;
  const auto found = inodes_.find(key);
  auto& paths = found->second;
  paths.erase(std::find(paths.begin(), paths.end(), path));
  if (paths.empty()) inodes_.erase(found);
}

void KnownFiles::ForEachBelow(
    std::string_view directory,
    const std::function<void(const std::string&, const KnownFile&)>& visit) const {
  std::string prefix(directory);
  if (!prefix.ends_with('/')) prefix += '/';
  for (auto at = files_.lower_bound(prefix); at != files_.end(); ++at) {
    if (!at->first.starts_with(prefix)) return;
    visit(at->first, at->second);
  }
}

void KnownFiles::ForEach(
    const std::function<void(const std::string&, const KnownFile&)>& visit) const {
  for (const auto& [path, file] : files_) visit(path, file);
}

std::vector<std::string> KnownFiles::PathsOf(uint64_t device, uint64_t inode) const {
  std::vector<std::string> paths;
  const auto found = inodes_.find(InodeKey{device, inode});
  if (found == inodes_.end()) return paths;
  for (const std::string* path : found->second) paths.push_back(*path);
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace pmdex
