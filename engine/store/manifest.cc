#include "engine/store/manifest.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "engine/segment/format.h"
#include "engine/store/records/manifest_field.h"
#include "engine/store/records/manifest_property.h"
#include "engine/store/segment_records.h"
#include "pmem/checksum.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

// The layout of a manifest. docs/FORMAT.md describes it in words.
constexpr uint32_t kManifestVersion = 1;
constexpr std::string_view kPrefix = "manifest-";
constexpr size_t kGenerationDigits = 16;
constexpr size_t kTrailerBytes = 8;  // u32 CRC32C of everything before, u32 zero

struct ManifestHeader {
  uint64_t magic;
  uint32_t version;
  uint32_t endian_mark;
  uint64_t file_bytes;
  uint64_t generation;
  uint64_t next_segment_id;
  uint32_t record_count;
  uint32_t reserved;
};
static_assert(sizeof(ManifestHeader) == 48);

struct RecordHeader {
  uint32_t tag;
  uint32_t payload_bytes;  // without the zeros that pad it to a multiple of 8
};

// A reader skips tags it does not know, unless this bit is set.
constexpr uint32_t kTagRequired = 0x80000000;
constexpr uint32_t kSettingsTag = kTagRequired | 1;
constexpr uint32_t kSegmentTag = kTagRequired | 2;
constexpr uint32_t kPropertyTag = 3;
// Required, because a version that does not know them would remove pending segments.
constexpr uint32_t kPendingBuildTag = kTagRequired | 4;
constexpr uint32_t kPendingSegmentTag = kTagRequired | 5;
// Required, because a version that does not know it would look for all segments in the index.
constexpr uint32_t kPlaceTag = kTagRequired | 6;
constexpr uint32_t kSegmentFactsTag = 7;
constexpr uint32_t kCopyTag = 8;
// Required, because a version that does not know it would show deleted documents.
constexpr uint32_t kLiveDocsTag = kTagRequired | 9;
// Required, because a version that does not know it would add values of other types.
constexpr uint32_t kFieldTag = kTagRequired | 10;

struct SettingsRecord {
  uint8_t analyzer;
  uint8_t positions;
  uint8_t store_text;
  uint8_t reserved[5];
};
static_assert(sizeof(SettingsRecord) == 8);

class RecordWriter {
 public:
  explicit RecordWriter(std::vector<std::byte>& out) : out_(out) {}

  void Add(uint32_t tag, std::span<const std::byte> payload) {
    const RecordHeader header{tag, static_cast<uint32_t>(payload.size())};
    Append(std::as_bytes(std::span(&header, 1)));
    Append(payload);
    out_.resize(AlignUp(out_.size(), 8));
    ++count_;
  }
  uint32_t count() const { return count_; }

 private:
  void Append(std::span<const std::byte> bytes) {
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  }
  std::vector<std::byte>& out_;
  uint32_t count_ = 0;
};

template <typename T>
std::span<const std::byte> BytesOf(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

absl::Status Damaged(std::string_view file_name, uint64_t offset, std::string_view what) {
  return DataLoss(absl::StrCat(ToAbsl(file_name), ": offset ", offset, ": ", ToAbsl(what)));
}

absl::StatusOr<ManifestHeader> DecodeHeader(std::span<const std::byte> bytes,
                                            std::string_view file_name) {
  ManifestHeader header;
  if (bytes.empty()) return Damaged(file_name, 0, "the file is empty");
  if (bytes.size() < sizeof header + kTrailerBytes) {
    return Damaged(file_name, bytes.size(),
                   absl::StrCat("the file ends within the header: expected at least ",
                                sizeof header + kTrailerBytes, " bytes, found ", bytes.size()));
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic == __builtin_bswap64(kManifestMagic) ||
      header.endian_mark == __builtin_bswap32(kEndianMark)) {
    return Damaged(file_name, 12, "written on a machine of another byte order");
  }
  if (header.magic != kManifestMagic) return Damaged(file_name, 0, "this is not a manifest");
  if (header.file_bytes != bytes.size()) {
    return Damaged(
        file_name, 16,
        absl::StrCat("the file is ", bytes.size() < header.file_bytes ? "truncated" : "extended",
                     ": expected ", header.file_bytes, " bytes, found ", bytes.size()));
  }
  uint32_t stored_crc;
  uint32_t padding;
  const size_t trailer = bytes.size() - kTrailerBytes;
  std::memcpy(&stored_crc, bytes.data() + trailer, sizeof stored_crc);
  std::memcpy(&padding, bytes.data() + trailer + sizeof stored_crc, sizeof padding);
  if (padding != 0) return Damaged(file_name, trailer + 4, "the padding is not zero");
  const uint32_t crc = Crc32c(bytes.first(trailer));
  if (crc != stored_crc) {
    return Damaged(file_name, trailer,
                   absl::StrFormat("checksum: expected %08x, found %08x", stored_crc, crc));
  }
  // Checked after the checksum, so that a damaged version is not taken for a newer format.
  if (header.version > kManifestVersion) {
    return MakeStatus(absl::StatusCode::kUnimplemented,
                      absl::StrFormat("%s: manifest version %u is newer than this pmdex reads (%u)",
                                      ToAbsl(file_name), header.version, kManifestVersion));
  }
  if (header.endian_mark != kEndianMark) return Damaged(file_name, 12, "no known byte order");
  if (header.generation == 0 || header.generation > kMaxGeneration) {
    return Damaged(
        file_name, 24,
        absl::StrCat("generation ", header.generation, " is not from 1 to ", kMaxGeneration));
  }
  return header;
}

bool DecodeSettings(std::span<const std::byte> payload, IndexSettings& settings) {
  SettingsRecord record;
  if (payload.size() < sizeof record) return false;
  std::memcpy(&record, payload.data(), sizeof record);
  if (record.analyzer > static_cast<uint8_t>(kLastAnalyzerKind)) return false;
  settings = {static_cast<AnalyzerKind>(record.analyzer), record.positions != 0,
              record.store_text != 0};
  return true;
}

bool DecodeListed(std::span<const std::byte> payload, std::vector<ManifestSegment>& segments) {
  const auto segment = DecodeSegmentRecord(payload);
  if (segment.has_value()) segments.push_back(*segment);
  return segment.has_value();
}

bool DecodeCopy(std::span<const std::byte> payload, std::vector<KeptCopy>& copies) {
  const auto copy = DecodeCopyRecord(payload);
  if (copy.has_value()) copies.push_back(*copy);
  return copy.has_value();
}

// Facts of a segment that is not listed say nothing.
bool DecodeFacts(std::span<const std::byte> payload, Manifest& manifest) {
  if (!AddFactsRecord(payload, manifest.segments)) return false;
  return !manifest.pending.has_value() || AddFactsRecord(payload, manifest.pending->segments);
}

// Of a visible segment or of a kept copy.
bool DecodeLiveDocsOf(std::span<const std::byte> payload, Manifest& manifest) {
  if (AddLiveDocsRecord(payload, manifest.segments)) return true;
  return std::any_of(manifest.copies.begin(), manifest.copies.end(), [&](KeptCopy& copy) {
    return AddLiveDocsRecord(payload, {&copy.file, 1});
  });
}

bool DecodeListedPlace(std::span<const std::byte> payload, std::vector<ManifestPlace>& places) {
  const auto place = DecodePlace(payload);
  if (place.has_value()) places.push_back(*place);
  return place.has_value();
}

bool DecodePending(std::span<const std::byte> payload, Manifest& manifest) {
  if (manifest.pending.has_value()) return false;
  manifest.pending = DecodePendingBuild(payload);
  return manifest.pending.has_value();
}

absl::Status DecodeRecord(const RecordHeader& record, std::span<const std::byte> payload,
                          std::string_view file_name, uint64_t offset, Manifest& manifest) {
  bool valid = true;
  switch (record.tag) {
    case kSettingsTag:
      valid = DecodeSettings(payload, manifest.settings);
      break;
    case kSegmentTag:
      valid = DecodeListed(payload, manifest.segments);
      break;
    case kPendingBuildTag:
      valid = DecodePending(payload, manifest);
      break;
    case kPendingSegmentTag:
      valid = manifest.pending.has_value() && DecodeListed(payload, manifest.pending->segments);
      break;
    case kPlaceTag:
      valid = DecodeListedPlace(payload, manifest.places);
      break;
    case kSegmentFactsTag:
      valid = DecodeFacts(payload, manifest);
      break;
    case kLiveDocsTag:
      valid = DecodeLiveDocsOf(payload, manifest);
      break;
    case kCopyTag:
      valid = DecodeCopy(payload, manifest.copies);
      break;
    case kFieldTag:
      valid = DecodeField(payload, manifest.fields);
      break;
    case kPropertyTag:
      valid = DecodeProperty(payload, manifest.properties);
      break;
    default:
      if (record.tag & kTagRequired) {
        return MakeStatus(absl::StatusCode::kUnimplemented,
                          absl::StrCat(ToAbsl(file_name), ": offset ", offset, ": record tag ",
                                       record.tag & ~kTagRequired, " needs a newer pmdex"));
      }
  }
  if (!valid) return Damaged(file_name, offset, "a record that makes no sense");
  return absl::OkStatus();
}

void AddFacts(std::span<const ManifestSegment> segments, RecordWriter& records) {
  for (const ManifestSegment& segment : segments) {
    if (segment.created_s == 0 && segment.heat == 0) continue;
    records.Add(kSegmentFactsTag, EncodeFactsRecord(segment));
  }
}

// What no single record shows: ids that are used twice, places that are not listed.
std::optional<std::string> FaultOfLists(const Manifest& manifest) {
  std::vector<ManifestSegment> files;
  manifest.ForEachFile([&](const ManifestSegment& file) { files.push_back(file); });
  auto misplaced = FaultOfPlaces(manifest.places, files);
  if (misplaced.has_value()) return misplaced;
  auto deletions = FaultOfDeletions(manifest.segments, manifest.PendingSegments(), manifest.copies);
  if (deletions.has_value()) return deletions;
  return FaultOfSegmentIds(manifest.segments, manifest.PendingSegments(), manifest.copies,
                           manifest.next_segment_id);
}

}  // namespace

std::string_view ToString(Tier tier) {
  return tier == Tier::kUncompressed ? "uncompressed" : "compressed";
}

std::optional<uint64_t> Manifest::PublishedPartsFrom() const {
  if (!pending.has_value()) return std::nullopt;
  const auto property = properties.find(kPartsFromProperty);
  uint64_t segment_id = 0;
  if (property == properties.end() || !absl::SimpleAtoi(property->second, &segment_id)) {
    return std::nullopt;
  }
  return segment_id;
}

uint64_t Manifest::PendingDocuments() const {
  uint64_t documents = pending.has_value() ? pending->doc_count() : 0;
  const std::optional<uint64_t> from = PublishedPartsFrom();
  if (!from.has_value()) return documents;
  for (const ManifestSegment& segment : segments) {
    if (segment.id >= *from) documents += segment.doc_count;
  }
  return documents;
}

std::string ManifestFileName(uint64_t generation) {
  // StrFormat would end the process if memory runs out.
  return absl::StrCat(ToAbsl(kPrefix), absl::Dec(generation, absl::kZeroPad16));
}

std::optional<uint64_t> ParseManifestFileName(std::string_view name) {
  if (name.size() != kPrefix.size() + kGenerationDigits || !name.starts_with(kPrefix)) return {};
  uint64_t generation = 0;
  const char* end = name.data() + name.size();
  const auto [parsed, error] = std::from_chars(name.data() + kPrefix.size(), end, generation);
  if (error != std::errc() || parsed != end) return {};
  return generation;
}

std::vector<std::byte> EncodeManifest(const Manifest& manifest) {
  std::vector<std::byte> out(sizeof(ManifestHeader));
  RecordWriter records(out);
  const IndexSettings& settings = manifest.settings;
  records.Add(
      kSettingsTag,
      BytesOf(SettingsRecord{
          static_cast<uint8_t>(settings.analyzer), settings.positions, settings.store_text, {}}));
  for (const ManifestPlace& place : manifest.places) records.Add(kPlaceTag, EncodePlace(place));
  for (const ManifestSegment& segment : manifest.segments) {
    records.Add(kSegmentTag, EncodeSegmentRecord(segment));
  }
  for (const ManifestSegment& segment : manifest.segments) {
    if (segment.deleted_count > 0) records.Add(kLiveDocsTag, EncodeLiveDocsRecord(segment));
  }
  for (const auto& [key, value] : manifest.properties) {
    records.Add(kPropertyTag, EncodeProperty(key, value));
  }
  for (const auto& [name, spec] : manifest.fields) {
    records.Add(kFieldTag, EncodeField(name, spec));
  }
  if (manifest.pending.has_value()) {
    records.Add(kPendingBuildTag, EncodePendingBuild(*manifest.pending));
    for (const ManifestSegment& segment : manifest.pending->segments) {
      records.Add(kPendingSegmentTag, EncodeSegmentRecord(segment));
    }
  }
  for (const KeptCopy& copy : manifest.copies) {
    records.Add(kCopyTag, EncodeCopyRecord(copy));
    if (copy.file.deleted_count > 0) records.Add(kLiveDocsTag, EncodeLiveDocsRecord(copy.file));
  }
  AddFacts(manifest.segments, records);
  AddFacts(manifest.PendingSegments(), records);
  const ManifestHeader header{
      kManifestMagic,      kManifestVersion,         kEndianMark,     out.size() + kTrailerBytes,
      manifest.generation, manifest.next_segment_id, records.count(), 0};
  std::memcpy(out.data(), &header, sizeof header);
  const uint32_t trailer[2] = {Crc32c(out), 0};
  const auto trailer_bytes = std::as_bytes(std::span(trailer));
  out.insert(out.end(), trailer_bytes.begin(), trailer_bytes.end());
  return out;
}

absl::StatusOr<Manifest> DecodeManifest(std::span<const std::byte> bytes,
                                        std::string_view file_name) {
  PMDEX_ASSIGN_OR_RETURN(const ManifestHeader header, DecodeHeader(bytes, file_name));
  Manifest manifest;
  manifest.generation = header.generation;
  manifest.next_segment_id = header.next_segment_id;
  const size_t end = bytes.size() - kTrailerBytes;
  size_t offset = sizeof header;
  for (uint32_t i = 0; i < header.record_count; ++i) {
    RecordHeader record;
    if (end - offset < sizeof record) return Damaged(file_name, offset, "a record is cut off");
    std::memcpy(&record, bytes.data() + offset, sizeof record);
    const size_t payload_offset = offset + sizeof record;
    if (record.payload_bytes > end - payload_offset ||
        AlignUp(record.payload_bytes, 8) > end - payload_offset) {
      return Damaged(file_name, offset, "a record is longer than the file");
    }
    PMDEX_RETURN_IF_ERROR(DecodeRecord(record, bytes.subspan(payload_offset, record.payload_bytes),
                                       file_name, offset, manifest));
    offset = payload_offset + AlignUp(record.payload_bytes, 8);
  }
  if (offset != end) return Damaged(file_name, offset, "bytes after the last record");
  if (const auto fault = FaultOfLists(manifest)) return Damaged(file_name, 32, *fault);
  return manifest;
}

}  // namespace pmdex
