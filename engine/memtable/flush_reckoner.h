// What the flush of a memtable will take, beside what the memtable holds: from counts of the tokens
// that came in, and from what its parts count themselves. Asked for every document, so it reckons
// anew only when they have grown. Part of a memtable: not thread-safe; the parts outlive it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/memtable/doc_records.h"
#include "engine/memtable/inverter.h"
#include "engine/memtable/terms/term_table.h"

namespace pmdex {

class FlushReckoner {
 public:
  FlushReckoner(const DocRecords& docs, const TermTable& terms, const Inverter& inverter,
                bool positions)
      : docs_(docs), terms_(terms), inverter_(inverter), positions_(positions) {}

  // Tokens go into a field that had so many of the document; last_position is that of their last.
  void Count(size_t tokens, uint32_t length_before, uint32_t last_position);

  // Bytes at most, as of now.
  size_t Reckon() const;
  // The same as of when arena and entries, of entry_bytes now, and postings were at most a 256th
  // less.
  size_t RecentBytes(size_t entry_bytes);

 private:
  const DocRecords& docs_;
  const TermTable& terms_;
  const Inverter& inverter_;
  const bool positions_;

  // Of all documents, the open and the abandoned one included (WriterCounts).
  uint64_t tokens_ = 0;
  uint64_t long_tokens_ = 0;
  uint64_t far_tokens_ = 0;

  // When it was reckoned last.
  size_t reckoned_entry_bytes_ = 0;
  uint64_t reckoned_postings_ = 0;
  size_t reckoned_ = 0;
};

}  // namespace pmdex
