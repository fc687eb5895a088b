// The manifest lists the segments of one generation of an index. It is a small file with a checksum
// that is never changed. Publishing a manifest is the only commit point of an index.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/analyzer.h"
#include "engine/columns/field_spec.h"
#include "engine/store/manifest_segment.h"
#include "engine/store/pending_build.h"
#include "engine/store/placement/manifest_place.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

// The first bytes of a manifest in every version of the format: "PMDEXMAN".
inline constexpr uint64_t kManifestMagic = 0x4e414d5845444d50;

// The settings of an index, which are fixed when it is created.
struct IndexSettings {
  AnalyzerKind analyzer = AnalyzerKind::kStandard;
  bool positions = true;
  bool store_text = false;
};

// The property with the name of the analyzer, if it is one that a program brings (kCustom).
inline constexpr char kCustomAnalyzerProperty[] = "custom_analyzer";

// The property that an index has, with the value "yes", if its writers keep copies of segments.
inline constexpr char kKeepCopiesProperty[] = "keep_compressed";

// The property that an index has while a build is unfinished whose parts readers see already
// (IndexWriter::PublishPart): the first id of these segments. Later ones are of the build, too.
inline constexpr char kPartsFromProperty[] = "unfinished_build_from_segment";

std::string_view ToString(Tier tier);

struct Manifest {
  uint64_t generation = 0;
  uint64_t next_segment_id = 1;
  IndexSettings settings;
  std::vector<ManifestSegment> segments;          // in index order
  std::vector<KeptCopy> copies;                   // of segments, for when they are damaged
  std::vector<ManifestPlace> places;              // the directories of segments, besides the index
  std::map<std::string, std::string> properties;  // how and from what the index was built
  FieldSpecs fields;                              // of the documents of all segments
  std::optional<PendingBuild> pending;            // the unfinished build

  // Where the segments of an unfinished build begin that readers see already; nullopt if there are
  // none.
  std::optional<uint64_t> PublishedPartsFrom() const;
  bool HasPublishedParts() const { return PublishedPartsFrom().has_value(); }
  // True if readers see an index. False while its first build is unfinished, unless parts of it are
  // published.
  bool IsVisible() const {
    return generation > 0 &&
           (!pending.has_value() || pending->mode != OpenMode::kCreate || HasPublishedParts());
  }
  // True if there is an unfinished build with segments, pending or published.
  bool HasPendingWork() const {
    return pending.has_value() && (!pending->segments.empty() || HasPublishedParts());
  }
  // The documents that an unfinished build has made durable, in both kinds of segments.
  uint64_t PendingDocuments() const;
  // The segments of the unfinished build; empty if there is none.
  std::span<const ManifestSegment> PendingSegments() const {
    if (!pending.has_value()) return {};
    return pending->segments;
  }
  // The kept copy of a segment; nullptr if there is none.
  const KeptCopy* CopyOf(uint64_t segment_id) const {
    for (const KeptCopy& copy : copies) {
      if (copy.of == segment_id) return &copy;
    }
    return nullptr;
  }
  // Calls function(segment) for each file of a segment: visible, pending or kept copy.
  template <typename Function>
  void ForEachFile(const Function& function) const {
    for (const ManifestSegment& segment : segments) function(segment);
    for (const ManifestSegment& segment : PendingSegments()) function(segment);
    for (const KeptCopy& copy : copies) function(copy.file);
  }
};

// Greater generations are neither published nor accepted. A file name has 16 digits, and there must
// be a name for the next generation.
inline constexpr uint64_t kMaxGeneration = 9'999'999'999'999'998;

std::string ManifestFileName(uint64_t generation);  // "manifest-0000000000000001"
// The generation in a name that is exactly its ManifestFileName; nullopt for other names.
std::optional<uint64_t> ParseManifestFileName(std::string_view name);

std::vector<std::byte> EncodeManifest(const Manifest& manifest);
// file_name: for messages. Returns kDataLoss if the manifest is damaged, and kUnimplemented for a
// newer format. Even with a right checksum a manifest is damaged if it lists a segment twice, if
// next_segment_id is in use, if its generation is not in 1..kMaxGeneration, or if FaultOfPlaces
// finds a fault: a writer that accepted it would overwrite a segment or lose the index.
absl::StatusOr<Manifest> DecodeManifest(std::span<const std::byte> bytes,
                                        std::string_view file_name);

// The newest valid manifest. Skips newer manifests that are damaged, and appends what is wrong with
// them to `damage` unless that is nullptr. Returns kNotFound if there is no manifest, kDataLoss if
// none is valid, and the error of the directory if a manifest cannot be opened.
absl::StatusOr<Manifest> LoadNewestManifest(const Directory& directory,
                                            std::vector<absl::Status>* damage);

// Writes the manifest under a temporary name, seals it, renames it and syncs the directory. The
// generation is published and durable on return. Requires that all listed segments are sealed and
// renamed, that the directories of all places are synced, and that no file has the name of the
// manifest. Returns kFailedPrecondition for a
// generation above kMaxGeneration.
absl::Status PublishManifest(Directory& directory, const Manifest& manifest);

}  // namespace pmdex
