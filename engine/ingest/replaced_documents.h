// Deletes the documents that later ones replace: what `pmdex index --update` does before it
// publishes, also in parts. Of the new documents with the same id the last one in the order of the
// input stays, and no older document of the index does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "engine/ingest/resume/input_order.h"
#include "engine/store/index_writer.h"
#include "pmem/status.h"

namespace pmdex {

// What the next generation has of a build. kPart: the segments that readers see already, and those
// with an order. Threads may be writing others.
enum class BuildScope { kWhole, kPart };

// Deletes them from the segments that the next Publish or PublishPart makes visible, so that new
// documents appear and old ones vanish at once. A segment is new unless it is in `old_segments`
// (ids of segments); `orders` must have all new ones of the scope. Returns how many documents were
// deleted.
//
// Keeps a hash table of the new documents in memory, 11 to 22 bytes each, and reads the ids of all
// documents. If that is more than memory_bytes, it passes over the ids several times. Different ids
// are never taken for the same. Returns kDataLoss if a segment is damaged or cannot be opened,
// because it might have a document to delete, or if a new segment has no order.
absl::StatusOr<uint64_t> DeleteReplacedDocuments(IndexWriter& writer, BuildScope scope,
                                                 const std::set<uint64_t>& old_segments,
                                                 std::span<const SegmentOrder> orders,
                                                 size_t memory_bytes, size_t threads);

}  // namespace pmdex
