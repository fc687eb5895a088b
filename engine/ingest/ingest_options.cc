#include "engine/ingest/ingest_options.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"

namespace pmdex {

absl::StatusOr<InputFormat> ParseInputFormat(std::string_view name) {
  for (const InputFormat format : {InputFormat::kAuto, InputFormat::kFiles, InputFormat::kLines,
                                   InputFormat::kJsonl, InputFormat::kTrec}) {
    if (name == ToString(format)) return format;
  }
  return InvalidArgument(
      absl::StrCat("unknown format '", ToAbsl(name), "': auto, files, lines, jsonl or trec"));
}

std::string_view ToString(InputFormat format) {
  switch (format) {
    case InputFormat::kAuto:
      return "auto";
    case InputFormat::kFiles:
      return "files";
    case InputFormat::kLines:
      return "lines";
    case InputFormat::kJsonl:
      return "jsonl";
    case InputFormat::kTrec:
      return "trec";
  }
  return "unknown";
}

absl::StatusOr<DirectIo> ParseDirectIo(std::string_view name) {
  for (const DirectIo use : {DirectIo::kAuto, DirectIo::kOn, DirectIo::kOff}) {
    if (name == ToString(use)) return use;
  }
  return InvalidArgument(absl::StrCat("direct I/O is auto, on or off, not '", ToAbsl(name), "'"));
}

std::string_view ToString(DirectIo use) {
  switch (use) {
    case DirectIo::kAuto:
      return "auto";
    case DirectIo::kOn:
      return "on";
    case DirectIo::kOff:
      return "off";
  }
  return "unknown";
}

CheckpointLimits CheckpointLimitsOf(const IngestOptions& options) {
  CheckpointLimits limits{options.checkpoint_interval};
  if (options.publish_interval.count() > 0) {
    limits.interval = std::min(limits.interval, options.publish_interval);
  }
  if (options.publish_bytes > 0) {
    const auto indexers = static_cast<uint64_t>(std::max(options.indexer_threads, 1));
    limits.bytes_in = std::max<uint64_t>(options.publish_bytes / indexers, 1);
  }
  return limits;
}

}  // namespace pmdex
