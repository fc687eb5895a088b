// Changes from fanotify(7): one mark reports the changes of a whole file system with the names of
// the files (FAN_REPORT_DFID_NAME, Linux 5.9), whatever the number of directories. It needs
// CAP_SYS_ADMIN and CAP_DAC_READ_SEARCH, and a file system that has file handles.
//
// The kernel names a directory by its handle. The source opens the handle to learn the path. If the
// directory is gone meanwhile, the change is left out: the directory above tells of its removal. If
// its path cannot be learned for another reason, the roots of the file system are to be scanned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pmem/file_descriptor.h"
#include "tools/watch/change_source.h"
#include "tools/watch/tree_root.h"

struct fanotify_event_metadata;

namespace pmdex {

class FanotifySource final : public ChangeSource {
 public:
  // The roots outlive the source. Returns kPermissionDenied without the capabilities,
  // kUnimplemented where a root's file system has no handles or the kernel reports no names, and
  // kFailedPrecondition if another file system is mounted below a root.
  static absl::StatusOr<std::unique_ptr<ChangeSource>> Open(const std::vector<TreeRoot>& roots);

  std::string_view name() const override { return "fanotify"; }
  int descriptor() const override { return fanotify_.get(); }
  absl::Status Read(const ChangeSink& sink) override;
  uint64_t overflows() const override { return overflows_; }

 private:
  struct Marked {
    const TreeRoot* root = nullptr;
    FileDescriptor mount;  // a directory of the file system, by which handles are opened
    uint64_t file_system = 0;
  };

  explicit FanotifySource(FileDescriptor fanotify) : fanotify_(std::move(fanotify)) {}

  absl::Status Mark(const TreeRoot& root);
  void Handle(const fanotify_event_metadata& event, const std::byte* infos, size_t size_bytes,
              const ChangeSink& sink);
  void HandleNamed(uint64_t mask, uint64_t file_system, const std::byte* handle,
                   std::string_view name, const ChangeSink& sink) const;
  void RescanFileSystem(uint64_t file_system, const ChangeSink& sink) const;
  static void HandleEntry(uint64_t mask, const std::string& path, const ChangeSink& sink);

  const FileDescriptor fanotify_;
  std::vector<Marked> marked_;
  uint64_t overflows_ = 0;
};

}  // namespace pmdex
