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

// Keeps the bytes that were not decoded yet, and reads more behind them. Returns how many more.
size_t PostingReader::ReadMoreBytes() {
  const size_t kept = byte_count_ - next_byte_;
  if (kept > 0) std::memmove(bytes_.data(), bytes_.data() + next_byte_, kept);
  const size_t read = stream_.Read(std::span(bytes_).subspan(kept));
  byte_count_ = kept + read;
  next_byte_ = 0;
  return read;
}

void PostingReader::Decode() {
  ReadMoreBytes();
  next_value_ = value_count_ = 0;
  if (byte_count_ == 0) return;
  const VByteRun run =
      kernels_.decode(std::span<const uint8_t>(bytes_).first(byte_count_), values_);
  PMDEX_CHECK(run.values > 0);
  next_byte_ = run.bytes;
  value_count_ = run.values;
}

uint32_t PostingReader::ReadWithPositions(uint32_t count, DocId* docids, uint32_t* freqs,
                                          BlockPositions& positions) {
  count = std::min(count, postings_left_);
  postings_left_ -= count;
  positions.Clear();
  PostingSplit split;
  split.doc = doc_;
  while (count > 0 && !split.at_next && values_left_ > 0) {
    VByteRun run = Split(count, split, docids, /*ends=*/freqs, positions);
    next_byte_ += run.bytes;
    values_left_ -= run.values;
    if (split.at_next || values_left_ == 0) break;
    PMDEX_CHECK(ReadMoreBytes() > 0);  // the next value does not lie completely in the bytes
  }
  PMDEX_CHECK(split.postings == count);
  doc_ = split.doc;
  for (uint32_t i = count; i-- > 1;) freqs[i] -= freqs[i - 1];
  return count;
}

// Splits the bytes that are there into the room of `positions`, which it makes wide, and then
// splits the bytes once more, when it meets the first position that needs it.
VByteRun PostingReader::Split(uint32_t count, PostingSplit& split, DocId* docids, uint32_t* ends,
                              BlockPositions& positions) {
  const PostingSplit before = split;
  const std::span<const uint8_t> bytes =
      std::span<const uint8_t>(bytes_).subspan(next_byte_, byte_count_ - next_byte_);
  const size_t room = bytes.size() + kSplitSlack;
  VByteRun run;
  // Both write behind the positions of the calls before.
  if (!positions.is_wide()) {
    uint16_t* const begin = positions.Room(room) - before.positions;
    run = kernels_.split(bytes, values_left_, count, split, {docids, ends, begin});
  }
  if (positions.is_wide() || split.has_wide) {
    split = before;
    uint32_t* const begin = positions.WideRoom(room) - before.positions;
    run = kernels_.split_wide(bytes, values_left_, count, split, {docids, ends, begin});
  }
  positions.Grow(split.positions - before.positions);
  return run;
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
