#include "engine/memtable/memtable_postings.h"

#include <algorithm>
#include <cstring>

#include "pmem/check.h"

namespace pmdex {

void PostingReader::Open(const TermEntry& entry) {
  entry_ = &entry;
  stream_ = SliceReader(slices_, entry.postings, entry.first);
  postings_left_ = entry.df;
  values_left_ = uint64_t{entry.df} + entry.cf;
  doc_ = 0;
  next_value_ = value_count_ = 0;
  next_byte_ = byte_count_ = 0;
}

inline std::span<const uint32_t> PostingReader::Values() {
  if (next_value_ == value_count_) Decode();
  return std::span<const uint32_t>(values_).subspan(next_value_, value_count_ - next_value_);
}

void PostingReader::Decode() {
  const size_t kept = byte_count_ - next_byte_;
  if (kept > 0) std::memmove(bytes_.data(), bytes_.data() + next_byte_, kept);
  byte_count_ = kept + stream_.Read(std::span(bytes_).subspan(kept));
  const VByteRun run =
      kernels_.decode(std::span<const uint8_t>(bytes_).first(byte_count_), values_);
  PMDEX_CHECK(run.values > 0);
  next_byte_ = run.bytes;
  next_value_ = 0;
  value_count_ = run.values;
}

uint32_t PostingReader::ReadWithPositions(uint32_t count, DocId* docids, uint32_t* freqs,
                                          std::vector<uint32_t>& positions) {
  count = std::min(count, postings_left_);
  postings_left_ -= count;
  PostingSplit split;
  split.doc = doc_;
  for (bool more = count > 0; more && values_left_ > 0;) {
    std::span<const uint32_t> values = Values();
    values = values.first(std::min<uint64_t>(values.size(), values_left_));
    const size_t room = split.positions + values.size() + kSplitSlack;
    if (positions.size() < room) positions.resize(room);
    const size_t taken = kernels_.split(values, count, split, {docids, freqs, positions.data()});
    more = taken == values.size();
    Take(taken);
    values_left_ -= taken;
  }
  doc_ = split.doc;
  positions.resize(split.positions);
  for (uint32_t i = count; i-- > 1;) freqs[i] -= freqs[i - 1];
  return count;
}

uint32_t PostingReader::Read(uint32_t count, DocId* docids, uint32_t* freqs) {
  count = std::min(count, postings_left_);
  postings_left_ -= count;
  const bool last_in_entry = count > 0 && postings_left_ == 0 && entry_->freq > 0;
  const uint32_t in_stream = count - (last_in_entry ? 1 : 0);
  if (in_stream > 0) ReadStream(in_stream, docids, freqs);
  if (last_in_entry) {
    docids[in_stream] = entry_->last_doc;
    freqs[in_stream] = entry_->freq;
  }
  return count;
}

void PostingReader::ReadStream(uint32_t count, DocId* docids, uint32_t* freqs) {
  constexpr uint32_t kRun = 8;
  DocId doc = doc_;
  uint32_t read = 0;
  uint32_t is_freq = 0;  // 1: the next value is a frequency
  while (read < count || is_freq != 0) {
    const std::span<const uint32_t> values = Values();
    size_t taken = 0;
    while (taken < values.size() && (read < count || is_freq != 0)) {
      uint32_t odd = is_freq;
      if (values.size() - taken >= kRun && count - read >= kRun) {
        for (uint32_t i = 0; i < kRun; ++i) odd |= values[taken + i];
      } else {
        odd = 1;
      }
      if ((odd & 1) == 0) {
        for (const size_t end = taken + kRun; taken < end; ++taken, ++read) {
          doc += values[taken] >> 1;
          docids[read] = doc;
          freqs[read] = 1;
        }
        continue;
      }
      // A frequency is written over that of the posting before, without a branch on what comes.
      for (const size_t end = std::min(taken + kRun, values.size());
           taken < end && (read < count || is_freq != 0); ++taken) {
        const uint32_t value = values[taken];
        doc += value >> 1 & (is_freq - 1);
        read += 1 - is_freq;
        docids[read - 1] = doc;
        freqs[read - 1] = is_freq != 0 ? value : 1;
        is_freq = value & ~is_freq & 1;
      }
    }
    Take(taken);
  }
  doc_ = doc;
}

}  // namespace pmdex
