// Writes and reads the entries of documents (kDocEntries in format.h), and chooses their size.
//
// All entries of a segment have the same size, which is large enough for nearly all ids. The id of
// a hit then costs one read instead of two reads, of which the second waits for the first. A writer
// belongs to one thread; the other functions are pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "engine/segment/file/section_stream.h"
#include "engine/segment/format.h"

namespace pmdex {

// True if entries may have this size.
constexpr bool IsDocEntrySize(uint32_t entry_bytes) {
  return entry_bytes >= kMinDocEntryBytes && entry_bytes <= kMaxDocEntryBytes;
}

// Chooses the size of the entries from the sizes of the ids: the smallest entry that has room for
// nine ids in ten, or the smallest of all if no entry has.
class DocIdSizes {
 public:
  void Add(uint64_t id_bytes);

  uint32_t EntryBytes() const;
  // The size of all ids that do not fit into entries of EntryBytes().
  uint64_t BytesBesideEntries() const;

 private:
  // Indexed by size: the number of ids, as far as they fit into the largest entry.
  std::array<uint64_t, kMaxDocEntryBytes> ids_of_size_{};
  uint64_t ids_ = 0;
  uint64_t bytes_ = 0;
};

// Writes the entries, and the ids that do not fit into them.
class DocEntryWriter {
 public:
  // Requires IsDocEntrySize(entry_bytes). The streams must outlive the writer.
  DocEntryWriter(uint32_t entry_bytes, SectionStream& entries, SectionStream& ids)
      : entry_bytes_(entry_bytes), entries_(entries), ids_(ids) {}

  // Appends the next document. Requires an id of less than 64 KiB.
  void Append(std::string_view id) const;

 private:
  const uint32_t entry_bytes_;
  SectionStream& entries_;
  SectionStream& ids_;
};

// Where an id is that does not fit into its entry.
struct DocIdPlace {
  uint64_t offset = 0;  // in kDocIdBytes
  uint16_t id_bytes = 0;
};

// The id that is in an entry; nullopt if it is elsewhere. Requires IsDocEntrySize(entry.size()).
std::optional<std::string_view> IdInEntry(std::span<const std::byte> entry);
// The place of an id that is elsewhere; nullopt if the entry has none. Requires the same.
std::optional<DocIdPlace> IdPlaceInEntry(std::span<const std::byte> entry);

}  // namespace pmdex
