// Chooses documents of one or two indexes: their union, intersection and difference by the ids of
// documents, and the parts of one index. Nothing is written; write_documents.h makes an index of
// what was chosen.
//
//   Snapshot, Snapshot -> ChosenDocuments -> WriteDocuments -> a new index
//
// Deleted documents are never chosen. Documents of one index that share an id stay or go together.
// Stateless, thread-safe. The snapshots must outlive the result.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/segment/live_docs.h"
#include "engine/store/snapshot.h"
#include "pmem/status.h"

namespace pmdex {

struct ChosenSegment {
  const Segment* segment = nullptr;
  std::shared_ptr<const LiveDocs> docs;  // those that were chosen; nullptr: all

  uint64_t count() const { return docs == nullptr ? segment->doc_count() : docs->live_count(); }
};

// In the order in which the new index has them. No segment without documents is among them.
using ChosenDocuments = std::vector<ChosenSegment>;

enum class SetOperation { kUnion, kIntersection, kDifference };

// The documents of `a` and then those of `b` whose id `a` does not have; those of `a` whose id `b`
// has; or those of `a` whose id `b` does not have. Reads all ids of one of them, and keeps a table
// of the other's (document_ids.h). Returns kInvalidArgument if the settings of the indexes differ,
// and kDataLoss if a segment is damaged or quarantined: documents would be missing without a word.
absl::StatusOr<ChosenDocuments> ChooseDocuments(SetOperation operation, const Snapshot& a,
                                                const Snapshot& b);

// Divides the documents into `parts` runs of the index order, whose lengths differ by at most one;
// the last ones are empty if there are fewer documents. Requires parts > 0. Errors as above.
absl::StatusOr<std::vector<ChosenDocuments>> DivideDocuments(const Snapshot& index, uint64_t parts);

}  // namespace pmdex
