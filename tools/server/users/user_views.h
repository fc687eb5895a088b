// The indexes of the server as each user may see them. Making a view of an index takes time that
// grows with its documents, so those of the users that asked last are kept until the index has a
// newer generation. Thread-safe.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>

#include "absl/base/thread_annotations.h"

#include "pmem/mutex.h"
#include "pmem/status.h"
#include "query/access/user_identity.h"
#include "tools/server/index_catalog.h"

namespace pmdex {

class UserViews {
 public:
  static constexpr size_t kMostUsers = 64;

  // The same indexes in the same order, with the searchers of the user (Searcher::ForUser), and
  // without the writers of indexes that the server writes. Returns the error of an index that
  // cannot be read.
  absl::StatusOr<std::shared_ptr<const ServedIndexes>> Get(
      const UserIdentity& user, const std::shared_ptr<const ServedIndexes>& indexes);
  // Lets go of views of indexes that are not among these, so that they do not keep the files of an
  // older generation. Cheap if nothing has changed since the last call.
  void KeepOnly(const std::shared_ptr<const ServedIndexes>& indexes) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct View {
    UserIdentity user;
    std::shared_ptr<const ServedIndexes> whole;
    std::shared_ptr<const ServedIndexes> shown;  // indexed as `whole`
  };
  std::optional<View> Find(const UserIdentity& user) ABSL_LOCKS_EXCLUDED(mutex_);
  void Keep(View view) ABSL_LOCKS_EXCLUDED(mutex_);

  Mutex mutex_;
  std::shared_ptr<const ServedIndexes> kept_ ABSL_GUARDED_BY(mutex_);  // of the last KeepOnly
  std::list<View> views_ ABSL_GUARDED_BY(mutex_);  // the one that was asked for last comes first
};

}  // namespace pmdex
