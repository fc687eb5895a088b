// The first documents of the union of many lists, for a search that wants no others: where all
// matches score the same, the first k are the best. A list is read only as far as its documents may
// still be among the first. For one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/segment/segment.h"
#include "pmem/status.h"
#include "query/cursor/cursor.h"

namespace pmdex {

class FirstDocs {
 public:
  // most: how many documents that are not deleted are wanted, at least 1. Everything must outlive
  // it.
  FirstDocs(const Segment& segment, size_t most, CursorContext& context)
      : segment_(segment), most_(most), context_(context), end_(segment.doc_count()) {}

  // Verifies what it reads of the list. Reports docids out of range to the context. kDataLoss if
  // the list is damaged.
  absl::Status Add(const DocumentsView& list);
  // The documents, ascending. Ends the work.
  std::vector<DocId> Take();

 private:
  absl::Status AddMapped(const DocumentsView& list);
  absl::Status AddUnits(const DocumentsView& list);
  // These return false if nothing that follows in the list can be among the first.
  bool AddDocids(std::span<const DocId> docs);
  bool AddBits(std::span<const uint64_t> words, DocId first_doc);
  bool AddDoc(DocId doc);
  // Leaves the first `most_` of the documents.
  void Shrink();

  const Segment& segment_;
  const size_t most_;
  CursorContext& context_;
  std::vector<DocId> docs_;  // ascending and without duplicates only after Shrink
  DocId end_;                // documents from here on are not among the first
  size_t added_ = 0;         // documents of the present list
};

}  // namespace pmdex
