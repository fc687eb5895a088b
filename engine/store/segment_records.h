// The payloads of the records that a manifest has for its segments. manifest.cc puts them into
// records; docs/FORMAT.md describes the bytes. Stateless; thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "engine/store/manifest_segment.h"

namespace pmdex {

// What every listed file has.
std::vector<std::byte> EncodeSegmentRecord(const ManifestSegment& segment);
// nullopt if the payload cannot be that of a segment, as everywhere here.
std::optional<ManifestSegment> DecodeSegmentRecord(std::span<const std::byte> payload);

// Facts that most segments lack: when it was created, and its heat.
std::vector<std::byte> EncodeFactsRecord(const ManifestSegment& segment);
// Adds the facts to the segment that they name, if it is among these. Returns false if the payload
// makes no sense.
bool AddFactsRecord(std::span<const std::byte> payload, std::span<ManifestSegment> segments);

// The live documents of a segment that has deletions.
std::vector<std::byte> EncodeLiveDocsRecord(const ManifestSegment& segment);
// Adds them to the segment that they name. Returns false if the payload makes no sense, if the
// segment is not among these, or if its record names another generation.
bool AddLiveDocsRecord(std::span<const std::byte> payload, std::span<ManifestSegment> segments);

std::vector<std::byte> EncodeCopyRecord(const KeptCopy& copy);
std::optional<KeptCopy> DecodeCopyRecord(std::span<const std::byte> payload);

}  // namespace pmdex
