// Estimates how much memory the flush of a memtable will take in addition to the memtable itself.
// It passes the counts of the memtable's parts, and of the tokens that were added, to
// engine/segment/writer_memory.h. Part of a memtable; not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/memtable/doc_records.h"
#include "engine/memtable/inverter.h"
#include "engine/memtable/terms/term_table.h"

namespace pmdex {

class FlushEstimate {
 public:
  // The parts of the memtable, which must outlive the estimate. positions: as in MemtableOptions.
  FlushEstimate(const DocRecords& docs, const TermTable& terms, const Inverter& inverter,
                bool positions)
      : docs_(docs), terms_(terms), inverter_(inverter), positions_(positions) {}

  // Call it for the tokens that are added to a field of the current document. length_before: the
  // number of tokens that the field had before. last_position: the position of the last of the
  // tokens.
  void Count(size_t tokens, uint32_t length_before, uint32_t last_position);

  // An upper bound of the memory, for the present content of the memtable.
  size_t Bytes() const;
  // The same, but it may be for an earlier content: it is computed again when entry_bytes or the
  // number of postings has grown by more than a 256th. Callers ask after every document.
  // entry_bytes: what terms and documents take now.
  size_t RecentBytes(size_t entry_bytes);

 private:
  const DocRecords& docs_;
  const TermTable& terms_;
  const Inverter& inverter_;
  const bool positions_;

  // As in WriterCounts. Tokens of the current document and of an abandoned one are counted, too.
  uint64_t tokens_ = 0;
  uint64_t long_tokens_ = 0;
  uint64_t far_tokens_ = 0;

  // The last result of RecentBytes, and the counts for which it was computed.
  size_t estimated_entry_bytes_ = 0;
  uint64_t estimated_postings_ = 0;
  size_t estimated_ = 0;
};

}  // namespace pmdex
