#include "engine/store/segment_records.h"

#include <algorithm>
#include <cstring>

namespace pmdex {
namespace {

struct SegmentRecord {
  uint64_t id;
  uint64_t file_bytes;
  uint32_t header_crc;
  uint32_t doc_count;
  uint32_t tier;
  uint32_t place;
  uint64_t live_docs_generation;
};
static_assert(sizeof(SegmentRecord) == 40);

// Of a visible or pending segment whose record is before it.
struct SegmentFactsRecord {
  uint64_t id;
  uint64_t created_s;
  uint64_t heat;
};
static_assert(sizeof(SegmentFactsRecord) == 24);

// Of a visible segment whose record is before it.
struct LiveDocsRecord {
  uint64_t id;
  uint64_t generation;
  uint32_t check;  // LiveDocsHeader::check
  uint32_t deleted_count;
};
static_assert(sizeof(LiveDocsRecord) == 24);

struct CopyRecord {
  uint64_t of;
  SegmentRecord file;
};
static_assert(sizeof(CopyRecord) == 48);

template <typename T>
std::vector<std::byte> EncodeBytes(const T& record) {
  const auto bytes = std::as_bytes(std::span(&record, 1));
  return {bytes.begin(), bytes.end()};
}

template <typename T>
std::optional<T> DecodeBytes(std::span<const std::byte> payload) {
  T record;
  if (payload.size() < sizeof record) return std::nullopt;
  std::memcpy(&record, payload.data(), sizeof record);
  return record;
}

SegmentRecord RecordOf(const ManifestSegment& segment) {
  return {segment.id,
          segment.file_bytes,
          segment.header_crc,
          segment.doc_count,
          static_cast<uint32_t>(segment.tier),
          segment.place,
          segment.live_docs_generation};
}

std::optional<ManifestSegment> SegmentOf(const SegmentRecord& record) {
  if (record.tier > static_cast<uint32_t>(Tier::kCompressed)) return std::nullopt;
  ManifestSegment segment;
  segment.id = record.id;
  segment.file_bytes = record.file_bytes;
  segment.header_crc = record.header_crc;
  segment.doc_count = record.doc_count;
  segment.tier = static_cast<Tier>(record.tier);
  segment.live_docs_generation = record.live_docs_generation;
  segment.place = record.place;
  return segment;
}

ManifestSegment* FindById(std::span<ManifestSegment> segments, uint64_t id) {
  const auto found =
      std::find_if(segments.begin(), segments.end(),
                   [id](const ManifestSegment& segment) { return segment.id == id; });
  return found == segments.end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::byte> EncodeSegmentRecord(const ManifestSegment& segment) {
  return EncodeBytes(RecordOf(segment));
}

std::optional<ManifestSegment> DecodeSegmentRecord(std::span<const std::byte> payload) {
  const auto record = DecodeBytes<SegmentRecord>(payload);
  return record.has_value() ? SegmentOf(*record) : std::nullopt;
}

std::vector<std::byte> EncodeFactsRecord(const ManifestSegment& segment) {
  return EncodeBytes(SegmentFactsRecord{segment.id, segment.created_s, segment.heat});
}

bool AddFactsRecord(std::span<const std::byte> payload, std::span<ManifestSegment> segments) {
  const auto record = DecodeBytes<SegmentFactsRecord>(payload);
  if (!record.has_value()) return false;
  ManifestSegment* segment = FindById(segments, record->id);
  if (segment == nullptr) return true;
  segment->created_s = record->created_s;
  segment->heat = record->heat;
  return true;
}

std::vector<std::byte> EncodeLiveDocsRecord(const ManifestSegment& segment) {
  return EncodeBytes(LiveDocsRecord{segment.id, segment.live_docs_generation,
                                    segment.live_docs_check, segment.deleted_count});
}

bool AddLiveDocsRecord(std::span<const std::byte> payload, std::span<ManifestSegment> segments) {
  const auto record = DecodeBytes<LiveDocsRecord>(payload);
  if (!record.has_value()) return false;
  ManifestSegment* segment = FindById(segments, record->id);
  if (segment == nullptr || segment->live_docs_generation != record->generation) return false;
  segment->live_docs_check = record->check;
  segment->deleted_count = record->deleted_count;
  return true;
}

std::vector<std::byte> EncodeCopyRecord(const KeptCopy& copy) {
  return EncodeBytes(CopyRecord{copy.of, RecordOf(copy.file)});
}

std::optional<KeptCopy> DecodeCopyRecord(std::span<const std::byte> payload) {
  const auto record = DecodeBytes<CopyRecord>(payload);
  if (!record.has_value()) return std::nullopt;
  const auto file = SegmentOf(record->file);
  if (!file.has_value()) return std::nullopt;
  return KeptCopy{record->of, *file};
}

}  // namespace pmdex
