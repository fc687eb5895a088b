// Writes and reads the entries of documents (DocEntry in format.h), and chooses their size.
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

// True for the values of kDocEntrySizes.
bool IsDocEntrySize(uint32_t entry_bytes);

// Chooses the size of the entries from the sizes of the ids: the smallest entry that has room for
// nine ids in ten, or the smallest of all if no entry has.
class DocIdSizes {
 public:
  void Add(uint64_t id_bytes);

  uint32_t EntryBytes() const;
  // The size of all ids that do not fit into entries of EntryBytes().
  uint64_t BytesBesideEntries() const;

 private:
  struct Fitting {
    uint64_t ids = 0;
    uint64_t bytes = 0;
  };
  // The ids that fit into entries of each size.
  std::array<Fitting, std::size(kDocEntrySizes)> fitting_{};
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
  void Append(std::string_view id, uint32_t token_count) const;

 private:
  const uint32_t entry_bytes_;
  SectionStream& entries_;
  SectionStream& ids_;
};

// The id that is in an entry of entry_bytes bytes; nullopt if it is in kDocIdBytes.
inline std::optional<std::string_view> IdInEntry(const DocEntry& entry, uint32_t entry_bytes) {
  if (entry.id_bytes > DocEntryIdRoom(entry_bytes)) return std::nullopt;
  const auto* const bytes = reinterpret_cast<const char*>(&entry);
  return std::string_view(bytes + offsetof(DocEntry, id_begin), entry.id_bytes);
}

}  // namespace pmdex
