// A build that is not finished: what a manifest remembers of it, so that after a crash the next run
// goes on where durable work ended. Its segments are durable and invisible; how far into the input
// they reach is told by the progress, committed in the same manifest. The store keeps the progress
// and does not look into it: ingest does (engine/ingest/resume/build_progress.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/manifest_segment.h"

namespace pmdex {

enum class OpenMode : uint8_t {
  kCreate = 0,     // kAlreadyExists when there is an index, or work of an unfinished build
  kAppend = 1,     // kNotFound when there is no index; kFailedPrecondition when the settings differ
  kOverwrite = 2,  // the old generation stays visible until Publish replaces it
};
std::string_view ToString(OpenMode mode);  // "create"

struct PendingBuild {
  // kOverwrite only when there is an index to replace: under kCreate nothing was ever visible.
  OpenMode mode = OpenMode::kCreate;
  std::string options;                    // inputs and flags: the same text is the same build
  std::vector<std::byte> progress;        // empty until the first checkpoint
  std::vector<ManifestSegment> segments;  // in index order

  uint64_t doc_count() const;
};

// What two builds with the same `options` must agree in to be one: creating and overwriting end in
// the same index.
bool IsSameKind(OpenMode a, OpenMode b);

// The record of a manifest, without the segments, which have records of their own.
std::vector<std::byte> EncodePendingBuild(const PendingBuild& build);
// Empty when the payload makes no sense.
std::optional<PendingBuild> DecodePendingBuild(std::span<const std::byte> payload);

}  // namespace pmdex
