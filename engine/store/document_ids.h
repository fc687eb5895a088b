// Finds documents by their ids: a hash table in DRAM from id to number of document. Snapshot makes
// one at the first look-up, so indexes whose ids nobody looks up pay nothing for it. Deleted
// documents are not found.
//
// The table holds 11 to 22 bytes for each document, 16 more for each that repeats an id, and no
// ids: those stay in their segments.
// Immutable after Build, thread-safe. The segments must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/segment/live_docs.h"
#include "engine/segment/segment.h"
#include "pmem/status.h"

namespace pmdex {

class DocumentIds {
 public:
  struct Part {
    const Segment* segment = nullptr;
    uint64_t doc_base = 0;                // the number of its first document
    const LiveDocs* live_docs = nullptr;  // nullptr: all documents are live; used by Build only
  };

  // Reads the ids of all live documents. `parts` ascend by doc_base. kDataLoss if a segment is
  // damaged; it is then quarantined (Segment::Quarantine).
  static absl::StatusOr<DocumentIds> Build(std::vector<Part> parts);

  // The number of the latest document with this id; nullopt if there is none. Errors as Build.
  absl::StatusOr<std::optional<uint64_t>> Find(std::string_view id) const;
  // The numbers of all documents with this id, ascending. Errors as Build.
  absl::StatusOr<std::vector<uint64_t>> FindAll(std::string_view id) const;

  size_t memory_bytes() const {
    return slots_.capacity() * sizeof(uint64_t) + repeats_.capacity() * sizeof(Repeat);
  }

 private:
  // A document whose id an earlier document has.
  struct Repeat {
    uint64_t doc = 0;
    uint64_t earlier = 0;  // the latest of those before it
  };

  explicit DocumentIds(std::vector<Part> parts);

  absl::StatusOr<std::string_view> IdOf(uint64_t doc, std::string& buffer) const;
  // The slot of this id, or the empty one where it belongs.
  absl::StatusOr<size_t> SlotOf(std::string_view id, uint64_t hash) const;

  std::vector<Part> parts_;
  // Open addressing with linear probing. A slot has 16 bits of the hash above the number of the
  // document plus 1; 0 is an empty slot.
  std::vector<uint64_t> slots_;
  std::vector<Repeat> repeats_;  // by ascending doc
};

}  // namespace pmdex
