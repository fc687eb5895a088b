// Whether a user could read files as they are now. It computes this from what the file system tells
// this process of them; it neither opens files nor takes the identity of the user.
//
// It goes along a path as the kernel does, from one directory to the next and through links, and
// each step begins in the directory that it has just looked at. So whoever puts other directories
// or links into the path meanwhile gets the answer for a path that there was.
//
// A relative path begins where the index says (input_directories.h). If it may mean several files,
// the user must be able to read each that is there.
//
// A directory is looked at once, so an object is made for one answer, or for a few. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/base/thread_annotations.h"

#include "engine/ingest/input_directories.h"
#include "pmem/mutex.h"
#include "query/access/hit_check.h"
#include "query/access/user_identity.h"

namespace pmdex {

class CurrentAccess final : public HitCheck {
 public:
  // directories: of the index that has the paths.
  CurrentAccess(UserIdentity user, InputDirectories directories)
      : user_(std::move(user)), inputs_(std::move(directories)) {}

  // id: a path, as the index has it. False if the user must not search a directory on the way, or
  // not read what is at its end: the target of a link, or with is_link the link itself, which all
  // may read. Where the way ends because there is nothing, or because this process must not look
  // on, it is true: what the index knows of the rights decides.
  bool MayShow(std::string_view id, bool is_link) const override ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Place;
  enum class Verdict { kAllowed, kRefused, kNotAtHand };
  using PlacePointer = std::shared_ptr<const Place>;

  static Verdict VerdictOf(int error);
  Verdict Judge(const std::string& prefix, const std::string& path, bool is_link) const
      ABSL_LOCKS_EXCLUDED(mutex_);
  PlacePointer DirectoryAt(const std::string& path) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  PlacePointer Follow(PlacePointer from, std::string_view path, bool follows_last,
                      int& links_left) const;
  // The directory at this place, if the user may search it.
  PlacePointer Enter(PlacePointer place) const;

  const UserIdentity user_;
  const InputDirectories inputs_;
  mutable Mutex mutex_;
  mutable std::map<std::string, PlacePointer, std::less<>> directories_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmdex
