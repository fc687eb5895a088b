#include "engine/memtable/memtable_postings.h"

#include <algorithm>
#include <cstring>

#include "pmem/check.h"

namespace pmdex {
namespace {

constexpr DocId kBeforeFirst = 0xffffffff;  // and one is 0

}  // namespace

void PostingReader::Open(const TermEntry& entry) {
  entry_ = &entry;
  stream_ = SliceReader(slices_, entry.postings, entry.first);
  postings_left_ = entry.df;
  values_left_ = uint64_t{entry.df} + entry.cf;
  doc_ = kBeforeFirst;
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
  next_byte_ = next_value_ = value_count_ = 0;
  if (byte_count_ == 0) return;
  const VByteRun run =
      kernels_.decode(std::span<const uint8_t>(bytes_).first(byte_count_), values_);
  PMDEX_CHECK(run.values > 0);
  next_byte_ = run.bytes;
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
    PMDEX_CHECK(!values.empty());
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
  if (count == 0) return 0;
  ReadStream(count, docids, freqs);
  if (postings_left_ == 0 && entry_->freq > 1) freqs[count - 1] = entry_->freq;
  return count;
}

// Up to the next posting, or the end: the frequency of the last one taken stands before that.
void PostingReader::ReadStream(uint32_t count, DocId* docids, uint32_t* freqs) {
  constexpr uint32_t kRun = 8;
  DocId doc = doc_;
  uint32_t read = 0;
  uint32_t is_freq = 0;  // 1: the next value is a frequency
  bool at_next = false;
  while (!at_next) {
    const std::span<const uint32_t> values = Values();
    if (values.empty()) break;
    size_t taken = 0;
    while (taken < values.size() && !at_next) {
      const bool is_run = values.size() - taken >= kRun && count - read >= kRun;
      uint32_t zeros = is_freq;
      for (uint32_t i = 0; is_run && i < kRun; ++i) zeros |= values[taken + i] == 0 ? 1u : 0u;
      if (is_run && zeros == 0) {
        for (const size_t end = taken + kRun; taken < end; ++taken, ++read) {
          doc += values[taken];
          docids[read] = doc;
          freqs[read] = 1;
        }
        continue;
      }
      // A frequency is written over that of the posting before, without a branch on what comes.
      for (const size_t end = std::min(taken + kRun, values.size()); taken < end; ++taken) {
        const uint32_t value = values[taken];
        const uint32_t is_posting = value != 0 ? 1 - is_freq : 0;
        at_next = is_posting != 0 && read == count;
        if (at_next) break;
        doc += value & (0 - is_posting);
        read += is_posting;
        docids[read - 1] = doc;
        freqs[read - 1] = is_freq != 0 ? value : 1;
        is_freq = value == 0 ? 1 - is_freq : 0;
      }
    }
    Take(taken);
  }
  PMDEX_CHECK(read == count && is_freq == 0);
  doc_ = doc;
}

}  // namespace pmdex
