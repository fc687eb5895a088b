// A Directory that forwards all calls to another one, for directories that change single functions
// of it. The base must outlive it. Thread-safe if the base is.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pmem/directory.h"

namespace pmdex {

class ForwardingDirectory : public Directory {
 public:
  explicit ForwardingDirectory(Directory& base) : base_(base) {}

  absl::StatusOr<std::unique_ptr<WritableFile>> Create(std::string_view name,
                                                       uint64_t capacity_bytes) override {
    return base_.Create(name, capacity_bytes);
  }
  absl::StatusOr<std::unique_ptr<ReadableFile>> Open(std::string_view name) const override {
    return base_.Open(name);
  }
  absl::StatusOr<std::unique_ptr<UncachedFile>> OpenUncached(std::string_view name) const override {
    return base_.OpenUncached(name);
  }
  absl::Status Rename(std::string_view from, std::string_view to) override {
    return base_.Rename(from, to);
  }
  absl::Status Remove(std::string_view name) override { return base_.Remove(name); }
  absl::Status Sync() override { return base_.Sync(); }
  absl::StatusOr<std::vector<DirectoryEntry>> List() const override { return base_.List(); }
  absl::StatusOr<std::vector<std::string>> ListOthers() const override {
    return base_.ListOthers();
  }
  absl::Status TakeAccessOf(std::string_view name) override { return base_.TakeAccessOf(name); }
  absl::Status ApplyMode(std::string_view name) override { return base_.ApplyMode(name); }
  absl::StatusOr<std::unique_ptr<DirectoryLock>> Lock(std::string_view name) override {
    return base_.Lock(name);
  }
  absl::StatusOr<std::unique_ptr<Directory>> OpenElsewhere(std::string_view path,
                                                           bool create) const override {
    return base_.OpenElsewhere(path, create);
  }
  std::string canonical_path() const override { return base_.canonical_path(); }
  StoreGranularity granularity() const override { return base_.granularity(); }
  absl::StatusOr<uint64_t> FreeBytes() const override { return base_.FreeBytes(); }
  const std::string& path() const override { return base_.path(); }

 protected:
  Directory& base() const { return base_; }

 private:
  Directory& base_;
};

}  // namespace pmdex
