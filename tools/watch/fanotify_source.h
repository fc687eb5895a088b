// Changes from fanotify(7): one mark reports the changes of a whole file system with the names of
// the files (FAN_REPORT_DFID_NAME, Linux 5.9), whatever the number of directories. It needs
// CAP_SYS_ADMIN and CAP_DAC_READ_SEARCH, and a file system that has file handles.
//
// The kernel names a directory by its handle. The source opens the handle to learn the path. If the
// directory is gone meanwhile, the change is left out: the directory above tells of its removal. If
// its path cannot be learned for another reason, the roots of the file system are to be scanned.
//
// The mark stays when a root is removed, renamed or replaced, but names of what lies at its path
// say nothing then. So each Read compares the directory at the path with the one that was marked.
// While they differ, the root is lost: is_partial() says that the trees must be scanned from time
// to time.
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
  // kFailedPrecondition if another file system is mounted over a root or below it.
  static absl::StatusOr<std::unique_ptr<ChangeSource>> Open(const std::vector<TreeRoot>& roots);

  std::string_view name() const override { return "fanotify"; }
  int descriptor() const override { return fanotify_.get(); }
  absl::Status Read(const ChangeSink& sink) override;
  uint64_t overflows() const override { return overflows_; }
  bool is_partial() const override;
  absl::Status WatchAgain() override;

 private:
  struct Marked {
    const TreeRoot* root = nullptr;
    // By which handles are opened. While it is open, no other directory gets its inode.
    FileDescriptor directory;
    std::string real_path;  // of the directory, absolute and without links
    uint64_t file_system = 0;
    bool is_lost = false;  // no directory that can be marked was at the path of the root
  };

  explicit FanotifySource(FileDescriptor fanotify) : fanotify_(std::move(fanotify)) {}

  absl::StatusOr<Marked> Mark(const TreeRoot& root) const;
  static bool IsInPlace(const Marked& marked);
  // Marks what lies at the path of the root now. True if that may be another directory than before.
  bool FollowRoot(Marked& marked) const;
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
