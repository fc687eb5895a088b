// The interface of what tells of changes in file trees. open_change_source.h opens one.
//
// A source may be moved between threads, but not shared by them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pmem/status.h"
#include "tools/watch/change.h"

namespace pmdex {

class ChangeSource {
 public:
  virtual ~ChangeSource() = default;

  // "fanotify", "inotify", "poll".
  virtual std::string_view name() const = 0;
  // Readable, as poll(2) says, when Read has something to report.
  virtual int descriptor() const = 0;
  // Reports all changes up to now, and does not wait for more. Whatever happened before the source
  // was opened is not reported, so callers scan the trees once after they opened it. After an
  // overflow of the kernel's queue it reports kRescan for all roots.
  virtual absl::Status Read(const ChangeSink& sink) = 0;
  // What the user should know: that some directories are not watched, say. Empty if there is
  // nothing new.
  virtual std::string TakeWarning() { return {}; }
  // How many times the kernel's queue was full.
  virtual uint64_t overflows() const { return 0; }
  // True if some directories are not watched, so that the trees must be scanned from time to time.
  virtual bool is_partial() const { return false; }
  // Watches roots again that were removed or replaced. Call it before such a scan. Errors as Read.
  virtual absl::Status WatchAgain() { return absl::OkStatus(); }
};

}  // namespace pmdex
