// A value that several threads need. The first caller makes it, and later callers get a copy.
// Callers that come while it is made wait. The first caller may also refuse to keep it (say because
// it is too large): from then on every caller makes its own, and nobody waits.
//
//   const DocSet set = memo.GetOrMake([] { return Expand(); }, [](const DocSet&) { return true; });
//
// Thread-safe. Not reentrant: a maker that calls GetOrMake of the same memo deadlocks.
#pragma once

#include <optional>

#include "absl/base/thread_annotations.h"

#include "pmem/mutex.h"

namespace pmdex {

template <typename T>
class Memo {
 public:
  // Returns a copy of the kept value, or else the result of make(). may_keep(const T&) decides
  // whether the first value is kept; it is called at most once.
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
  bool is_refused_ ABSL_GUARDED_BY(mutex_) = false;  // the first value was made and not kept
};

}  // namespace pmdex
