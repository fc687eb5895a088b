// Documents' entries (format.h: DocEntry): how large those of a segment are made, writing and
// reading one.
//
// Entries have one size in a segment, chosen so that nearly all ids stand in them: a hit then costs
// one place in memory to name instead of two, the second of which would wait for the first. Not
// thread-safe while writing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "engine/segment/file/section_stream.h"
#include "engine/segment/format.h"

namespace pmdex {

bool IsDocEntrySize(uint32_t entry_bytes);

// The sizes of the ids of a segment, and the size of entries that follows from them: the smallest
// that has room for nine ids in ten; the smallest there is when none has.
class DocIdSizes {
 public:
  void Add(uint64_t id_bytes);

  uint32_t EntryBytes() const;
  // Of the ids that do not fit into their entry then.
  uint64_t BytesBesideEntries() const;

 private:
  struct Fitting {
    uint64_t ids = 0;
    uint64_t bytes = 0;
  };
  std::array<Fitting, std::size(kDocEntrySizes)> fitting_{};  // into entries of each size
  uint64_t ids_ = 0;
  uint64_t bytes_ = 0;
};

// Writes entries of a size that IsDocEntrySize, and beside them the ids that do not fit. Refers to
// the streams.
class DocEntryWriter {
 public:
  DocEntryWriter(uint32_t entry_bytes, SectionStream& entries, SectionStream& ids)
      : entry_bytes_(entry_bytes), entries_(entries), ids_(ids) {}

  // The next document. Requires an id below 64 KiB.
  void Append(std::string_view id, uint32_t token_count) const;

 private:
  const uint32_t entry_bytes_;
  SectionStream& entries_;
  SectionStream& ids_;
};

// The id of an entry of entry_bytes bytes; nothing when it lies in kDocIdBytes.
inline std::optional<std::string_view> IdInEntry(const DocEntry& entry, uint32_t entry_bytes) {
  if (entry.id_bytes > DocEntryIdRoom(entry_bytes)) return std::nullopt;
  const auto* const bytes = reinterpret_cast<const char*>(&entry);
  return std::string_view(bytes + offsetof(DocEntry, id_begin), entry.id_bytes);
}

}  // namespace pmdex
