// A directory in which this process has no descriptor left for some calls, as when another thread
// took the last ones. Everything else goes to the directory behind it. Thread-safe as that one.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "pmem/exhaustion.h"
#include "pmem/forwarding_directory.h"

namespace pmdex {

class ExhaustedDirectory final : public ForwardingDirectory {
 public:
  // Whether opening the file of this name fails; an empty name stands for listing.
  using Fails = std::function<bool(std::string_view name)>;

  ExhaustedDirectory(Directory& base, Fails fails)
      : ForwardingDirectory(base), fails_(std::move(fails)) {}

  absl::StatusOr<std::unique_ptr<ReadableFile>> Open(std::string_view name) const override {
    PMDEX_RETURN_IF_ERROR(Check(name));
    return base().Open(name);
  }
  absl::StatusOr<std::vector<DirectoryEntry>> List() const override {
    PMDEX_RETURN_IF_ERROR(Check(""));
    return base().List();
  }

 private:
  absl::Status Check(std::string_view name) const {
    if (!fails_(name)) return absl::OkStatus();
    return Exhausted(Resource::kDescriptors, "too many open files");
  }

  const Fails fails_;
};

}  // namespace pmdex
