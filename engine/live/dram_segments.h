// The small segments of a live index that are in DRAM, and the choice of those to merge. Merges
// keep their number logarithmic in the number of documents: among eight neighbours of about the
// same size, none of which is as large as the others together, all become one. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/segment/live_docs.h"
#include "engine/segment/segment.h"

namespace pmdex {

// A segment in DRAM with the documents [begin, end) of AddedDocuments.
struct DramSegment {
  uint64_t begin = 0;
  uint64_t end = 0;
  std::shared_ptr<const Segment> segment;
  std::shared_ptr<const LiveDocs> live_docs = nullptr;  // nullptr: all documents are live
};

struct DocumentRange {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// What a merge may take.
struct MergeBounds {
  uint64_t barrier = 0;  // no merge has documents on both sides of it
  uint64_t most_documents = UINT64_MAX;
  DocumentRange left_out = {};  // documents that another thread is merging
};

class DramSegments {
 public:
  static constexpr size_t kMergedAtOnce = 8;

  // In the order of their documents, without gaps.
  std::span<const DramSegment> segments() const { return segments_; }
  // Requires that the documents of the segment follow those of the last one, if there is one.
  void Append(DramSegment segment);
  // Drops the segments whose documents are all below `number`. Requires that no segment has
  // documents on both sides.
  void DropBefore(uint64_t number);
  // The documents of neighbours that should be one segment; nullopt if there are none.
  std::optional<DocumentRange> ChooseMerge(const MergeBounds& bounds) const;
  // Puts `merged` in the place of the segments with its documents. Returns false, and changes
  // nothing, if these segments are not there any more.
  bool Replace(const DramSegment& merged);
  // Deletes those of the documents that are in segments. Requires that the numbers ascend.
  void Delete(std::span<const uint64_t> numbers);
  size_t memory_bytes() const { return memory_bytes_; }

 private:
  std::vector<DramSegment> segments_;
  size_t memory_bytes_ = 0;
};

}  // namespace pmdex
