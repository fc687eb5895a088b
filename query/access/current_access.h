// Whether a user could read files as they are now. It computes this from what the file system tells
// this process of them; it neither opens files nor takes the identity of the user. A file that is
// not at hand (it is gone, or this process cannot look at it) is shown: then what the index knows
// of its rights decides alone.
//
// A directory is looked at once, so an object is made for one answer, or for a few. Thread-safe.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "absl/base/thread_annotations.h"

#include "pmem/mutex.h"
#include "query/access/hit_check.h"
#include "query/access/user_identity.h"

namespace pmdex {

class CurrentAccess final : public HitCheck {
 public:
  explicit CurrentAccess(UserIdentity user) : user_(std::move(user)) {}

  // id: a path, as the index has it. The rights of the entry count, of a link its own; and those of
  // its parents, both as the path names them and as they are without links.
  bool MayShow(std::string_view id) const override ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  bool MaySearchAll(const std::string& directory) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool MaySearch(const std::string& directory) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const UserIdentity user_;
  mutable Mutex mutex_;
  // By path: whether the user may search a directory, and all of those above it.
  mutable std::map<std::string, bool, std::less<>> one_ ABSL_GUARDED_BY(mutex_);
  mutable std::map<std::string, bool, std::less<>> all_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmdex
