// Compares trees with the files that are known, and tells which files to read and which documents
// to remove. It looks at paths that a change was reported of, or at whole directories. What the
// file system says at that moment counts, not what was reported.
//
// Not thread-safe. The roots and the known files outlive it and do not change meanwhile.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"

#include "engine/ingest/problem_log.h"
#include "engine/store/known_files/known_files.h"
#include "pmem/status.h"
#include "tools/watch/change_collector.h"
#include "tools/watch/tree_root.h"

namespace pmdex {

// A file to read: a new one, one that has changed, or one that has another path now.
struct FileToRead {
  std::string path;
  FileFacts facts;           // before it is read
  std::string renamed_from;  // the path at which the file was known; empty if none
  // A path at which the same content was known, whose document may be taken over instead of reading
  // the file. The file is there no more. No two files have the same one. Empty if there is none.
  std::string same_as;
  DueChange::TimePoint since;
};

struct RemovedFile {
  std::string path;
  bool is_renamed = false;  // it is the renamed_from of a file to read
  DueChange::TimePoint since;
};

struct TreeDifference {
  std::vector<FileToRead> to_read;   // by path; files that were known at another path first
  std::vector<RemovedFile> removed;  // by path
  uint64_t unchanged = 0;            // files that were looked at and need nothing
  bool IsEmpty() const { return to_read.empty() && removed.empty(); }
};

class TreeComparison {
 public:
  // keeps_entries: everything in the trees is kept, not only files. A change of a name is then a
  // change of its directory, too, and files that were renamed are read again: what a document says
  // of a file without text depends on its name.
  TreeComparison(const std::vector<TreeRoot>& roots, const KnownFiles& known, ProblemLog& problems,
                 bool keeps_entries = false)
      : roots_(roots), known_(known), problems_(problems), keeps_entries_(keeps_entries) {}

  // Looks at what there is at the path of the change. Paths outside of all roots are passed over.
  // kResourceExhausted if there are too few descriptors or too little memory to look.
  absl::Status LookAt(const DueChange& change);
  // What was found since the last call.
  TreeDifference Take();

 private:
  struct Reading {
    FileFacts facts;
    bool is_readable = true;
    DueChange::TimePoint since;
  };

  const TreeRoot* RootOf(std::string_view path) const;
  absl::Status LookAtPath(const TreeRoot& root, const DueChange& change);
  // Compares the directory that has the path, and looks at nothing else in it.
  absl::Status LookAtDirectoryOf(const TreeRoot& root, const DueChange& change);
  absl::Status Rescan(const TreeRoot& root, const std::string& directory,
                      DueChange::TimePoint since);
  void Compare(const std::string& path, const PathFacts& facts, const DueChange& change);
  absl::Status ReadOtherNames(const std::string& path, const PathFacts& facts,
                              const DueChange& change);
  // Looks at the other known names of a file.
  absl::Status ReadNamesOf(const FileFacts& facts, const DueChange& change);
  // Looks at the known names of all files that have several names. Does so once between two calls
  // of Take.
  absl::Status ReadLinkedFiles(const DueChange& change);
  void RemovePath(const std::string& path, DueChange::TimePoint since);
  void RemoveBelow(const std::string& path, DueChange::TimePoint since);
  void Report(const std::string& path, int error);
  std::string FindRenamed(const std::string& path, const FileFacts& facts) const;
  std::string FindSame(const std::string& path, const Reading& reading,
                       const std::set<std::string>& taken) const;
  bool HasLeft(const std::string& path, const FileFacts& facts) const;

  const std::vector<TreeRoot>& roots_;
  const KnownFiles& known_;
  ProblemLog& problems_;
  const bool keeps_entries_;
  std::map<std::string, Reading> to_read_;
  std::map<std::string, DueChange::TimePoint> removed_;
  std::set<std::string> written_;  // whose content may have changed, whatever the facts say
  std::set<std::string> linked_;   // files of which another name was looked at
  bool has_read_linked_ = false;   // ReadLinkedFiles was called since Take
  // Devices and inodes of the files that had several names when they were looked at last. Take does
  // not clear it.
  absl::flat_hash_set<std::pair<uint64_t, uint64_t>> linked_files_;
  uint64_t unchanged_ = 0;
};

}  // namespace pmdex
