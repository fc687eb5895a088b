// What a memtable's table holds of a term: the term, and its postings under construction. Most
// terms of most inputs occur once: of these it holds the one occurrence and no more, in little more
// than a third of the space, and away from the entries that tokens find again and again. Trivial
// types.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/memtable/posting_slices.h"
#include "engine/segment/format.h"

namespace pmdex {

inline constexpr size_t kInlineEntryTermBytes = 12;

// What both kinds begin with.
struct TermHead {
  uint64_t head;  // the first eight bytes of the term, zero-padded
  uint32_t rest;  // up to 12 bytes: the others, zero-padded; longer: Arena::Handle of the term
  FieldId field;
  uint8_t term_bytes;  // 1..255
  uint8_t reserved;
};
static_assert(sizeof(TermHead) == 16 && offsetof(TermHead, rest) == 8 &&
              offsetof(TermHead, field) == 12 && offsetof(TermHead, term_bytes) == 14 &&
              offsetof(TermHead, reserved) == 15);

struct Occurrence {
  DocId doc;
  uint32_t position;
};

// A term that has occurred once (a hapax legomenon).
struct HapaxEntry : TermHead {
  Occurrence occurrence;
};
static_assert(sizeof(HapaxEntry) == 24);

// Of an occurrence that was taken back.
inline constexpr DocId kNoOccurrence = 0xffffffff;

// A term that has occurred more often: one cache line.
struct TermEntry : TermHead {
  SliceChain postings;  // of what: memtable_postings.h; begins in `first`
  uint8_t first[12];
  uint32_t next_doc;       // the document behind that of the last posting; 0 before the first
  uint32_t freq;           // of the last posting
  uint32_t last_position;  // with positions
  uint32_t df;
  uint32_t cf;
};
static_assert(sizeof(TermEntry) == 64);

}  // namespace pmdex
