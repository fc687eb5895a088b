// What the table of a memtable holds for a term: the term, and its postings under construction.
// Most terms of most inputs occur once. For these the table holds only the one occurrence, which
// takes little more than a third of the space, apart from the entries that many tokens find.
// Trivial types.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/memtable/posting_slices.h"
#include "engine/segment/format.h"

namespace pmdex {

inline constexpr size_t kInlineEntryTermBytes = 12;

// What both kinds of entry begin with.
struct TermHead {
  uint64_t head;  // the first eight bytes of the term, zero-padded
  // A term of up to 12 bytes: the bytes behind `head`, zero-padded. A longer one: its
  // Arena::Handle.
  uint32_t rest;
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

// The doc of an occurrence that was removed.
inline constexpr DocId kNoOccurrence = 0xffffffff;

// A term that has occurred more often: one cache line.
struct TermEntry : TermHead {
  SliceChain postings;  // see memtable_postings.h; begins in `first`
  uint8_t first[12];
  uint32_t next_doc;       // the document of the last posting plus one; 0 before the first posting
  uint32_t freq;           // of the last posting
  uint32_t last_position;  // of the last posting, with positions only
  uint32_t df;
  uint32_t cf;
};
static_assert(sizeof(TermEntry) == 64);

}  // namespace pmdex
