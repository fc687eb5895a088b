#include "engine/segment/merge/source_postings.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"

namespace pmdex {

SourcePostings::SourcePostings(const Segment& segment, const MergedDocs& docs, size_t source)
    : segment_(segment), docs_(docs), source_(source), positions_(segment.has_positions()) {}

absl::Status SourcePostings::Damage(std::string_view what) const {
  return segment_.view().Damage(segment_.view().extents(), what);
}

// What the overflow run of the list says; the marks are position entries that are no positions.
absl::StatusOr<ListExtras> SourcePostings::ExtrasOf(const DictionaryEntry& entry) const {
  ListExtras extras;
  if (IsInline(entry.representation) || entry.lanes.overflow_start == kNoOverflow) return extras;
  const SegmentView& view = segment_.view();
  const uint64_t start = entry.lanes.overflow_start;
  PMDEX_ASSIGN_OR_RETURN(const auto head,
                         view.Array<OverflowEntry>(SectionKind::kFreqOverflow, start, 1));
  PMDEX_ASSIGN_OR_RETURN(const auto run, view.Array<OverflowEntry>(SectionKind::kFreqOverflow,
                                                                   start + 1, head[0].posting));
  extras.overflow_entries = run.size();
  for (const OverflowEntry& at : run) {
    if (at.position_entries > at.freq) extras.page_marks += at.position_entries - at.freq;
  }
  return extras;
}

void SourcePostings::AddExtras(uint32_t posting, ListExtras& extras) const {
  if (list_.freqs[posting] != kFreqEscape) return;
  const auto at = std::lower_bound(
      list_.overflow.begin(), list_.overflow.end(), posting,
      [](const OverflowEntry& entry, uint32_t wanted) { return entry.posting < wanted; });
  if (at == list_.overflow.end() || at->posting != posting) return;
  ++extras.overflow_entries;
  if (at->position_entries > at->freq) extras.page_marks += at->position_entries - at->freq;
}

absl::StatusOr<SourcePostings::Counts> SourcePostings::Count(const DictionaryEntry& entry) const {
  Counts counts;
  PMDEX_ASSIGN_OR_RETURN(counts.extras, ExtrasOf(entry));
  if (!docs_.has_deleted(source_)) {
    counts.df = entry.df;
    counts.cf = entry.cf;
    return counts;
  }
  if (!docs_.few(source_).empty()) return CountFew(entry);
  counts.extras = {};
  SourcePostings reader(segment_, docs_, source_);
  PMDEX_ASSIGN_OR_RETURN(reader.list_, segment_.Postings(entry, ListParts::kScores));
  while (!reader.at_end()) {
    const uint32_t count = std::min(kBlockPostings, reader.list_.df - reader.next_);
    PMDEX_RETURN_IF_ERROR(reader.ReadDocs(count));
    for (uint32_t i = 0; i < count; ++i) {
      if (docs_.New(source_, reader.read_docs_[i]) == MergedDocs::kDeleted) continue;
      ++counts.df;
      counts.cf += reader.list_.Freq(reader.next_ + i);
      reader.AddExtras(reader.next_ + i, counts.extras);
    }
    reader.next_ += count;
  }
  return counts;
}

bool SourcePostings::MayHaveFew(const DocumentsPlace& place) const {
  if (!place.is_inline) return true;
  const std::span<const DocId> few = docs_.few(source_);
  return std::any_of(place.docids.begin(), place.docids.begin() + place.df,
                     [&](DocId doc) { return std::binary_search(few.begin(), few.end(), doc); });
}

absl::StatusOr<SourcePostings::Counts> SourcePostings::CountFew(
    const DictionaryEntry& entry) const {
  Counts counts;
  SourcePostings reader(segment_, docs_, source_);
  PMDEX_ASSIGN_OR_RETURN(reader.list_, segment_.Postings(entry, ListParts::kScores));
  for (const DocId doc : docs_.few(source_)) {
    const std::optional<uint32_t> posting = reader.list_.PostingOf(doc);
    if (!posting.has_value()) continue;
    ++counts.df;
    counts.cf += reader.list_.Freq(*posting);
    reader.AddExtras(*posting, counts.extras);
  }
  return counts;
}

absl::Status SourcePostings::Open(const DictionaryEntry& entry) {
  entry_ = entry;
  PMDEX_ASSIGN_OR_RETURN(
      list_, segment_.Postings(entry_, positions_ ? ListParts::kAll : ListParts::kScores));
  next_ = 0;
  next_entry_ = 0;
  next_word_ = 0;
  word_ = 0;
  return absl::OkStatus();
}

// Reads the next docids of the list into read_docs_, and checks them: they become indices.
absl::Status SourcePostings::ReadDocs(uint32_t count) {
  const uint32_t doc_count = segment_.doc_count();
  if (list_.bits == nullptr) {
    list_.Load(next_, next_ + count);
    std::copy_n(list_.docids + next_, count, read_docs_.begin());
    DocId greatest = 0;
    for (uint32_t i = 0; i < count; ++i) greatest = std::max(greatest, read_docs_[i]);
    return greatest < doc_count ? absl::OkStatus() : Damage("a docid is too great");
  }
  list_.Load(next_, next_ + count);
  const uint64_t words = BitsetWords(doc_count);
  for (uint32_t i = 0; i < count; ++i) {
    while (word_ == 0) {
      if (next_word_ == words) return Damage("fewer bits than postings");
      word_ = list_.bits[next_word_++];
    }
    read_docs_[i] =
        static_cast<DocId>((next_word_ - 1) * 64 + static_cast<uint64_t>(std::countr_zero(word_)));
    word_ &= word_ - 1;
  }
  return read_docs_[count - 1] < doc_count ? absl::OkStatus() : Damage("a bit is too far");
}

// Appends the documents and frequencies of the live postings among those that were read. Returns
// how many they are.
uint32_t SourcePostings::Keep(uint32_t count, PostingBlock& block) const {
  DocId* const docids = block.docids + block.count;
  uint32_t* const freqs = block.freqs + block.count;
  const uint8_t* const read_freqs = list_.freqs + next_;
  uint32_t kept = count;
  if (const std::optional<DocId> shift = docs_.shift(source_); shift.has_value()) {
    for (uint32_t i = 0; i < count; ++i) docids[i] = read_docs_[i] + *shift;
    for (uint32_t i = 0; i < count; ++i) freqs[i] = read_freqs[i];
  } else {
    kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
      docids[kept] = docs_.New(source_, read_docs_[i]);
      freqs[kept] = read_freqs[i];
      kept += docids[kept] == MergedDocs::kDeleted ? 0 : 1;
    }
  }
  if (list_.overflow.empty()) return kept;
  for (uint32_t i = 0, at = 0; i < count; ++i) {
    if (docs_.New(source_, read_docs_[i]) == MergedDocs::kDeleted) continue;
    if (freqs[at] == kFreqEscape) freqs[at] = list_.Freq(next_ + i);
    ++at;
  }
  return kept;
}

absl::Status SourcePostings::AppendPositionsOf(uint32_t posting, PostingBlock& block) {
  PMDEX_RETURN_IF_ERROR(list_.ReadPositions(posting, one_));
  block.positions.Append(one_);
  return absl::OkStatus();
}

// Appends the positions of postings that do not escape: one entry each, in one piece. entries: the
// sum of their frequencies.
absl::Status SourcePostings::AppendRun(uint32_t begin, uint32_t end, uint64_t entries,
                                       PostingBlock& block) {
  if (!list_.VerifyPositions(begin, end)) return Damage("positions are damaged");
  uint64_t first = next_entry_;
  if (!list_.is_inline) {
    const std::span<const uint16_t> in_place = list_.EntriesInPlace(begin);
    if (in_place.empty()) return Damage("positions lie outside");
    first = static_cast<uint64_t>(in_place.data() - list_.positions.data());
  }
  if (first > list_.positions.size() || entries > list_.positions.size() - first) {
    return Damage("positions lie outside");
  }
  const std::span<const uint16_t> run = list_.positions.subspan(first, entries);
  uint16_t greatest = 0;
  for (const uint16_t entry : run) greatest = std::max(greatest, entry);
  if (greatest == kPositionPageMark) return Damage("a page mark among positions");
  block.positions.AppendEntries(run);
  next_entry_ = first + entries;
  return absl::OkStatus();
}

// Appends the positions of the live postings among those that were read.
absl::Status SourcePostings::AppendPositions(uint32_t count, PostingBlock& block) {
  const uint8_t* const freqs = list_.freqs + next_;
  const bool all_live = docs_.shift(source_).has_value();
  const auto is_live = [&](uint32_t i) {
    return all_live || docs_.New(source_, read_docs_[i]) != MergedDocs::kDeleted;
  };
  for (uint32_t i = 0; i < count;) {
    uint64_t entries = 0;
    uint32_t end = i;
    for (; end < count && freqs[end] != kFreqEscape && is_live(end); ++end) entries += freqs[end];
    if (end > i) {
      PMDEX_RETURN_IF_ERROR(AppendRun(next_ + i, next_ + end, entries, block));
    } else if (is_live(i)) {
      PMDEX_RETURN_IF_ERROR(AppendPositionsOf(next_ + i, block));
    } else if (list_.is_inline) {
      next_entry_ += freqs[i];
    }
    i = std::max(end, i + 1);
  }
  return absl::OkStatus();
}

absl::Status SourcePostings::Fill(PostingBlock& block) {
  while (block.count < kBlockPostings && !at_end()) {
    const uint32_t count = std::min(kBlockPostings - block.count, list_.df - next_);
    PMDEX_RETURN_IF_ERROR(ReadDocs(count));
    const uint32_t kept = Keep(count, block);
    if (positions_) PMDEX_RETURN_IF_ERROR(AppendPositions(count, block));
    block.count += kept;
    next_ += count;
  }
  return absl::OkStatus();
}

absl::Status SourcePostings::AppendAll(std::vector<Numbered>& out) {
  for (const DocId doc : docs_.few(source_)) {
    const std::optional<uint32_t> posting = list_.PostingOf(doc);
    if (!posting.has_value()) continue;
    out.push_back({docs_.New(source_, doc), static_cast<uint32_t>(source_), *posting});
  }
  if (!docs_.few(source_).empty()) return absl::OkStatus();
  while (!at_end()) {
    const uint32_t count = std::min(kBlockPostings, list_.df - next_);
    PMDEX_RETURN_IF_ERROR(ReadDocs(count));
    for (uint32_t i = 0; i < count; ++i) {
      const DocId doc = docs_.New(source_, read_docs_[i]);
      if (doc == MergedDocs::kDeleted) continue;
      out.push_back({doc, static_cast<uint32_t>(source_), next_ + i});
    }
    next_ += count;
  }
  return absl::OkStatus();
}

absl::Status SourcePostings::AppendOne(DocId doc, uint32_t posting, PostingBlock& block) {
  block.docids[block.count] = doc;
  block.freqs[block.count] = list_.Freq(posting);
  ++block.count;
  return positions_ ? AppendPositionsOf(posting, block) : absl::OkStatus();
}

}  // namespace pmdex
