// The manifest: which segments make up the index, in which generation. It is the index's only
// commit point. A generation is one small file, written whole, checksummed, and never changed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/analyzer.h"
#include "engine/store/manifest_segment.h"
#include "engine/store/pending_build.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

// What a manifest begins with, in every version of the format: "PMDEXMAN".
inline constexpr uint64_t kManifestMagic = 0x4e414d5845444d50;

// Fixed when the index is created; --append must agree.
struct IndexSettings {
  AnalyzerKind analyzer = AnalyzerKind::kStandard;
  bool positions = true;
  bool store_text = false;
};

std::string_view ToString(Tier tier);

struct Manifest {
  uint64_t generation = 0;
  uint64_t next_segment_id = 1;
  IndexSettings settings;
  std::vector<ManifestSegment> segments;          // in index order
  std::map<std::string, std::string> properties;  // free-form facts: how and from what it was built
  std::optional<PendingBuild> pending;            // what an unfinished build has made durable

  // Whether readers see an index: not while the first build is unfinished.
  bool IsVisible() const {
    return generation > 0 && (!pending.has_value() || pending->mode != OpenMode::kCreate);
  }
  // Whether an unfinished build holds work worth keeping.
  bool HasPendingWork() const { return pending.has_value() && !pending->segments.empty(); }
  // Of the unfinished build; none when there is no such build.
  std::span<const ManifestSegment> PendingSegments() const {
    if (!pending.has_value()) return {};
    return pending->segments;
  }
};

// The greatest generation that is ever published or believed. A file name has 16 digits, and a
// generation without room for the next one would end the index.
inline constexpr uint64_t kMaxGeneration = 9'999'999'999'999'998;

// "manifest-0000000000000001"
std::string ManifestFileName(uint64_t generation);
std::optional<uint64_t> ParseManifestFileName(std::string_view name);

std::vector<std::byte> EncodeManifest(const Manifest& manifest);
// file_name is for messages. kDataLoss, or kUnimplemented for a newer format. A manifest that lists
// a segment twice, gives an id that is in use to the next segment, or has a generation that is not
// from 1 to kMaxGeneration is damaged, whatever its checksum says: a writer that believed it would
// overwrite a segment or lose the index.
absl::StatusOr<Manifest> DecodeManifest(std::span<const std::byte> bytes,
                                        std::string_view file_name);

// The newest generation that is valid. A damaged newest generation is passed over only when an
// older valid one exists; `damage` (may be null) then receives what was wrong. kNotFound when there
// is no manifest at all, kDataLoss when none is valid. A manifest that cannot be opened is no
// damaged one: the error is returned.
absl::StatusOr<Manifest> LoadNewestManifest(const Directory& directory,
                                            std::vector<absl::Status>* damage);

// Writes the manifest under a temporary name, drains, seals, renames and syncs the directory: the
// generation is published and durable on return. Everything it lists must have been sealed and
// renamed, and no file has the manifest's name. kFailedPrecondition above kMaxGeneration.
absl::Status PublishManifest(Directory& directory, const Manifest& manifest);

}  // namespace pmdex
