// A thread that learns from the kernel (inotify) that an index has a newer generation, and has the
// catalog open it. Where the kernel cannot tell, and while a directory is gone, it looks once a
// second. Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "pmem/file_descriptor.h"
#include "pmem/status.h"
#include "tools/server/index_catalog.h"

namespace pmdex {

class IndexWatcher {
 public:
  // on_change is called on the thread of the watcher after each new generation. The catalog
  // outlives the watcher, and nobody else calls Reload.
  static absl::StatusOr<std::unique_ptr<IndexWatcher>> Start(IndexCatalog& catalog,
                                                             std::function<void()> on_change);
  ~IndexWatcher();

 private:
  IndexWatcher(IndexCatalog& catalog, std::function<void()> on_change)
      : catalog_(catalog), on_change_(std::move(on_change)) {}

  void Run();
  void WatchAll();
  // Takes what the kernel has to tell.
  void ReadEvents();
  void ReloadChanged();

  IndexCatalog& catalog_;
  const std::function<void()> on_change_;
  FileDescriptor inotify_;
  FileDescriptor stop_;              // an eventfd
  std::vector<int> watches_;         // indexed like the sources; -1: the directory is not watched
  std::vector<bool> changed_;        // the same: it may have a newer generation
  std::vector<std::string> errors_;  // the same: the last one, so that it is reported once
  std::thread thread_;
};

}  // namespace pmdex
