#include "engine/memtable/memtable_terms.h"

#include <array>

#include "engine/memtable/memtable_postings.h"
#include "pmem/prefetch.h"

namespace pmdex {
namespace {

class MemtableTermStream final : public TermStream {
 public:
  MemtableTermStream(const TermTable& table, const PostingSlices& slices,
                     std::span<const Arena::Handle> entries, std::span<const SegmentField> fields,
                     bool positions)
      : table_(table),
        slices_(slices),
        entries_(entries),
        fields_(fields),
        positions_(positions),
        reader_(slices) {}

  bool Next() override {
    if (next_ == entries_.size()) return false;
    PrefetchAhead();
    entry_ = &table_.EntryAt(entries_[next_++]);
    is_open_ = false;
    return true;
  }

  FieldId field() const override { return entry_->field; }
  std::string_view term() const override { return table_.TermOf(*entry_); }
  uint32_t df() const override { return entry_->df; }
  uint64_t cf() const override { return entry_->cf; }

  bool NextBlock(PostingBlock& block) override {
    if (!is_open_) reader_.Open(*entry_);
    is_open_ = true;
    block.count = positions_ ? reader_.ReadWithPositions(kBlockPostings, block.docids, block.freqs,
                                                         block.positions)
                             : reader_.Read(kBlockPostings, block.docids, block.freqs);
    return block.count > 0;
  }

 private:
  // Terms ahead: where the entry is fetched, where its first slice, and how far apart the next
  // ones.
  static constexpr size_t kEntryDistance = 16;
  static constexpr size_t kSliceDistance = 12;
  static constexpr size_t kSliceStep = 2;

  // Terms are visited in an order that has nothing to do with where they lie.
  void PrefetchAhead() {
    if (next_ + kEntryDistance < entries_.size()) {
      PrefetchLine(&table_.EntryAt(entries_[next_ + kEntryDistance]));
    }
    if (next_ + kSliceDistance < entries_.size()) {
      const TermEntry& entry = table_.EntryAt(entries_[next_ + kSliceDistance]);
      if (entry.term_bytes > kInlineEntryTermBytes) PrefetchLine(table_.TermOf(entry).data());
      if (entry.df <= kMaxInlinePostings && entry.field < fields_.size()) {
        PrefetchLine(fields_[entry.field].norms.data() + entry.last_doc);
      }
      ahead_[(next_ + kSliceDistance) % ahead_.size()].Start(slices_, entry.postings);
    }
    for (size_t i = kSliceStep; i < kSliceDistance; i += kSliceStep) {
      ahead_[(next_ + i) % ahead_.size()].Step(slices_);
    }
  }

  const TermTable& table_;
  const PostingSlices& slices_;
  const std::span<const Arena::Handle> entries_;
  const std::span<const SegmentField> fields_;
  const bool positions_;
  size_t next_ = 0;
  const TermEntry* entry_ = nullptr;
  std::array<SlicePrefetch, 16> ahead_;  // by the number of the term
  bool is_open_ = false;                 // reader_ stands in the postings of entry_
  PostingReader reader_;
};

}  // namespace

std::unique_ptr<TermStream> NewMemtableTermStream(const TermTable& table,
                                                  const PostingSlices& slices,
                                                  std::span<const Arena::Handle> entries,
                                                  std::span<const SegmentField> fields,
                                                  bool positions) {
  return std::make_unique<MemtableTermStream>(table, slices, entries, fields, positions);
}

}  // namespace pmdex
