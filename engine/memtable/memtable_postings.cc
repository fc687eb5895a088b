#include "engine/memtable/memtable_postings.h"

namespace pmdex {

// Without a branch on whether a value begins a posting: terms of every frequency come in turn, and
// the CPU could only guess.
uint32_t PostingReader::ReadWithPositions(uint32_t count, DocId* docids, uint32_t* freqs,
                                          std::vector<uint32_t>& positions) {
  count = std::min(count, postings_left_);
  postings_left_ -= count;
  if (count == 0) return 0;
  DocId doc = doc_ + static_cast<DocId>(ahead_ >> 1);
  docids[0] = doc;
  uint32_t last = 0;  // of the postings begun
  uint32_t position = 0;
  size_t size = 0;
  uint64_t ahead = 0;
  const auto visit = [&](uint64_t value) {
    const auto begins = static_cast<uint32_t>(value & 1);
    const auto delta = static_cast<uint32_t>(value >> 1);
    if (last + begins == count) {
      ahead = value;
      return false;
    }
    if (size == positions.size()) positions.resize(std::max<size_t>(2 * size, kBlockPostings));
    last += begins;
    doc += delta & (0 - begins);
    docids[last] = doc;
    position = (position + delta) & (begins - 1);
    positions[size] = position;
    size += 1 - begins;
    freqs[last] = static_cast<uint32_t>(size);  // so far, of all of them
    return true;
  };
  values_left_ -= values_.ReadWhile(values_left_, visit);
  positions.resize(size);
  for (uint32_t i = count - 1; i > 0; --i) freqs[i] -= freqs[i - 1];
  doc_ = doc;
  ahead_ = ahead;
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
