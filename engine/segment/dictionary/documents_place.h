// Where the documents of a term are: what the ordered dictionary holds of a posting list beside the
// term, so that a prefix or a wildcard, which wants nothing but documents of many terms, reads two
// ranges of the file instead of an entry here and there for each term. Says nothing that the term's
// entry does not say; format.h: kTermBlocks has the bytes. Pure; thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/segment/format.h"

namespace pmdex {

struct DocumentsPlace {
  uint32_t df = 0;
  bool is_inline = false;
  std::array<DocId, kMaxInlinePostings> docids{};  // inline: df of them
  uint64_t postings_offset = 0;                    // otherwise: of the extent in kPostings
};

inline constexpr size_t kMaxDocumentsPlaceBytes = 1 + kMaxInlinePostings * sizeof(DocId);

// How many bytes a place has that begins with this one; 0: none does.
constexpr size_t DocumentsPlaceBytes(std::byte first) {
  const auto count = std::to_integer<size_t>(first);
  if (count == 0) return 1 + sizeof(uint32_t) + kExtentNumberBytes;
  return count <= kMaxInlinePostings ? 1 + count * sizeof(DocId) : 0;
}

// At most so many for a list of df postings.
constexpr size_t MaxDocumentsPlaceBytes(uint32_t df) {
  const size_t of_extent = DocumentsPlaceBytes(std::byte{0});
  return df > kMaxInlinePostings ? of_extent
                                 : std::max(of_extent, DocumentsPlaceBytes(std::byte(df)));
}

// Requires that DocumentsPlaceBytes(first) can be read, where `first` is what *bytes was when that
// was found out: mapped bytes may turn to zeros between two looks.
inline DocumentsPlace ReadDocumentsPlace(std::byte first, const std::byte* bytes) {
  DocumentsPlace place;
  place.df = std::to_integer<uint32_t>(first);
  place.is_inline = place.df != 0;
  ++bytes;
  if (place.is_inline) {
    for (uint32_t i = 0; i < place.df; ++i) {
      std::memcpy(&place.docids[i], bytes + i * sizeof(DocId), sizeof(DocId));
    }
    return place;
  }
  uint64_t number = 0;
  std::memcpy(&place.df, bytes, sizeof(place.df));
  std::memcpy(&number, bytes + sizeof(place.df), kExtentNumberBytes);
  place.postings_offset = number * kExtentUnit;
  return place;
}

// The place of an entry's list; returns how many bytes it has. Requires room for
// kMaxDocumentsPlaceBytes, an entry that is not empty, an offset that can be one.
inline size_t WriteDocumentsPlace(const DictionaryEntry& entry, std::byte* out) {
  const bool is_inline = entry.representation == Representation::kInline ||
                         entry.representation == Representation::kInlineWithPositions;
  if (is_inline) {
    const uint32_t count = entry.df < kMaxInlinePostings ? entry.df : kMaxInlinePostings;
    *out = static_cast<std::byte>(count);
    std::memcpy(out + 1, entry.inlined.docids, count * sizeof(DocId));
    return 1 + count * sizeof(DocId);
  }
  const uint64_t number = entry.lanes.postings_offset / kExtentUnit;
  *out = std::byte{0};
  std::memcpy(out + 1, &entry.df, sizeof(entry.df));
  std::memcpy(out + 1 + sizeof(entry.df), &number, kExtentNumberBytes);
  return 1 + sizeof(entry.df) + kExtentNumberBytes;
}

}  // namespace pmdex
