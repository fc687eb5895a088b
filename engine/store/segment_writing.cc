// How an IndexWriter writes segments: the choice of place and tier, and conversions.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/segment/segment_copy.h"
#include "engine/store/index_writer.h"
#include "engine/store/placement/segment_converter.h"
#include "pmem/check.h"
#include "pmem/exhaustion.h"
#include "pmem/mutex.h"

namespace pmdex {

namespace {

absl::Status PlaceIsAbsent(uint32_t place, const Directory& index) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    absl::StrCat("place ", place, " of the index in ", index.path(), " is absent"));
}

}  // namespace

// If it cannot, the next writer does.
void IndexWriter::RemoveFile(const ManifestSegment& segment) {
  places_.Find(segment.place)->Remove(SegmentFileName(segment.id)).IgnoreError();
}

absl::StatusOr<const Directory*> IndexWriter::FindPlaceOf(const ManifestSegment& listed) const {
  const Directory* directory = places_.Find(listed.place);
  if (directory == nullptr) return PlaceIsAbsent(listed.place, directory_);
  return directory;
}

absl::StatusOr<uint64_t> IndexWriter::TakeSegmentId() {
  MutexLock lock(&mutex_);
  while (taken_.segment_ids.contains(next_segment_id_)) ++next_segment_id_;
  if (next_segment_id_ >= kSegmentIdLimit) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      absl::StrCat("no segment id is left in ", directory_.path(),
                                   " (hint: index into a new directory)"));
  }
  return next_segment_id_++;
}

absl::StatusOr<SegmentFileInfo> IndexWriter::WriteTo(uint32_t place, SegmentInput& input) {
  // After a crash nobody would remove the segment of a place that no manifest lists.
  PMDEX_CHECK(place == 0 || FindPlace(manifest_.places, place) != nullptr);
  PMDEX_ASSIGN_OR_RETURN(const uint64_t id, TakeSegmentId());
  choice_.Begin(place);
  auto info = pmdex::WriteSegment(*places_.Find(place), id, input);
  choice_.End(place, info.ok() ? info->file_bytes : 0);
  if (!info.ok()) return info;
  ManifestSegment segment;
  segment.id = id;
  segment.file_bytes = info->file_bytes;
  segment.header_crc = info->header_crc;
  segment.doc_count = info->doc_count;
  segment.place = place;
  segment.created_s = now_s_;
  MutexLock lock(&mutex_);
  unpublished_.push_back(segment);
  return info;
}

absl::StatusOr<SegmentFileInfo> IndexWriter::WriteUncompressed(SegmentInput& input) {
  absl::Status full = MakeStatus(absl::StatusCode::kFailedPrecondition,
                                 absl::StrCat("all places of the index in ", directory_.path(),
                                              " are absent (hint: mount them, or name others "
                                              "with --place)"));
  for (const uint32_t place : choice_.Order()) {
    auto info = WriteTo(place, input);
    if (ExhaustedResource(info.status()) != Resource::kSpace) return info;
    full = info.status();
  }
  return full;
}

absl::StatusOr<SegmentFileInfo> IndexWriter::AddCopy(const Segment& source,
                                                     const ManifestSegment& listed) {
  PMDEX_ASSIGN_OR_RETURN(const uint64_t id, TakeSegmentId());
  PMDEX_ASSIGN_OR_RETURN(SegmentFileInfo info, CopySegment(source, directory_, id));
  ManifestSegment segment;
  segment.id = id;
  segment.file_bytes = info.file_bytes;
  segment.header_crc = info.header_crc;
  segment.doc_count = info.doc_count;
  segment.tier = source.is_compressed() ? Tier::kCompressed : Tier::kUncompressed;
  segment.created_s = listed.created_s;
  segment.heat = listed.heat;
  MutexLock lock(&mutex_);
  unpublished_.push_back(segment);
  return info;
}

// Writes an uncompressed segment where the compressed ones lie, and converts it there.
absl::StatusOr<SegmentFileInfo> IndexWriter::WriteCompressed(SegmentInput& input) {
  const std::optional<uint32_t> place = places_.CompressedPlace();
  if (!place.has_value()) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      absl::StrCat("the place of compressed segments of the index in ",
                                   directory_.path(), " is absent"));
  }
  PMDEX_ASSIGN_OR_RETURN(SegmentFileInfo info, WriteTo(*place, input));
  ManifestSegment written;
  {
    MutexLock lock(&mutex_);
    const auto found =
        std::find_if(unpublished_.begin(), unpublished_.end(),
                     [&](const ManifestSegment& segment) { return segment.id == info.segment_id; });
    written = *found;
    unpublished_.erase(found);
  }
  const auto converted = ConvertTo(written, Tier::kCompressed, *place);
  RemoveFile(written);
  if (!converted.ok()) return converted.status();
  info.segment_id = converted->id;
  info.file_name = SegmentFileName(converted->id);
  info.file_bytes = converted->file_bytes;
  info.header_crc = converted->header_crc;
  MutexLock lock(&mutex_);
  unpublished_.push_back(*converted);
  return info;
}

absl::StatusOr<SegmentFileInfo> IndexWriter::WriteSegment(SegmentInput& input) {
  const bool compressed = tier_ == TierChoice::kCompressed ||
                          (tier_ == TierChoice::kAsIndex && is_compressed_) ||
                          (tier_ == TierChoice::kAuto && choice_.bytes() >= uncompressed_limit_);
  if (compressed) return WriteCompressed(input);
  auto info = WriteUncompressed(input);
  const bool spills =
      (tier_ == TierChoice::kAuto && ExhaustedResource(info.status()) == Resource::kSpace) ||
      (tier_ == TierChoice::kAsIndex && MaySpill(info.status()));
  return spills ? WriteCompressed(input) : info;
}

// Whether an uncompressed segment had no space, and compressed ones lie in another directory.
bool IndexWriter::MaySpill(const absl::Status& written) const {
  if (ExhaustedResource(written) != Resource::kSpace) return false;
  const std::optional<uint32_t> other = places_.CompressedPlace();
  const std::vector<uint32_t> full = places_.UncompressedPlaces();
  return other.has_value() && std::find(full.begin(), full.end(), *other) == full.end();
}

absl::StatusOr<ManifestSegment> IndexWriter::ConvertTo(const ManifestSegment& listed, Tier tier,
                                                       uint32_t place) {
  PMDEX_ASSIGN_OR_RETURN(const Directory* from, FindPlaceOf(listed));
  Directory* to = places_.Find(place);
  if (to == nullptr) return PlaceIsAbsent(place, directory_);
  PMDEX_CHECK(place == 0 || FindPlace(manifest_.places, place) != nullptr);  // as in WriteTo
  PMDEX_ASSIGN_OR_RETURN(const auto source, OpenListedSegment(*from, listed));
  PMDEX_ASSIGN_OR_RETURN(const uint64_t id, TakeSegmentId());
  PMDEX_ASSIGN_OR_RETURN(ManifestSegment converted, ConvertSegment(*source, listed, tier, *to, id));
  converted.place = place;
  return converted;
}

absl::StatusOr<ManifestSegment> IndexWriter::Convert(uint64_t segment_id, Tier tier,
                                                     std::optional<uint32_t> place) {
  const auto listed = std::find_if(
      next_.segments.begin(), next_.segments.end(),
      [segment_id](const ManifestSegment& segment) { return segment.id == segment_id; });
  if (listed == next_.segments.end()) {
    return MakeStatus(absl::StatusCode::kNotFound,
                      absl::StrCat("the index in ", directory_.path(), " has no segment ",
                                   SegmentFileName(segment_id)));
  }
  if (!place.has_value()) {
    const std::vector<uint32_t> order = choice_.Order();
    place = tier == Tier::kCompressed ? places_.CompressedPlace()
            : order.empty()           ? std::nullopt
                                      : std::optional(order.front());
  }
  if (!place.has_value()) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      "the places for this tier are absent (hint: mount them)");
  }
  PMDEX_ASSIGN_OR_RETURN(const Directory* from, FindPlaceOf(*listed));
  PMDEX_ASSIGN_OR_RETURN(auto live_docs, deletions_.Find(*from, *listed));
  PMDEX_ASSIGN_OR_RETURN(ManifestSegment converted, ConvertTo(*listed, tier, *place));
  Replace(*listed, converted, std::move(live_docs));
  return converted;
}

bool IndexWriter::IsPlaced(const ManifestSegment& segment, Tier tier) const {
  if (segment.tier != tier) return false;
  if (tier == Tier::kCompressed) return places_.CompressedPlace() == segment.place;
  const std::vector<uint32_t> places = places_.UncompressedPlaces();
  return std::find(places.begin(), places.end(), segment.place) != places.end();
}

std::vector<std::string> IndexWriter::UncompressedPaths() const {
  std::vector<std::string> paths;
  for (const uint32_t place : places_.UncompressedPlaces()) {
    paths.push_back(places_.Find(place)->path());
  }
  return paths;
}

void IndexWriter::AddHeat(const std::map<uint64_t, uint64_t>& queries) {
  for (ManifestSegment& segment : next_.segments) {
    const auto found = queries.find(segment.id);
    if (found != queries.end()) segment.heat += found->second;
  }
}

}  // namespace pmdex
