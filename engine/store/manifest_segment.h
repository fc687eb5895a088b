// A segment as a manifest lists it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace pmdex {

// All ids of segments are less than this, so that the next id never wraps around.
inline constexpr uint64_t kSegmentIdLimit = uint64_t{1} << 63;

enum class Tier : uint8_t { kUncompressed = 0, kCompressed = 1 };

struct ManifestSegment {
  uint64_t id = 0;
  uint64_t file_bytes = 0;
  uint32_t header_crc = 0;
  uint32_t doc_count = 0;
  Tier tier = Tier::kUncompressed;
  // Which file has the live documents (deletions/live_docs_file.h), and its checksum; 0: all
  // documents are live.
  uint64_t live_docs_generation = 0;
  uint32_t live_docs_check = 0;
  uint32_t deleted_count = 0;  // of doc_count
  uint32_t place = 0;          // the number of its ManifestPlace; 0: the directory of the index
  uint64_t created_s = 0;      // when its documents were indexed, in seconds since 1970; 0: unknown
  uint64_t heat = 0;           // how many queries searched it, as far as a writer has saved that

  uint32_t live_count() const { return doc_count - deleted_count; }
};

// True also if there are none.
bool AreAllCompressed(std::span<const ManifestSegment> segments);

// A compressed file with the documents of a listed segment, from which that segment can be rebuilt.
struct KeptCopy {
  uint64_t of = 0;  // the id of the segment
  ManifestSegment file;
};

// Checks that no segment is listed twice (a kept copy counts as one), that copies are of visible
// segments, each at most one, and that next_segment_id is greater than all listed ids
// and at most kSegmentIdLimit. Returns what is wrong, or nullopt.
std::optional<std::string> FaultOfSegmentIds(std::span<const ManifestSegment> visible,
                                             std::span<const ManifestSegment> pending,
                                             std::span<const KeptCopy> copies,
                                             uint64_t next_segment_id);

// Checks that segments have deletions if and only if they have a generation of live documents, and
// no more deletions than documents, and that a kept copy has as many as its segment. Pending
// segments may have none: they get theirs when they are published.
// Returns what is wrong, or nullopt.
std::optional<std::string> FaultOfDeletions(std::span<const ManifestSegment> visible,
                                            std::span<const ManifestSegment> pending,
                                            std::span<const KeptCopy> copies);

// The greatest generation of live documents, so that the next one never wraps around.
inline constexpr uint64_t kMaxLiveDocsGeneration = uint64_t{1} << 62;

}  // namespace pmdex
