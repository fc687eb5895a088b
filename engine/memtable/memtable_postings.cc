#include "engine/memtable/memtable_postings.h"

namespace pmdex {

// Without a branch on whether a value begins a posting: terms of every frequency come in turn, and
// the CPU could only guess.
uint32_t PostingReader::ReadWithPositions(uint32_t count, DocId* docids, uint32_t* freqs,
                                          std::vector<uint32_t>& positions) {
  count = std::min(count, postings_left_);
  if (count == 0) return 0;
  if (postings_left_ == entry_->df) {
    ahead_ = values_.Read();
    values_left_ = uint64_t{entry_->df} + entry_->cf - 1;
  }
  postings_left_ -= count;
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
  postings_left_ -= count;
  const bool last_in_entry = entry_ != nullptr && postings_left_ == 0 && entry_->freq > 0;
  const uint32_t in_stream = count - (count > 0 && last_in_entry ? 1 : 0);
  ReadStream(in_stream, docids, freqs);
  if (in_stream < count) {
    docids[in_stream] = entry_->last_doc;
    freqs[in_stream] = entry_->freq;
  }
  return count;
}

void PostingReader::ReadStream(uint32_t count, DocId* docids, uint32_t* freqs) {
  constexpr uint32_t kRun = 8;
  // In any of eight bytes: a value that goes on, or one that a frequency follows.
  constexpr uint64_t kNotPlain = 0x8181818181818181;
  DocId doc = doc_;
  for (uint32_t read = 0; read < count;) {
    uint64_t run = 0;
    if (count - read >= kRun && values_.PeekEight(run) && (run & kNotPlain) == 0) {
      values_.SkipEight();
      for (const uint32_t end = read + kRun; read < end; ++read, run >>= 8) {
        doc += static_cast<DocId>(run >> 1 & 0x3f);
        docids[read] = doc;
        freqs[read] = 1;
      }
      continue;
    }
    const uint32_t end = std::min(read + kRun, count);
    bool is_freq = false;
    values_.ReadWhile(2 * kRun, [&](uint64_t value) {
      if (is_freq) {
        freqs[read - 1] = static_cast<uint32_t>(value);
        is_freq = false;
      } else {
        doc += static_cast<DocId>(value >> 1);
        docids[read] = doc;
        freqs[read] = 1;
        ++read;
        is_freq = (value & 1) != 0;
      }
      return read < end || is_freq;
    });
  }
  doc_ = doc;
}

}  // namespace pmdex
