// A change of a file tree, as the sources of changes report it. Plain values.
//
// A change is a hint where to look. What the file system says when the change is applied decides
// what is done, so that a change that is reported twice, late or in another order does no harm.
#pragma once

#include <functional>
#include <string>

namespace pmdex {

enum class ChangeKind {
  kWritten,  // the content of the file may have changed, even if its facts are the same
  kTouched,  // there may be a file, or its facts may have changed
  kRemoved,  // the file, or the directory with all that lies below it, is gone from this path
  kRenamed,  // it was moved from `from` to `path`
  kRescan,   // anything below this directory may have changed
};

struct TreeChange {
  ChangeKind kind = ChangeKind::kTouched;
  std::string path;  // as the user gave the root, joined with the walk
  std::string from;  // kRenamed only
};

using ChangeSink = std::function<void(const TreeChange&)>;

}  // namespace pmdex
