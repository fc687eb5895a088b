// The layout of a file of live documents, which lies beside its segment. docs/FORMAT.md describes
// it in words. All numbers are little-endian. engine/store/deletions/live_docs_file.h reads and
// writes these files.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pmdex {

// The first bytes in every version of the format: "PMDEXLIV".
inline constexpr uint64_t kLiveDocsMagic = 0x56494c5845444d50;
inline constexpr uint32_t kLiveDocsVersion = 1;

// Behind the header are the words of LiveDocs::words(), which begin at a multiple of 64 bytes.
struct LiveDocsHeader {
  uint64_t magic;
  uint32_t version;
  uint32_t endian_mark;
  uint64_t file_bytes;
  uint64_t segment_id;
  uint64_t generation;  // of the live documents of this segment
  uint32_t doc_count;   // of the segment, deleted ones included
  uint32_t live_count;
  uint32_t reserved[2];
  uint32_t words_check;  // CRC32C of the words
  uint32_t check;        // CRC32C of the header before this field; the manifest lists it, too
};
static_assert(sizeof(LiveDocsHeader) == 64);
inline constexpr size_t kLiveDocsCheckOffset = 60;
inline constexpr size_t kLiveDocsWordsCheckOffset = 56;

}  // namespace pmdex
