#include "engine/columns/column_layout.h"

#include "engine/segment/format.h"

namespace pmdex {
namespace {

// Gives the parts their places, one behind the other.
class PartPlacer {
 public:
  explicit PartPlacer(uint64_t begin) : end_(begin) {}

  uint64_t Place(uint64_t size_bytes) {
    const uint64_t offset = AlignUp(end_, kColumnAlignment);
    end_ = offset + size_bytes;
    return offset;
  }
  uint64_t end() const { return end_; }

 private:
  uint64_t end_;
};

}  // namespace

uint8_t ValueBytesOf(uint64_t least, uint64_t greatest) {
  const uint64_t difference = greatest - least;
  if (difference <= UINT8_MAX) return 1;
  if (difference <= UINT16_MAX) return 2;
  return difference <= UINT32_MAX ? 4 : 8;
}

uint64_t LayOutColumn(uint32_t segment_docs, uint64_t begin, ColumnEntry& entry) {
  PartPlacer placer(begin);
  const bool is_multi = (entry.flags & kColumnIsMulti) != 0;
  const uint64_t runs = BitsetRuns(segment_docs);
  entry.presence_offset = entry.doc_count == segment_docs
                              ? 0
                              : placer.Place(BitsetWords(segment_docs) * sizeof(uint64_t) +
                                             (runs + 1) * sizeof(uint32_t));
  entry.starts_offset =
      is_multi ? placer.Place((uint64_t{entry.doc_count} + 1) * sizeof(uint32_t)) : 0;
  entry.values_offset = placer.Place(entry.value_count * entry.value_bytes + kColumnTailBytes);
  entry.zones_offset = placer.Place(ZoneCount(segment_docs) * sizeof(ColumnZone));
  entry.order_offset = placer.Place(entry.value_count * sizeof(uint32_t));
  entry.samples_offset = placer.Place(SampleCount(entry.value_count) * sizeof(uint64_t));
  entry.keyword_starts_offset = 0;
  entry.keywords_offset = 0;
  if (entry.keyword_count != 0) {
    entry.keyword_starts_offset = placer.Place((entry.keyword_count + 1) * sizeof(uint64_t));
    entry.keywords_offset = placer.Place(entry.keywords_bytes);
  }
  return placer.end();
}

}  // namespace pmdex
