// A value that several need and one makes: whoever asks first. It is kept for the others, if it may
// be. Who comes while the first one makes it waits for that; once it was made and could not be
// kept, nobody waits any more, and all make it again side by side.
//
//   const DocSet set = memo.GetOrMake([] { return Expand(); }, [](const DocSet&) { return true; });
//
// Thread-safe. Not reentrant: a maker that asks the memo it makes for waits for itself.
#pragma once

#include <optional>

#include "absl/base/thread_annotations.h"

#include "pmem/mutex.h"

namespace pmdex {

template <typename T>
class Memo {
 public:
  // A copy of what is kept, else what make() returns. may_keep(const T&) is called at most once in
  // the memo's life, on the first value made.
  template <typename Make, typename MayKeep>
  T GetOrMake(const Make& make, const MayKeep& may_keep) {
    {
      MutexLock lock(&mutex_);
      if (kept_.has_value()) return *kept_;
      if (!is_refused_) {
        T made = make();
        is_refused_ = !may_keep(made);
        if (!is_refused_) kept_ = made;
        return made;
      }
    }
    return make();
  }

 private:
  Mutex mutex_;
  std::optional<T> kept_ ABSL_GUARDED_BY(mutex_);
  bool is_refused_ ABSL_GUARDED_BY(mutex_) = false;  // was made once, and may not be kept
};

}  // namespace pmdex
