#include "engine/store/placement/manifest_place.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "absl/strings/str_cat.h"

#include "pmem/file_name.h"

namespace pmdex {
namespace {

struct PlaceRecord {
  uint32_t number;
  uint32_t role;
  PlaceMark mark;
};
static_assert(sizeof(PlaceRecord) == 24);

}  // namespace

std::string_view ToString(PlaceRole role) {
  switch (role) {
    case PlaceRole::kUncompressed:
      return "uncompressed";
    case PlaceRole::kCompressed:
      return "compressed";
    case PlaceRole::kRetired:
      return "retired";
  }
  return "unknown";
}

std::vector<std::byte> EncodePlace(const ManifestPlace& place) {
  const PlaceRecord record{place.number, static_cast<uint32_t>(place.role), place.mark};
  std::vector<std::byte> payload(sizeof record + place.path.size());
  std::memcpy(payload.data(), &record, sizeof record);
  std::memcpy(payload.data() + sizeof record, place.path.data(), place.path.size());
  return payload;
}

std::optional<ManifestPlace> DecodePlace(std::span<const std::byte> payload) {
  PlaceRecord record;
  if (payload.size() < sizeof record) return std::nullopt;
  std::memcpy(&record, payload.data(), sizeof record);
  if (record.number == 0 || record.number > kMaxPlaces) return std::nullopt;
  if (record.role > static_cast<uint32_t>(PlaceRole::kRetired)) return std::nullopt;
  payload = payload.subspan(sizeof record);
  const std::string_view path(reinterpret_cast<const char*>(payload.data()), payload.size());
  if (!IsPlainAbsolutePath(path)) return std::nullopt;
  return ManifestPlace{record.number, static_cast<PlaceRole>(record.role), record.mark,
                       std::string(path)};
}

const ManifestPlace* FindPlace(std::span<const ManifestPlace> places, uint32_t number) {
  const auto found = std::find_if(places.begin(), places.end(),
                                  [number](const auto& place) { return place.number == number; });
  return found == places.end() ? nullptr : &*found;
}

std::optional<std::string> FaultOfPlaces(std::span<const ManifestPlace> places,
                                         std::span<const ManifestSegment> segments) {
  std::set<uint32_t> numbers = {0};
  std::set<std::string_view> paths;
  for (const ManifestPlace& place : places) {
    if (!numbers.insert(place.number).second || !paths.insert(place.path).second) {
      return absl::StrCat("place ", place.number, " is listed twice");
    }
  }
  for (const ManifestSegment& segment : segments) {
    if (!numbers.contains(segment.place)) {
      return absl::StrCat("segment ", segment.id, " is at place ", segment.place,
                          ", which is not listed");
    }
  }
  return std::nullopt;
}

}  // namespace pmdex
