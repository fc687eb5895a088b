// The segments of a live index that are on the medium, with their live documents and the numbers
// of their documents, in index order. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/segment/live_docs.h"
#include "engine/segment/segment.h"

namespace pmdex {

struct MediumSegment {
  uint64_t begin = 0;  // the number of its first document; the others follow
  // The id under which the manifest lists it. Where the kept copy of a damaged segment answers,
  // segment->segment_id() is that of the copy.
  uint64_t listed_id = 0;
  std::shared_ptr<const Segment> segment;
  std::shared_ptr<const LiveDocs> live_docs;  // nullptr: all documents are live
  // The numbers of the writes that added the documents, ascending; nullptr if the segment was there
  // when the index was opened.
  std::shared_ptr<const std::vector<uint64_t>> sequences;

  uint64_t end() const { return begin + segment->doc_count(); }
};

class MediumSegments {
 public:
  std::span<const MediumSegment> segments() const { return segments_; }
  // Changes whenever a segment comes or goes.
  uint64_t version() const { return version_; }
  // The end of the last segment; 0 if there is none.
  uint64_t end() const { return segments_.empty() ? 0 : segments_.back().end(); }
  // Requires that its documents have greater numbers than all others.
  void Append(MediumSegment segment);
  // The index of the segment with this document; segments().size() if there is none.
  size_t Find(uint64_t number) const;
  // Deletes those of the documents that are in segments. Requires that the numbers ascend.
  void Delete(std::span<const uint64_t> numbers);
  // Drops the segments of which is_kept(listed_id) is false. Returns true if there was one.
  bool KeepOnly(const std::function<bool(uint64_t)>& is_kept);

 private:
  std::vector<MediumSegment> segments_;
  uint64_t version_ = 0;
};

}  // namespace pmdex
