// An unfinished build, as a manifest holds it. After a crash the next process goes on with it. Its
// segments are durable, but readers do not see them. Its progress says how much of the input is in
// these segments. engine/ingest/resume/build_progress.h reads and writes the progress; the store
// treats it as bytes.
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
  // Opening returns kAlreadyExists if there is an index, or an unfinished build with segments.
  kCreate = 0,
  // Opening returns kNotFound if there is no index, and kFailedPrecondition if its settings differ.
  kAppend = 1,
  // Replaces the index. The old generation stays visible until Publish.
  kOverwrite = 2,
};
std::string_view ToString(OpenMode mode);  // "create"

struct PendingBuild {
  // kOverwrite if there is an index to replace, else kCreate or kAppend.
  OpenMode mode = OpenMode::kCreate;
  std::string options;                    // inputs and flags, which identify the build
  std::vector<std::byte> progress;        // empty until the first Checkpoint
  std::vector<ManifestSegment> segments;  // in index order

  uint64_t doc_count() const;
};

// True if builds with these modes and the same options make the same index. kCreate and kOverwrite
// are of the same kind.
bool IsSameKind(OpenMode a, OpenMode b);

// The payload of a build's record in a manifest. The segments are not part of it; they have records
// of their own.
std::vector<std::byte> EncodePendingBuild(const PendingBuild& build);
// nullopt if the payload cannot be that of a build.
std::optional<PendingBuild> DecodePendingBuild(std::span<const std::byte> payload);

}  // namespace pmdex
