#include "engine/memtable/memtable_terms.h"

#include <algorithm>

#include "pmem/prefetch.h"

namespace pmdex {
namespace {

class MemtableTermStream final : public TermStream {
 public:
  MemtableTermStream(const TermTable& table, const Arena& slices, std::span<const SortedTerm> terms,
                     bool positions)
      : table_(table), slices_(slices), terms_(terms), positions_(positions) {}

  bool Next() override {
    if (next_ == terms_.size()) return false;
    PrefetchAhead(next_ + kPrefetchDistance);
    entry_ = &table_.EntryAt(terms_[next_++].entry);
    postings_reader_ = SliceReader(slices_, entry_->postings);
    positions_reader_ = SliceReader(slices_, entry_->positions);
    closed_left_ = entry_->df;
    open_left_ = entry_->freq > 0;
    doc_ = 0;
    return true;
  }

  FieldId field() const override { return entry_->field; }
  std::string_view term() const override { return table_.TermOf(*entry_); }
  uint32_t df() const override { return entry_->df + (entry_->freq > 0 ? 1 : 0); }
  uint64_t cf() const override { return uint64_t{entry_->cf} + entry_->freq; }

  bool NextBlock(PostingBlock& block) override {
    reads_postings_ = true;
    block.count = std::min(closed_left_, kBlockPostings);
    closed_left_ -= block.count;
    block.positions.clear();
    for (uint32_t i = 0; i < block.count; ++i) ReadClosed(block, i);
    if (block.count < kBlockPostings && open_left_) {
      open_left_ = false;
      block.docids[block.count] = entry_->last_doc;
      block.freqs[block.count] = entry_->freq;
      ReadPositions(block, entry_->freq);
      ++block.count;
    }
    return block.count > 0;
  }

 private:
  static constexpr size_t kPrefetchDistance = 16;

  void ReadClosed(PostingBlock& block, uint32_t i) {
    const uint32_t value = postings_reader_.ReadVByte();
    doc_ += value >> 1;
    const uint32_t freq = (value & 1) != 0 ? 1 : postings_reader_.ReadVByte();
    block.docids[i] = doc_;
    block.freqs[i] = freq;
    ReadPositions(block, freq);
  }
  void ReadPositions(PostingBlock& block, uint32_t freq) {
    if (!positions_) return;
    const size_t begin = block.positions.size();
    block.positions.resize(begin + freq);
    positions_reader_.ReadSums(block.positions.data() + begin, freq);
  }
  // Terms are visited in an order that has nothing to do with where they lie.
  void PrefetchAhead(size_t term) const {
    if (term < terms_.size()) PrefetchLine(&table_.EntryAt(terms_[term].entry));
    const size_t nearer = term - kPrefetchDistance / 2;
    if (!reads_postings_ || nearer >= terms_.size()) return;
    const TermEntry& entry = table_.EntryAt(terms_[nearer].entry);
    if (entry.postings.head != 0) PrefetchLine(slices_.At(entry.postings.head));
    if (entry.positions.head != 0) PrefetchLine(slices_.At(entry.positions.head));
  }

  const TermTable& table_;
  const Arena& slices_;
  const std::span<const SortedTerm> terms_;
  const bool positions_;
  size_t next_ = 0;
  bool reads_postings_ = false;  // this pass does; others need no slices
  const TermEntry* entry_ = nullptr;
  SliceReader postings_reader_;
  SliceReader positions_reader_;
  uint32_t closed_left_ = 0;
  bool open_left_ = false;
  DocId doc_ = 0;
};

}  // namespace

std::unique_ptr<TermStream> NewMemtableTermStream(const TermTable& table, const Arena& slices,
                                                  std::span<const SortedTerm> terms,
                                                  bool positions) {
  return std::make_unique<MemtableTermStream>(table, slices, terms, positions);
}

}  // namespace pmdex
