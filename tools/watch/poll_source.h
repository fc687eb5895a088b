// Has the trees scanned in equal intervals: the source of changes where the kernel reports none, as
// on network file systems, or where it cannot watch all directories.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "pmem/file_descriptor.h"
#include "tools/watch/change_source.h"
#include "tools/watch/tree_root.h"

namespace pmdex {

class PollSource final : public ChangeSource {
 public:
  static absl::StatusOr<std::unique_ptr<ChangeSource>> Open(const std::vector<TreeRoot>& roots,
                                                            std::chrono::milliseconds interval);

  std::string_view name() const override { return "poll"; }
  int descriptor() const override { return timer_.get(); }
  absl::Status Read(const ChangeSink& sink) override;

 private:
  PollSource(const std::vector<TreeRoot>& roots, FileDescriptor timer)
      : roots_(roots), timer_(std::move(timer)) {}

  const std::vector<TreeRoot>& roots_;
  const FileDescriptor timer_;
};

}  // namespace pmdex
