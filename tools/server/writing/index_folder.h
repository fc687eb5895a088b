// The directory of `serve --data`: each subdirectory is an index of its name. Not thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

// An ApiError (400, invalid_index_name_exception) for names that Elasticsearch refuses, for hidden
// ones, which begin with a dot, and for those with control characters or invalid UTF-8. The names
// lost+found and of kOwnPaths are refused too.
absl::Status CheckNewIndexName(std::string_view name);

class IndexFolder {
 public:
  // Makes the directory if it is missing, and removes what is left of indexes that were being
  // removed when the program ended.
  static absl::StatusOr<std::unique_ptr<IndexFolder>> Open(const std::string& path);

  std::string PathOf(std::string_view name) const;
  // The names of all subdirectories that may be indexes, sorted.
  absl::StatusOr<std::vector<std::string>> Names() const;
  // Subdirectories whose names no index may have, and why. Those that begin with a dot are left
  // out.
  struct RefusedName {
    std::string name;
    std::string_view fault;  // such as "must be lowercase"
  };
  absl::StatusOr<std::vector<RefusedName>> RefusedNames() const;
  // Makes subdirectories that were made, renamed or removed before durable.
  absl::Status Sync() { return directory_->Sync(); }
  // Removes the files that pmdex made, and the subdirectory if no others are in it. The index is
  // gone for good once it has another name; an error after that is not reported. Requires that no
  // writer has it open.
  absl::Status Remove(std::string_view name);

 private:
  explicit IndexFolder(std::string path) : path_(std::move(path)) {}
  void RemoveFiles(const std::string& path) const;

  const std::string path_;
  std::unique_ptr<Directory> directory_;
};

}  // namespace pmdex
