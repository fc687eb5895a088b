// An inverted index in DRAM, which one indexer thread fills. Freeze makes it the SegmentInput of
// one segment. Not thread-safe.
//
// A document takes one BeginDocument, any number of AddField and AddValue, perhaps a StoreRecord,
// and one EndDocument or AbandonDocument. A field that is added again continues: its positions go
// on kPositionGap behind those of the value before. The length of a document is the number of its
// tokens, whatever their positions.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/columns/field_value.h"
#include "engine/memtable/memtable_options.h"
#include "engine/segment/segment_input.h"
#include "pmem/status.h"

namespace pmdex {

class Memtable {
 public:
  explicit Memtable(const MemtableOptions& options);
  ~Memtable();

  // Requires at most MemtableLimits::kMaxIdBytes, and fewer than kMaxDocs documents so far.
  void BeginDocument(std::string_view id);
  // `text` need not outlive the call. Requires fewer than MemtableLimits::kMaxDocTokens tokens in
  // the document. Returns false if the name has no field of its own; the text is then added to
  // kOtherField (field_names.h).
  bool AddField(std::string_view field, std::string_view text);
  // Adds a value of a column to the open document, behind those that it has. Returns false, and
  // adds nothing, if the column has values of another type, or if over_limit().
  bool AddValue(std::string_view field, const FieldValue& value);
  // Keeps the record that the open document was read from, if text is stored. It is dropped where
  // all stored text of the document would be too large for a segment. At most once a document.
  void StoreRecord(std::string_view record);
  void EndDocument();
  // Ends the document and removes it. The memtable takes no other document afterwards.
  void AbandonDocument();
  // True if tokens or values of the open document may have been dropped
  // (MemtableOptions::limit_bytes).
  bool over_limit() const;

  uint32_t doc_count() const;
  uint64_t token_count() const;
  size_t term_count() const;  // but for those of the last tokens, until Freeze
  // The most memory that the memtable takes at a time until its segment is written: the bytes that
  // it holds, plus the greater of the hash table, which Freeze drops, and of what Freeze and
  // WriteSegment will need. What they will need is an estimate from above that may be outdated by
  // one part in 256.
  size_t memory_bytes() const;
  size_t flush_bytes() const;  // what the flush needs, not outdated; for tests alone
  // Addresses in the arena of up to `most` documents, evenly spread. With them callers ask on which
  // NUMA node the memory lies.
  std::vector<const void*> SamplePages(size_t most) const;

  // Sorts the terms and closes the stored text. Afterwards the memtable is only read, through the
  // input, which it owns. OpenTerms and OpenSomeTerms of the input end the streams opened before.
  absl::StatusOr<SegmentInput*> Freeze();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pmdex
