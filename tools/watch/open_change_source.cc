#include "tools/watch/open_change_source.h"

#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/watch/fanotify_source.h"
#include "tools/watch/inotify_source.h"
#include "tools/watch/poll_source.h"

namespace pmdex {

absl::StatusOr<SourceKind> ParseSourceKind(std::string_view name) {
  if (name == "auto") return SourceKind::kAuto;
  if (name == "fanotify") return SourceKind::kFanotify;
  if (name == "inotify") return SourceKind::kInotify;
  if (name == "poll") return SourceKind::kPoll;
  return InvalidArgument(absl::StrCat("unknown source of changes '", ToAbsl(name),
                                      "': auto, fanotify, inotify or poll"));
}

absl::StatusOr<std::unique_ptr<ChangeSource>> OpenChangeSource(
    SourceKind kind, const std::vector<TreeRoot>& roots, std::chrono::milliseconds poll_every) {
  if (kind == SourceKind::kPoll) return PollSource::Open(roots, poll_every);
  if (kind != SourceKind::kInotify) {
    auto fanotify = FanotifySource::Open(roots);
    if (fanotify.ok() || kind == SourceKind::kFanotify) return fanotify;
  }
  auto inotify = InotifySource::Open(roots);
  if (inotify.ok() || kind == SourceKind::kInotify) return inotify;
  return PollSource::Open(roots, poll_every);
}

}  // namespace pmdex
