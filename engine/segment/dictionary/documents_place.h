// Reads and writes where the documents of a term are, as kTermBlocks stores it beside the term. A
// prefix or wildcard needs the documents of many terms and nothing else. With their places beside
// the terms it reads two ranges of the file, instead of one entry of the hash table for each term.
// The entry of the term has the same facts. Pure; thread-safe.
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
  std::array<DocId, kMaxInlinePostings> docids{};  // of an inline list: df docids
  uint64_t postings_offset = 0;                    // of another list: its extent in kPostings
};

inline constexpr size_t kMaxDocumentsPlaceBytes = 1 + kMaxInlinePostings * sizeof(DocId);

// The size of a place whose first byte is `first`; 0 if no place begins so.
constexpr size_t DocumentsPlaceBytes(std::byte first) {
  const auto count = std::to_integer<size_t>(first);
  if (count == 0) return 1 + sizeof(uint32_t) + kExtentNumberBytes;
  return count <= kMaxInlinePostings ? 1 + count * sizeof(DocId) : 0;
}

// An upper bound of the size of the place of a list of df postings.
constexpr size_t MaxDocumentsPlaceBytes(uint32_t df) {
  const size_t of_extent = DocumentsPlaceBytes(std::byte{0});
  return df > kMaxInlinePostings ? of_extent
                                 : std::max(of_extent, DocumentsPlaceBytes(std::byte(df)));
}

// Reads the place at `bytes`. first: the first of these bytes. The caller has read it once, because
// mapped bytes may turn to zeros at any time. Requires that DocumentsPlaceBytes(first) bytes can be
// read.
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

// Writes the place of an entry's list to `out` and returns its size. Requires room for
// kMaxDocumentsPlaceBytes, an entry that is not empty, and postings_offset < kMaxPostingsBytes.
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
