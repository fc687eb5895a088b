#include "engine/segment/documents/doc_entries.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "pmem/check.h"

namespace pmdex {
namespace {

constexpr uint32_t kLargestEntry = *std::rbegin(kDocEntrySizes);

}  // namespace

bool IsDocEntrySize(uint32_t entry_bytes) {
  return std::find(std::begin(kDocEntrySizes), std::end(kDocEntrySizes), entry_bytes) !=
         std::end(kDocEntrySizes);
}

void DocIdSizes::Add(uint64_t id_bytes) {
  ++ids_;
  bytes_ += id_bytes;
  for (size_t i = 0; i < fitting_.size(); ++i) {
    if (id_bytes > DocEntryIdRoom(kDocEntrySizes[i])) continue;
    ++fitting_[i].ids;
    fitting_[i].bytes += id_bytes;
  }
}

uint32_t DocIdSizes::EntryBytes() const {
  for (size_t i = 0; i < fitting_.size(); ++i) {
    if (fitting_[i].ids >= ids_ - ids_ / 10) return kDocEntrySizes[i];
  }
  return kDocEntrySizes[0];
}

uint64_t DocIdSizes::BytesBesideEntries() const {
  const auto* const size =
      std::find(std::begin(kDocEntrySizes), std::end(kDocEntrySizes), EntryBytes());
  return bytes_ - fitting_[static_cast<size_t>(size - std::begin(kDocEntrySizes))].bytes;
}

void DocEntryWriter::Append(std::string_view id, uint32_t token_count) const {
  PMDEX_DCHECK(id.size() <= UINT16_MAX);
  std::array<std::byte, kLargestEntry> bytes{};
  DocEntry entry{};
  entry.token_count = token_count;
  entry.id_bytes = static_cast<uint16_t>(id.size());
  const bool fits = id.size() <= DocEntryIdRoom(entry_bytes_);
  if (!fits) {
    entry.id_offset = ids_.size_bytes();
    ids_.AppendArray(std::span<const char>(id));
  }
  std::memcpy(bytes.data(), &entry, sizeof(entry));
  if (fits) {
    std::copy(id.begin(), id.end(),
              reinterpret_cast<char*>(bytes.data()) + offsetof(DocEntry, id_begin));
  }
  entries_.Append(std::span(bytes).first(entry_bytes_));
}

}  // namespace pmdex
