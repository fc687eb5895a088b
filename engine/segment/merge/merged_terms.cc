#include "engine/segment/merge/merged_terms.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace pmdex {
namespace {

constexpr uint64_t kTermsBetweenStops = 1024;

// The first eight bytes of a term, so that a smaller term never has a greater number.
uint64_t PrefixOf(std::string_view term) {
  std::array<char, sizeof(uint64_t)> bytes{};
  std::copy_n(term.data(), std::min(term.size(), bytes.size()), bytes.data());
  uint64_t prefix;
  std::memcpy(&prefix, bytes.data(), sizeof(prefix));
  return __builtin_bswap64(prefix);
}

}  // namespace

MergedTerms::MergedTerms(std::span<const MergeSource> sources, const MergedDocs& docs,
                         const MergedFields& fields,
                         std::optional<std::span<const uint32_t>> numbers,
                         const std::function<bool()>& stop, std::span<SegmentField> counted,
                         MergeStatus& status)
    : sources_(sources),
      docs_(docs),
      fields_(fields),
      numbers_(numbers),
      stop_(stop),
      counted_(counted),
      status_(status) {
  for (size_t i = 0; i < sources.size(); ++i) {
    readers_.emplace_back(*sources[i].segment, docs, i);
    has_deleted_ = has_deleted_ || docs.has_deleted(i);
  }
}

bool MergedTerms::Fail(const absl::Status& status) {
  status_.Set(status);
  return false;
}

// True if the term of cursor a is behind that of b. Equal terms are in the order of the sources.
bool MergedTerms::IsGreater(uint32_t a, uint32_t b) const {
  const Cursor& left = cursors_[a];
  const Cursor& right = cursors_[b];
  if (left.prefix != right.prefix) return left.prefix > right.prefix;
  const int order = left.iterator.term().compare(right.iterator.term());
  return order != 0 ? order > 0 : a > b;
}

// Moves the cursor to its next term. Returns false at the end of the field, or after an error.
bool MergedTerms::Advance(Cursor& cursor) {
  if (!cursor.iterator.Next()) {
    return cursor.iterator.status().ok() ? false : Fail(cursor.iterator.status());
  }
  cursor.prefix = PrefixOf(cursor.iterator.term());
  return true;
}

// Puts the sources of the next field into the heap. Returns false behind the last field.
bool MergedTerms::OpenField() {
  if (static_cast<size_t>(++field_) >= fields_.names().size()) {
    field_ = static_cast<int64_t>(fields_.names().size());
    return false;
  }
  cursors_.clear();
  for (size_t i = 0; i < sources_.size(); ++i) {
    const std::optional<FieldId> of = fields_.Of(i, static_cast<FieldId>(field_));
    if (!of.has_value()) continue;
    Cursor cursor{TermIterator(sources_[i].segment->dictionary(), *of), static_cast<uint32_t>(i),
                  0};
    if (Advance(cursor)) cursors_.push_back(cursor);
  }
  for (size_t i = 0; i < cursors_.size(); ++i) heap_.push_back(static_cast<uint32_t>(i));
  const auto greater = [this](uint32_t a, uint32_t b) { return IsGreater(a, b); };
  std::make_heap(heap_.begin(), heap_.end(), greater);
  return true;
}

// Takes the next term of all sources. taken_ are the cursors that have it.
bool MergedTerms::TakeTerm() {
  const auto greater = [this](uint32_t a, uint32_t b) { return IsGreater(a, b); };
  for (const uint32_t i : taken_) {
    if (!Advance(cursors_[i])) continue;
    heap_.push_back(i);
    std::push_heap(heap_.begin(), heap_.end(), greater);
  }
  taken_.clear();
  while (heap_.empty()) {
    if (!status_.ok() || !OpenField()) return false;
  }
  if (!status_.ok()) return false;
  do {
    std::pop_heap(heap_.begin(), heap_.end(), greater);
    taken_.push_back(heap_.back());
    heap_.pop_back();
  } while (!heap_.empty() && cursors_[heap_.front()].prefix == cursors_[taken_[0]].prefix &&
           cursors_[heap_.front()].iterator.term() == cursors_[taken_[0]].iterator.term());
  return true;
}

// Reads the entries of the term and adds its postings up. is_wanted: false if only df must be
// right where it is 0.
bool MergedTerms::CountParts(bool is_wanted) {
  counts_ = {};
  parts_.clear();
  if (!is_wanted && !has_deleted_) {
    counts_.df = 1;
    return true;
  }
  uint64_t df = 0;
  for (const uint32_t i : taken_) {
    const uint32_t source = cursors_[i].source;
    if (!docs_.few(source).empty() &&
        !readers_[source].MayHaveFew(cursors_[i].iterator.documents())) {
      continue;
    }
    const absl::StatusOr<DictionaryEntry> entry = cursors_[i].iterator.entry();
    if (!entry.ok()) return Fail(entry.status());
    const auto counts = readers_[source].Count(*entry);
    if (!counts.ok()) return Fail(counts.status());
    if (counts->df == 0) continue;
    df += counts->df;
    counts_.cf += counts->cf;
    counts_.extras.page_marks += counts->extras.page_marks;
    counts_.extras.overflow_entries += counts->extras.overflow_entries;
    parts_.push_back({source, *entry});
  }
  counts_.df = static_cast<uint32_t>(std::min<uint64_t>(df, 0xffffffff));
  return true;
}

bool MergedTerms::IsWanted() const {
  return !numbers_.has_value() || (*numbers_)[next_number_] == passed_;
}

bool MergedTerms::Next() {
  is_open_ = false;
  for (;;) {
    if (numbers_.has_value() && next_number_ == numbers_->size()) return false;
    if (passed_ % kTermsBetweenStops == 0 && stop_ && stop_()) {
      return Fail(MakeStatus(absl::StatusCode::kCancelled, "the merge was cancelled"));
    }
    if (!TakeTerm()) return false;
    const bool is_wanted = IsWanted();
    if (!CountParts(is_wanted)) return false;
    if (counts_.df == 0) continue;  // all its documents are deleted
    ++passed_;
    if (!is_wanted) continue;
    ++next_number_;
    if (!counted_.empty()) counted_[field()].token_count += counts_.cf;
    term_ = cursors_[taken_[0]].iterator.term();
    return true;
  }
}

// All postings of the term in the new order of documents.
bool MergedTerms::GatherNumbered() {
  numbered_.clear();
  next_numbered_ = 0;
  for (const Part& part : parts_) {
    SourcePostings& reader = readers_[part.source];
    absl::Status status = reader.Open(part.entry);
    if (status.ok()) status = reader.AppendAll(numbered_);
    if (!status.ok()) return Fail(status);
  }
  std::sort(numbered_.begin(), numbered_.end(),
            [](const SourcePostings::Numbered& a, const SourcePostings::Numbered& b) {
              return a.doc < b.doc;
            });
  return true;
}

bool MergedTerms::FillInOrder(PostingBlock& block) {
  if (!is_open_ && !GatherNumbered()) return false;
  is_open_ = true;
  while (block.count < kBlockPostings && next_numbered_ < numbered_.size()) {
    const SourcePostings::Numbered& next = numbered_[next_numbered_++];
    const absl::Status status = readers_[next.source].AppendOne(next.doc, next.posting, block);
    if (!status.ok()) return Fail(status);
  }
  return block.count > 0;
}

bool MergedTerms::NextBlock(PostingBlock& block) {
  block.count = 0;
  block.positions.Clear();
  if (!status_.ok()) return false;
  if (docs_.is_permuted() || docs_.has_only_few()) return FillInOrder(block);
  if (!is_open_) {
    is_open_ = true;
    part_ = 0;
    is_part_open_ = false;
  }
  while (block.count < kBlockPostings && part_ < parts_.size()) {
    SourcePostings& reader = readers_[parts_[part_].source];
    absl::Status status;
    if (!is_part_open_) status = reader.Open(parts_[part_].entry);
    if (status.ok()) status = reader.Fill(block);
    if (!status.ok()) return Fail(status);
    is_part_open_ = !reader.at_end();
    if (!is_part_open_) ++part_;
  }
  return block.count > 0;
}

}  // namespace pmdex
