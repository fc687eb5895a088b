#include "tools/watch/tree_comparison.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/ingest/problem_kind.h"
#include "engine/ingest/reading/decompressor.h"
#include "pmem/exhaustion.h"
#include "tools/watch/tree_scan.h"

namespace pmdex {
namespace {

// The path is gone, or a part of it is a link or a file now.
bool IsGone(int error) {
  return error == ENOENT || error == ENOTDIR || error == ELOOP;
}

// A document stays where the medium fails for a while; it goes where this user may not look.
bool KeepsDocuments(int error) {
  return !IsGone(error) && error != EACCES && error != EPERM && error != ENAMETOOLONG;
}

}  // namespace

const TreeRoot* TreeComparison::RootOf(std::string_view path) const {
  for (const TreeRoot& root : roots_) {
    if (root.Contains(path)) return &root;
  }
  return nullptr;
}

void TreeComparison::Report(const std::string& path, int error) {
  if (IsGone(error)) return;
  problems_.Add(ProblemKind::kUnreadableFile, path, std::strerror(error));
}

absl::Status TreeComparison::LookAt(const DueChange& change) {
  const TreeRoot* const root = RootOf(change.path);
  if (root == nullptr) return absl::OkStatus();
  // Where another file system is mounted, or none any more, the files have not changed.
  PathFacts facts;
  if (root->Stat(root->path(), facts) == 0 && facts.facts.device != root->device()) {
    problems_.Add(ProblemKind::kUnreadableFile, root->path(),
                  "another file system is mounted there; its documents stay");
    return absl::OkStatus();
  }
  PMDEX_RETURN_IF_ERROR(LookAtPath(*root, change));
  return keeps_entries_ ? LookAtDirectoryOf(*root, change) : absl::OkStatus();
}

absl::Status TreeComparison::LookAtDirectoryOf(const TreeRoot& root, const DueChange& change) {
  if (change.path.size() <= root.prefix().size()) return absl::OkStatus();
  const std::string directory =
      change.path.substr(0, std::max(change.path.rfind('/'), root.path().size()));
  PathFacts facts;
  const int error = root.Stat(directory, facts);
  if (IsExhaustion(error)) return ExhaustionStatus(error, directory);
  // If it is gone, a change of its own tells so.
  if (error == 0 && facts.kind == PathKind::kDirectory) {
    Compare(directory, facts, {directory, false, false, change.since});
  }
  return absl::OkStatus();
}

absl::Status TreeComparison::LookAtPath(const TreeRoot& root, const DueChange& change) {
  if (change.is_written) written_.insert(change.path);
  PathFacts facts;
  const int error = root.Stat(change.path, facts);
  if (IsExhaustion(error)) return ExhaustionStatus(error, change.path);
  const KnownFile* const known = known_.Find(change.path);
  if (known != nullptr && (error != 0 || known->facts.inode != facts.facts.inode)) {
    // Before its name went, the file may have been written through it.
    PMDEX_RETURN_IF_ERROR(ReadNamesOf(FileFacts(known->facts), change));
  }
  if (change.is_written &&
      (known == nullptr || error != 0 || known->facts.inode != facts.facts.inode)) {
    // Nobody knows which file was written: perhaps one that had this name for a moment only.
    PMDEX_RETURN_IF_ERROR(ReadLinkedFiles(change));
  }
  if (error != 0) {
    Report(change.path, error);
    if (!KeepsDocuments(error)) RemoveBelow(change.path, change.since);
    return absl::OkStatus();
  }
  if (facts.kind == PathKind::kDirectory) {
    if (!keeps_entries_) RemovePath(change.path, change.since);  // a file that was there before
    return Rescan(root, change.path, change.since);
  }
  RemoveBelow(change.path, change.since);
  if (facts.kind != PathKind::kFile && !keeps_entries_) return absl::OkStatus();
  Compare(change.path, facts, change);
  return ReadOtherNames(change.path, facts, change);
}

// Writing a file through one of its names changes the documents of all.
absl::Status TreeComparison::ReadOtherNames(const std::string& path, const PathFacts& facts,
                                            const DueChange& change) {
  if (facts.links < 2 || !to_read_.contains(path)) return absl::OkStatus();
  return ReadNamesOf(facts.facts, change);
}

absl::Status TreeComparison::ReadNamesOf(const FileFacts& facts, const DueChange& change) {
  for (const std::string& other : known_.PathsOf(facts.device, facts.inode)) {
    if (other == change.path || !linked_.insert(other).second) continue;
    PMDEX_RETURN_IF_ERROR(LookAt({other, change.is_written, false, change.since}));
  }
  return absl::OkStatus();
}

absl::Status TreeComparison::ReadLinkedFiles(const DueChange& change) {
  if (std::exchange(has_read_linked_, true)) return absl::OkStatus();
  // Files without a name, known or new, are gone.
  absl::flat_hash_set<std::pair<uint64_t, uint64_t>> met;
  for (const auto& [path, reading] : to_read_) {
    met.emplace(reading.facts.device, reading.facts.inode);
  }
  absl::erase_if(linked_files_, [&](const auto& file) {
    return !met.contains(file) && known_.PathsOf(file.first, file.second).empty();
  });
  // Looking at a file may change the set.
  const std::vector<std::pair<uint64_t, uint64_t>> linked(linked_files_.begin(),
                                                          linked_files_.end());
  for (const auto& [device, inode] : linked) {
    FileFacts facts;
    facts.device = device;
    facts.inode = inode;
    // Their facts tell whether they were written.
    PMDEX_RETURN_IF_ERROR(ReadNamesOf(facts, {change.path, false, false, change.since}));
  }
  return absl::OkStatus();
}

absl::Status TreeComparison::Rescan(const TreeRoot& root, const std::string& directory,
                                    DueChange::TimePoint since) {
  absl::flat_hash_set<const KnownFile*> seen;
  std::vector<std::string> unreadable;  // below these the documents stay
  ScanVisitor visitor;
  const auto compare = [&](const std::string& path, const PathFacts& facts) {
    if (const KnownFile* known = known_.Find(path)) seen.insert(known);
    Compare(path, facts, {path, false, false, since});
  };
  visitor.entry = [&](const std::string& path, const PathFacts& facts) {
    if (facts.kind == PathKind::kFile || keeps_entries_) return compare(path, facts);
    if (facts.kind == PathKind::kSpecial) {
      problems_.Add(ProblemKind::kSpecialFile, path, "not a regular file");
    }
  };
  visitor.directory = [&](const std::string& path, int fd) {
    PathFacts facts;
    if (keeps_entries_ && TreeRoot::StatAt(fd, "", facts) == 0) compare(path, facts);
  };
  visitor.problem = [&](const std::string& path, int error) {
    Report(path, error);
    if (KeepsDocuments(error)) unreadable.push_back(path);
    PathFacts facts;  // an entry is kept also if it cannot be read
    if (keeps_entries_ && root.Stat(path, facts) == 0) compare(path, facts);
  };
  PMDEX_RETURN_IF_ERROR(ScanTree(root, directory, visitor));
  const auto stays = [&](const std::string& path) {
    return std::any_of(unreadable.begin(), unreadable.end(), [&](const std::string& above) {
      return path == above || path.starts_with(above + "/");
    });
  };
  known_.ForEachBelow(directory, [&](const std::string& path, const KnownFile& known) {
    if (!seen.contains(&known) && !stays(path)) RemovePath(path, since);
  });
  return absl::OkStatus();
}

void TreeComparison::Compare(const std::string& path, const PathFacts& facts,
                             const DueChange& change) {
  removed_.erase(path);
  if (facts.kind == PathKind::kFile) {
    const std::pair file(facts.facts.device, facts.facts.inode);
    if (facts.links > 1) {
      linked_files_.insert(file);
    } else {
      linked_files_.erase(file);
    }
  }
  const KnownFile* const known = known_.Find(path);
  const bool is_same = known != nullptr && known->facts == facts.facts && !known->is_racy &&
                       known->state != KnownState::kUnreadable &&
                       (facts.is_readable || known->state != KnownState::kIndexed) &&
                       (!keeps_entries_ || known->state == KnownState::kIndexed);
  if (is_same && !change.is_written && !to_read_.contains(path)) {
    ++unchanged_;
    return;
  }
  const auto [reading, is_new] = to_read_.try_emplace(path);
  reading->second.facts = facts.facts;
  reading->second.is_readable = facts.is_readable;
  reading->second.since = is_new ? change.since : std::min(reading->second.since, change.since);
}

void TreeComparison::RemovePath(const std::string& path, DueChange::TimePoint since) {
  to_read_.erase(path);
  if (known_.Find(path) == nullptr) return;
  const auto [removed, is_new] = removed_.try_emplace(path, since);
  if (!is_new) removed->second = std::min(removed->second, since);
}

void TreeComparison::RemoveBelow(const std::string& path, DueChange::TimePoint since) {
  RemovePath(path, since);
  // Files that this comparison has met below it, when it was a directory still.
  const std::string prefix = path + "/";
  auto met = to_read_.lower_bound(prefix);
  while (met != to_read_.end() && met->first.starts_with(prefix)) met = to_read_.erase(met);
  known_.ForEachBelow(
      path, [&](const std::string& below, const KnownFile&) { RemovePath(below, since); });
}

// The same file at another path: neither its inode nor its content have changed.
std::string TreeComparison::FindRenamed(const std::string& path, const FileFacts& facts) const {
  if (known_.Find(path) != nullptr) return {};
  for (const std::string& other : known_.PathsOf(facts.device, facts.inode)) {
    if (removed_.contains(other) && IsSameContent(known_.Find(other)->facts, facts)) return other;
  }
  return {};
}

// The file was known at this path, and will not be when all is applied.
bool TreeComparison::HasLeft(const std::string& path, const FileFacts& facts) const {
  const auto reading = to_read_.find(path);
  return reading == to_read_.end() ? removed_.contains(path)
                                   : reading->second.facts.inode != facts.inode;
}

// A document depends on the content of the file, and on whether its name says that it is
// compressed.
std::string TreeComparison::FindSame(const std::string& path, const Reading& reading,
                                     const std::set<std::string>& taken) const {
  if (keeps_entries_ || !reading.is_readable || written_.contains(path)) return {};
  for (const std::string& other : known_.PathsOf(reading.facts.device, reading.facts.inode)) {
    if (other == path || taken.contains(other) || written_.contains(other)) continue;
    if (!HasLeft(other, reading.facts)) continue;
    const KnownFile& known = *known_.Find(other);
    if (known.is_racy || known.state == KnownState::kUnreadable) continue;
    if (!IsSameContent(known.facts, reading.facts)) continue;
    if (CompressionOfName(other) == CompressionOfName(path)) return other;
  }
  return {};
}

TreeDifference TreeComparison::Take() {
  TreeDifference difference;
  std::set<std::string> renamed;
  std::set<std::string> taken;  // names of one file have a document each
  for (const auto& [path, reading] : to_read_) {
    std::string from = FindRenamed(path, reading.facts);
    if (!from.empty() && !renamed.insert(from).second) from.clear();
    std::string same_as = FindSame(path, reading, taken);
    if (!same_as.empty()) taken.insert(same_as);
    difference.to_read.push_back(
        {path, reading.facts, std::move(from), std::move(same_as), reading.since});
  }
  std::stable_partition(
      difference.to_read.begin(), difference.to_read.end(),
      [](const FileToRead& file) { return !file.renamed_from.empty() || !file.same_as.empty(); });
  for (const auto& [path, since] : removed_) {
    difference.removed.push_back({path, renamed.contains(path), since});
  }
  difference.unchanged = std::exchange(unchanged_, 0);
  to_read_.clear();
  removed_.clear();
  written_.clear();
  linked_.clear();
  has_read_linked_ = false;
  return difference;
}

}  // namespace pmdex
