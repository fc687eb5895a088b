// A Directory in which every change fails after a number of changes. Its files are then those of a
// process that was killed at that moment. Reading still works. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pmem/forwarding_directory.h"

namespace pmdex {

class FailingDirectory final : public ForwardingDirectory {
 public:
  FailingDirectory(Directory& base, int64_t changes_left)
      : ForwardingDirectory(base), changes_left_(changes_left) {}

  int64_t changes_made() const { return changes_made_; }
  void FailFromNowOn() { changes_left_ = 0; }

  absl::StatusOr<std::unique_ptr<WritableFile>> Create(std::string_view name,
                                                       uint64_t capacity_bytes) override {
    PMDEX_RETURN_IF_ERROR(Change());
    return base().Create(name, capacity_bytes);
  }
  absl::Status Rename(std::string_view from, std::string_view to) override {
    PMDEX_RETURN_IF_ERROR(Change());
    return base().Rename(from, to);
  }
  absl::Status Remove(std::string_view name) override {
    PMDEX_RETURN_IF_ERROR(Change());
    return base().Remove(name);
  }
  absl::Status Sync() override {
    PMDEX_RETURN_IF_ERROR(Change());
    return base().Sync();
  }

 private:
  absl::Status Change() {
    if (changes_left_-- <= 0) return absl::ResourceExhaustedError("no space left");
    ++changes_made_;
    return absl::OkStatus();
  }

  std::atomic<int64_t> changes_left_;
  std::atomic<int64_t> changes_made_{0};
};

}  // namespace pmdex
