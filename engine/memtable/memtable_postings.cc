#include "engine/memtable/memtable_postings.h"

namespace pmdex {

uint32_t PostingReader::ReadWithPositions(uint32_t count, DocId* docids, uint32_t* freqs,
                                          std::vector<uint32_t>& positions) {
  count = std::min(count, postings_left_);
  SliceReader values = values_;  // copies that the stores below cannot change
  uint64_t left = occurrences_left_;
  uint64_t value = ahead_;
  size_t size = positions.size();
  for (uint32_t i = 0; i < count; ++i) {
    PMDEX_DCHECK((value & 1) != 0 && left > 0);
    doc_ += static_cast<DocId>(value >> 1);
    docids[i] = doc_;
    uint64_t position = values.Read();
    const size_t before = size;
    for (;;) {
      if (size == positions.size()) positions.resize(std::max<size_t>(2 * size, kBlockPostings));
      positions[size++] = static_cast<uint32_t>(position);
      if (--left == 0) break;
      value = values.Read();
      if ((value & 1) != 0) break;
      position += value >> 1;
    }
    freqs[i] = static_cast<uint32_t>(size - before);
  }
  positions.resize(size);
  values_ = values;
  ahead_ = value;
  occurrences_left_ = left;
  postings_left_ -= count;
  return count;
}

uint32_t PostingReader::Read(uint32_t count, DocId* docids, uint32_t* freqs) {
  count = std::min(count, postings_left_);
  for (uint32_t i = 0; i < count; ++i) {
    PMDEX_DCHECK((ahead_ & 1) != 0);
    doc_ += static_cast<DocId>(ahead_ >> 1);
    docids[i] = doc_;
    --postings_left_;
    if (postings_left_ == 0 && entry_->freq > 0) {
      freqs[i] = entry_->freq;
      break;
    }
    // Behind the last posting of an entry whose last one was taken back, that one begins.
    const uint64_t value = values_.Read();
    const bool is_freq = (value & 1) == 0;
    freqs[i] = is_freq ? static_cast<uint32_t>(value >> 1) : 1;
    ahead_ = is_freq && postings_left_ > 0 ? values_.Read() : value;
  }
  return count;
}

}  // namespace pmdex
