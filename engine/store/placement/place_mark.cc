#include "engine/store/placement/place_mark.h"

#include <cstring>
#include <span>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

#include "pmem/text.h"

namespace pmdex {
namespace {

constexpr std::string_view kFirstLine = "pmdex place 1\n";
constexpr std::string_view kMarkKey = "mark ";
constexpr std::string_view kIndexKey = "\nindex ";
constexpr size_t kMarkDigits = 2 * sizeof(PlaceMark);

bool Take(std::string_view& text, std::string_view begin) {
  if (!text.starts_with(begin)) return false;
  text.remove_prefix(begin.size());
  return true;
}

std::string HexOf(const PlaceMark& mark) {
  const std::string_view bytes(reinterpret_cast<const char*>(mark.data()), mark.size());
  return absl::BytesToHexString(ToAbsl(bytes));
}

}  // namespace

std::string EncodePlaceOwner(const PlaceOwner& owner) {
  return absl::StrCat(ToAbsl(kFirstLine), ToAbsl(kMarkKey), HexOf(owner.mark), ToAbsl(kIndexKey),
                      owner.index, "\n");
}

std::optional<PlaceOwner> DecodePlaceOwner(std::string_view text) {
  const std::string_view whole = text;
  if (!Take(text, kFirstLine) || !Take(text, kMarkKey)) return std::nullopt;
  if (text.size() < kMarkDigits) return std::nullopt;
  const std::string_view digits = text.substr(0, kMarkDigits);
  if (digits.find_first_not_of("0123456789abcdef") != digits.npos) return std::nullopt;
  text.remove_prefix(kMarkDigits);
  if (!Take(text, kIndexKey) || !text.ends_with('\n')) return std::nullopt;
  PlaceOwner owner;
  const std::string mark = absl::HexStringToBytes(ToAbsl(digits));
  std::memcpy(owner.mark.data(), mark.data(), owner.mark.size());
  owner.index = text.substr(0, text.size() - 1);
  if (EncodePlaceOwner(owner) != whole) return std::nullopt;
  return owner;
}

absl::StatusOr<PlaceOwner> ReadPlaceOwner(const Directory& place) {
  PMDEX_ASSIGN_OR_RETURN(const auto file, place.Open(kPlaceMarkName));
  std::optional<PlaceOwner> owner;
  if (file->bytes().size() <= kMaxPlaceMarkBytes) {
    PMDEX_RETURN_IF_ERROR(file->Populate(0, file->bytes().size()));
    const auto bytes = file->bytes();
    owner = DecodePlaceOwner({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    PMDEX_RETURN_IF_ERROR(file->Health());
  }
  if (owner.has_value()) return *std::move(owner);
  return DataLoss(
      absl::StrCat(place.path(), "/", ToAbsl(kPlaceMarkName), ": this is not the mark of a place"));
}

absl::Status WritePlaceOwner(Directory& place, const PlaceOwner& owner) {
  absl::Status removed = place.Remove(kPlaceMarkTemporaryName);
  if (!removed.ok() && !absl::IsNotFound(removed)) return removed;
  const std::string text = EncodePlaceOwner(owner);
  PMDEX_ASSIGN_OR_RETURN(auto file, place.Create(kPlaceMarkTemporaryName, text.size()));
  file->StoreAndFlush(0, std::as_bytes(std::span(text)));
  PMDEX_RETURN_IF_ERROR(file->Drain());
  PMDEX_RETURN_IF_ERROR(file->Seal(text.size()));
  PMDEX_RETURN_IF_ERROR(place.Rename(kPlaceMarkTemporaryName, kPlaceMarkName));
  return place.Sync();
}

absl::Status CheckPlaceMark(const Directory& place, const ManifestPlace& listed) {
  const auto owner = ReadPlaceOwner(place);
  if (absl::IsNotFound(owner.status())) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      absl::StrCat(place.path(), " has no ", ToAbsl(kPlaceMarkName),
                                   ": it is not the place that the index lists"));
  }
  if (!owner.ok()) return owner.status();
  if (owner->mark == listed.mark) return absl::OkStatus();
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    absl::StrCat(place.path(), " is a place of another index"));
}

}  // namespace pmdex
