// Where the relative paths of an index begin: the working directories of the builds whose inputs
// they were. The manifest keeps them, so that what looks at the files of documents finds them from
// any directory. The ids that answers show stay relative.
//
// A relative path may mean several files, because builds that append run in any directory. Whoever
// shows something of a file must then find out which one it is.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "engine/store/manifest.h"

namespace pmdex {

// The property of a manifest that keeps them: for each directory its path, and the relative inputs
// of the builds in it. A zero ends each path, and one more the directory.
inline constexpr char kInputDirectoriesProperty[] = "input_directories";

// The value of the property with the inputs of one more build. directory: an absolute path.
std::string AddInputDirectory(const std::string& before, const std::string& directory,
                              const std::vector<std::string>& inputs);
// The same for the working directory of this process; `before` if it has none.
std::string AddWorkingDirectory(const std::string& before, const std::vector<std::string>& inputs);
// The value for an index with the documents of two.
std::string JoinInputDirectories(const std::string& a, const std::string& b);

// The value for people: each directory, and in brackets behind it the relative inputs.
std::string InputDirectoriesText(const std::string& value);

// Immutable; thread-safe.
class InputDirectories {
 public:
  InputDirectories() = default;  // relative paths begin at the working directory of this process
  // The same for an index of a version that did not keep the property.
  explicit InputDirectories(const Manifest& manifest);

  // What stands before a path, or before the id of a document that may be one, in the paths of the
  // files that it may mean: directories with a slash at their ends. Of a path below relative inputs
  // these are the directories of the longest of these inputs, of others all directories. The last
  // one is empty, the working directory of this process: for a tree that was moved with its index.
  // Of an absolute path it is the only one. Valid as long as the object.
  std::span<const std::string> PrefixesOf(std::string_view path) const;

 private:
  std::vector<std::string> all_;
  absl::flat_hash_map<std::string, std::vector<std::string>> by_input_;
};

}  // namespace pmdex
