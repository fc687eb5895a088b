#include "engine/memtable/memtable_terms.h"

#include <array>
#include <utility>

#include "engine/memtable/memtable_postings.h"
#include "pmem/prefetch.h"

namespace pmdex {
namespace {

class MemtableTermStream final : public TermStream {
 public:
  MemtableTermStream(const TermTable& table, const PostingSlices& slices,
                     std::span<const TermHandle> handles, std::span<const SegmentField> fields,
                     bool positions, const PostingKernels& kernels)
      : table_(table),
        slices_(slices),
        handles_(handles),
        fields_(fields),
        positions_(positions),
        reader_(slices, kernels) {}

  bool Next() override {
    if (next_ == handles_.size()) return false;
    PrefetchAhead();
    const TermHandle handle = handles_[next_++];
    head_ = &table_.HeadAt(handle);
    is_hapax_ = TermTable::IsHapax(handle);
    is_open_ = false;
    return true;
  }

  FieldId field() const override { return head_->field; }
  std::string_view term() const override { return table_.TermOf(*head_); }
  uint32_t df() const override { return is_hapax_ ? 1 : entry().df; }
  uint64_t cf() const override { return is_hapax_ ? 1 : entry().cf; }

  bool NextBlock(PostingBlock& block) override {
    const bool was_open = std::exchange(is_open_, true);
    if (is_hapax_) {
      block.count = was_open ? 0 : 1;
      if (!was_open) FillOne(static_cast<const HapaxEntry*>(head_)->occurrence, block);
      return !was_open;
    }
    if (!was_open) reader_.Open(entry());
    block.count = positions_ ? reader_.ReadWithPositions(kBlockPostings, block.docids, block.freqs,
                                                         block.positions)
                             : reader_.Read(kBlockPostings, block.docids, block.freqs);
    return block.count > 0;
  }

 private:
  // Terms ahead: where the entry is fetched, where its first slice, and how far apart the next
  // ones.
  static constexpr size_t kEntryDistance = 28;
  static constexpr size_t kSliceDistance = 12;
  static constexpr size_t kSliceStep = 2;

  // Requires that the term is no hapax.
  const TermEntry& entry() const { return *static_cast<const TermEntry*>(head_); }

  void FillOne(Occurrence occurrence, PostingBlock& block) const {
    block.docids[0] = occurrence.doc;
    block.freqs[0] = 1;
    block.positions.Clear();
    if (positions_) block.positions.Append({&occurrence.position, 1});
  }

  // Terms are visited in an order that has nothing to do with where they lie.
  void PrefetchAhead() {
    if (next_ + kEntryDistance < handles_.size()) {
      const TermHead* const head = &table_.HeadAt(handles_[next_ + kEntryDistance]);
      PrefetchLine(head);
      // One of a hapax may go on in the next line.
      PrefetchLine(reinterpret_cast<const char*>(head) + sizeof(HapaxEntry) - 1);
    }
    if (next_ + kSliceDistance < handles_.size()) StartAhead(next_ + kSliceDistance);
    for (size_t i = kSliceStep; i < kSliceDistance; i += kSliceStep) {
      ahead_[(next_ + i) % ahead_.size()].Step(slices_);
    }
  }
  void StartAhead(size_t number) {
    const TermHandle handle = handles_[number];
    const TermHead& head = table_.HeadAt(handle);
    SlicePrefetch& ahead = ahead_[number % ahead_.size()];
    if (head.term_bytes > kInlineEntryTermBytes) PrefetchLine(table_.TermOf(head).data());
    if (TermTable::IsHapax(handle)) {
      PrefetchNorm(head.field, static_cast<const HapaxEntry&>(head).occurrence.doc);
      ahead = SlicePrefetch();
      return;
    }
    const auto& entry = static_cast<const TermEntry&>(head);
    if (entry.df <= kMaxInlinePostings) PrefetchNorm(entry.field, entry.next_doc - 1);
    ahead.Start(slices_, entry.postings);
  }
  void PrefetchNorm(FieldId field, DocId doc) const {
    if (field < fields_.size()) PrefetchLine(fields_[field].norms.data() + doc);
  }

  const TermTable& table_;
  const PostingSlices& slices_;
  const std::span<const TermHandle> handles_;
  const std::span<const SegmentField> fields_;
  const bool positions_;
  size_t next_ = 0;
  const TermHead* head_ = nullptr;  // of a HapaxEntry or a TermEntry
  bool is_hapax_ = false;
  std::array<SlicePrefetch, 16> ahead_;  // by the number of the term
  bool is_open_ = false;                 // postings were read, reader_ stands behind them
  PostingReader reader_;
};

}  // namespace

std::unique_ptr<TermStream> NewMemtableTermStream(const TermTable& table,
                                                  const PostingSlices& slices,
                                                  std::span<const TermHandle> handles,
                                                  std::span<const SegmentField> fields,
                                                  bool positions, const PostingKernels& kernels) {
  return std::make_unique<MemtableTermStream>(table, slices, handles, fields, positions, kernels);
}

}  // namespace pmdex
