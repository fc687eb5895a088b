#include "engine/segment/documents/doc_entries.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "pmem/check.h"

namespace pmdex {

void DocIdSizes::Add(uint64_t id_bytes) {
  ++ids_;
  bytes_ += id_bytes;
  if (id_bytes <= DocEntryIdRoom(kMaxDocEntryBytes)) ++ids_of_size_[id_bytes];
}

uint32_t DocIdSizes::EntryBytes() const {
  uint64_t fitting = 0;
  for (uint32_t id_bytes = 0; id_bytes < ids_of_size_.size(); ++id_bytes) {
    fitting += ids_of_size_[id_bytes];
    if (fitting >= ids_ - ids_ / 10) return std::max(kMinDocEntryBytes, id_bytes + 1);
  }
  return kMinDocEntryBytes;
}

uint64_t DocIdSizes::BytesBesideEntries() const {
  uint64_t beside = bytes_;
  for (uint32_t size = 0; size <= DocEntryIdRoom(EntryBytes()); ++size) {
    beside -= ids_of_size_[size] * size;
  }
  return beside;
}

void DocEntryWriter::Append(std::string_view id) const {
  PMDEX_DCHECK(id.size() <= UINT16_MAX);
  std::array<std::byte, kMaxDocEntryBytes> bytes{};
  if (id.size() <= DocEntryIdRoom(entry_bytes_)) {
    bytes[0] = static_cast<std::byte>(id.size());
    std::copy(id.begin(), id.end(), reinterpret_cast<char*>(bytes.data()) + 1);
  } else {
    const auto id_bytes = static_cast<uint16_t>(id.size());
    const uint64_t offset = ids_.size_bytes();
    bytes[0] = static_cast<std::byte>(kDocIdBeside);
    std::memcpy(bytes.data() + 1, &id_bytes, sizeof(id_bytes));
    std::memcpy(bytes.data() + 1 + sizeof(id_bytes), &offset, kDocIdOffsetBytes);
    ids_.AppendArray(std::span<const char>(id));
  }
  entries_.Append(std::span(bytes).first(entry_bytes_));
}

std::optional<std::string_view> IdInEntry(std::span<const std::byte> entry) {
  const auto id_bytes = std::to_integer<size_t>(entry[0]);
  if (id_bytes >= entry.size()) return std::nullopt;
  return std::string_view(reinterpret_cast<const char*>(entry.data()) + 1, id_bytes);
}

std::optional<DocIdPlace> IdPlaceInEntry(std::span<const std::byte> entry) {
  if (entry[0] != static_cast<std::byte>(kDocIdBeside)) return std::nullopt;
  DocIdPlace place;
  std::memcpy(&place.id_bytes, entry.data() + 1, sizeof(place.id_bytes));
  std::memcpy(&place.offset, entry.data() + 1 + sizeof(place.id_bytes), kDocIdOffsetBytes);
  return place;
}

}  // namespace pmdex
