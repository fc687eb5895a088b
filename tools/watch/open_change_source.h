// Chooses and opens a source of changes: fanotify (fanotify_source.h), inotify (inotify_source.h),
// or a timer that has the trees scanned from time to time (poll_source.h). Stateless.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>
#include <vector>

#include "pmem/status.h"
#include "tools/watch/change_source.h"
#include "tools/watch/tree_root.h"

namespace pmdex {

enum class SourceKind { kAuto, kFanotify, kInotify, kPoll };
absl::StatusOr<SourceKind> ParseSourceKind(std::string_view name);

// Opens a source for these trees, which outlive it. kAuto: fanotify where it is allowed and can
// report names, else inotify, else polling. Otherwise returns the error of the source.
absl::StatusOr<std::unique_ptr<ChangeSource>> OpenChangeSource(
    SourceKind kind, const std::vector<TreeRoot>& roots, std::chrono::milliseconds poll_every);

}  // namespace pmdex
