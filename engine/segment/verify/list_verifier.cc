#include "engine/segment/verify/list_verifier.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "absl/strings/str_cat.h"

#include "engine/segment/compressed/compressed_list_reader.h"
#include "engine/segment/documents/norms.h"
#include "pmem/check.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

bool IsExtent(Representation representation) {
  return representation != Representation::kEmpty && !IsInline(representation);
}

}  // namespace

ListVerifier::ListVerifier(const Segment& segment, FindingList& findings)
    : segment_(segment),
      findings_(findings),
      units_(segment, findings),
      lengths_(segment.doc_count(), 0) {}

PostingExtent ListVerifier::ExtentOf(const DictionaryEntry& entry) const {
  return LayOutPostings(entry.df, HasUnitFreqs(entry.df, entry.cf, entry.lanes.overflow_start),
                        segment_.doc_count(), segment_.has_positions());
}

bool ListVerifier::Expect(bool condition, std::string_view what) {
  if (!condition) findings_.Add(entry_kind_, entry_offset_, what);
  return condition;
}

// Requires a field of the segment. Opening the segment has checked that its row exists.
std::span<const uint8_t> ListVerifier::NormsOf(FieldId field) const {
  const auto norms = segment_.norms(field);
  PMDEX_CHECK(norms.ok());
  return *norms;
}

void ListVerifier::Verify(const DictionaryEntry& entry, SectionKind kind, uint64_t offset) {
  entry_kind_ = kind;
  entry_offset_ = offset;
  norms_ = NormsOf(entry.field);
  ++field_terms_;
  field_postings_ += entry.df;
  field_tokens_ += entry.cf;
  const absl::StatusOr<PostingListView> list = segment_.Postings(entry);
  if (!Expect(list.ok(), Message(list.status()))) return;
  list_entries_ = 0;
  list_tokens_ = 0;
  run_at_ = 0;
  can_read_positions_ = true;
  CheckPlace(entry);
  if (ReadDocids(*list)) CheckPostings(entry, *list);
  if (!list->is_inline) {
    CheckBlocks(entry, *list);
    const PostingExtent extent = ExtentOf(entry);
    if (segment_.is_compressed()) {
      units_.VerifyList(entry, *list, list_entries_);
    } else {
      CheckPadding(entry);
      postings_end_ = entry.lanes.postings_offset + extent.size_bytes;
    }
    if (extent.freqs_offset == extent.codes_offset) {
      longest_unit_list_ = std::max(longest_unit_list_, entry.df);
    }
    if (!list->block_last_docs.empty()) block_end_ += 1 + list->block_last_docs.size();
    if (!list->overflow.empty()) overflow_end_ += 1 + list->overflow.size();
  } else {
    CheckInlinePadding(entry);
  }
  if (segment_.has_positions() && entry.representation != Representation::kInlineWithPositions) {
    position_end_ += list_entries_;
  }
}

// Each part must begin where that of the list before ends, without overlaps and gaps.
void ListVerifier::CheckPlace(const DictionaryEntry& entry) {
  const uint64_t positions = segment_.has_positions() ? position_end_ : 0;
  if (IsExtent(entry.representation)) {
    Expect(segment_.is_compressed() ||
               entry.lanes.postings_offset == AlignUp(postings_end_, ExtentAlignment(entry.df)),
           "postings do not follow those of the term before");
    Expect(entry.lanes.position_start == positions,
           "positions do not follow those of the term before");
    Expect(entry.lanes.block_start == (entry.df > kBlockPostings ? block_end_ + 1 : kNoBlocks),
           "blocks do not follow those of the term before");
    Expect(entry.lanes.overflow_start == kNoOverflow || entry.lanes.overflow_start == overflow_end_,
           "overflow run does not follow that of the term before");
  } else if (entry.representation == Representation::kInline) {
    Expect(entry.inlined.position_start == positions,
           "positions do not follow those of the term before");
  }
}

void ListVerifier::CheckPadding(const DictionaryEntry& entry) {
  const std::span<const std::byte> section = segment_.view().RawSection(SectionKind::kPostings);
  const PostingExtent extent = ExtentOf(entry);
  const uint64_t start = entry.lanes.postings_offset;
  const uint64_t groups =
      segment_.has_positions() ? (uint64_t{entry.df} + kPositionGroup - 1) / kPositionGroup - 1 : 0;
  const uint64_t ranks_bytes = (BitsetRuns(segment_.doc_count()) + 1) * sizeof(uint32_t);
  const uint64_t docs_bytes = extent.ranks_offset != 0 ? extent.ranks_offset + ranks_bytes
                                                       : uint64_t{entry.df} * sizeof(DocId);
  const bool unit_freqs = extent.freqs_offset == extent.codes_offset;
  const std::pair<uint64_t, uint64_t> gaps[] = {
      {std::min(postings_end_, start), start},
      {start + docs_bytes, start + extent.freqs_offset},
      {start + extent.freqs_offset + (unit_freqs ? 0 : entry.df), start + extent.codes_offset},
      {start + extent.codes_offset + entry.df, start + extent.groups_offset},
      {start + extent.groups_offset + groups * sizeof(uint32_t), start + extent.size_bytes}};
  for (const auto& [begin, end] : gaps) {
    findings_.CheckZero(section.subspan(begin, end - begin), SectionKind::kPostings, begin,
                        "padding of a lane is not zero");
  }
}

void ListVerifier::CheckInlinePadding(const DictionaryEntry& entry) {
  const InlinePostings& inlined = entry.inlined;
  bool zero = true;
  for (uint32_t i = entry.df; i < kMaxInlinePostings; ++i) {
    zero &= inlined.docids[i] == 0 && inlined.freqs[i] == 0 && inlined.codes[i] == 0;
  }
  if (entry.representation == Representation::kInlineWithPositions) {
    Expect(segment_.has_positions() && list_entries_ <= kMaxInlinePositions,
           "positions in a line that cannot hold them");
    for (uint64_t i = list_entries_; i < kMaxInlinePositions; ++i) {
      zero &= inlined.positions[i] == 0;
    }
  } else if (segment_.has_positions()) {
    Expect(list_entries_ > kMaxInlinePositions, "positions stand apart that fit into the line");
  }
  Expect(zero, "unused places of the entry are not zero");
}

// Checks that docids_ are df ascending documents of the segment.
bool ListVerifier::ReadDocids(const PostingListView& list) {
  if (list.bits != nullptr) return ReadBits(list);
  docids_ = {list.docids, list.df};
  const auto fault = std::adjacent_find(docids_.begin(), docids_.end(), std::greater_equal<>());
  return Expect(fault == docids_.end(), "docids do not ascend") &&
         Expect(docids_.back() < segment_.doc_count(), "a docid beyond the last document");
}

bool ListVerifier::ReadBits(const PostingListView& list) {
  decoded_.clear();
  bool sound = true;
  for (uint64_t word = 0; word < BitsetWords(list.doc_count); ++word) {
    if (word % (kRankDocs / 64) == 0) {
      sound &= list.ranks[word / (kRankDocs / 64)] == decoded_.size();
    }
    for (uint64_t left = list.bits[word]; left != 0; left &= left - 1) {
      decoded_.push_back(
          static_cast<DocId>(word * 64 + static_cast<uint64_t>(std::countr_zero(left))));
    }
  }
  sound &= list.ranks[BitsetRuns(list.doc_count)] == decoded_.size();
  docids_ = decoded_;
  Expect(sound, "ranks do not count the bits");
  return Expect(docids_.size() == list.df, "not as many bits as postings") &&
         Expect(docids_.back() < list.doc_count, "a docid beyond the last document");
}

void ListVerifier::CheckPostings(const DictionaryEntry& entry, const PostingListView& list) {
  Expect(std::all_of(std::begin(list.bounds.tf), std::end(list.bounds.tf),
                     [](uint8_t tf) { return tf == 0; }) == false,
         "no bounds");
  for (uint32_t i = 0; i < list.df && !findings_.full(); ++i) CheckPosting(list, i);
  Expect(list_tokens_ == entry.cf, "cf is not the sum of the frequencies");
  if (!can_read_positions_) {
    list_entries_ = PositionEntriesOf(list);
    return;
  }
  Expect(run_at_ == list.overflow.size(), "overflow entries that no posting needs");
  Expect(entry.df > kMaxInlinePostings || list.is_inline || !list.overflow.empty(),
         "a list has lanes that fits into its line");
}

void ListVerifier::CheckPosting(const PostingListView& list, uint32_t i) {
  const uint32_t freq = list.Freq(i);
  const DocId doc = docids_[i];
  Expect(freq >= 1, "a frequency of 0");
  Expect(list.codes[i] == norms_[doc], "a code differs from the norm");
  list_tokens_ += freq;
  lengths_[doc] += freq;
  CheckBounds(list, i, list.bounds);
  if (!list.block_bounds.empty()) CheckBounds(list, i, list.block_bounds[i / kBlockPostings]);

  uint64_t entries = freq;
  if (segment_.has_positions()) {
    if (i % kPositionGroup == 0 && i > 0) {
      Expect(list.groups[i / kPositionGroup - 1] == list_entries_,
             "a position group does not begin where it should");
    }
    // Entries that cannot be read have no values, nor have those that follow in the list.
    can_read_positions_ =
        can_read_positions_ && Expect(list.VerifyPositions(i, i + 1), "positions cannot be read");
    if (!can_read_positions_) return;
    entries = CheckPositions(list, freq);
    list_entries_ += entries;
  }
  const bool escapes = freq >= kFreqEscape || entries != freq;
  Expect(escapes == (list.freqs[i] == kFreqEscape), "an escape that is not needed, or none");
  if (!escapes) return;
  if (Expect(run_at_ < list.overflow.size() && list.overflow[run_at_].posting == i,
             "the overflow run does not have the posting")) {
    Expect(list.overflow[run_at_].position_entries == (segment_.has_positions() ? entries : 0),
           "overflow: wrong number of position entries");
    ++run_at_;
  }
}

// Reads the position entries of a posting without groups and overflow entries, and returns their
// number.
uint64_t ListVerifier::CheckPositions(const PostingListView& list, uint32_t freq) {
  uint64_t at = list_entries_;
  uint64_t page_start = 0;
  uint64_t least = 0;
  for (uint32_t found = 0; found < freq; ++at) {
    if (!Expect(at < list.positions.size(), "positions end before the list")) break;
    const uint16_t entry = list.positions[at];
    if (entry == kPositionPageMark) {
      page_start += kPositionPage;
      continue;
    }
    const uint64_t position = page_start + entry;
    Expect(position >= least && position <= 0xffffffff, "positions do not ascend");
    least = position + 1;
    ++found;
  }
  return at - list_entries_;
}

void ListVerifier::CheckBounds(const PostingListView& list, uint32_t i, const BoundPoints& points) {
  const uint32_t tf = std::min<uint32_t>(list.Freq(i), 255);
  for (size_t p = 0; p < sizeof(points.tf); ++p) {
    if (points.tf[p] >= tf && points.length_code[p] <= list.codes[i]) return;
  }
  Expect(false, absl::StrCat("posting ", i, " may score more than the bounds say"));
}

// At least k postings must reach the point of k.
void ListVerifier::CheckBest(const PostingListView& list) {
  for (size_t kind = 0; kind < kBestPointKinds; ++kind) {
    const uint32_t tf = list.best.tf[kind];
    const uint8_t code = list.best.length_code[kind];
    if (list.df < kBestPointCounts[kind]) {
      Expect(tf == 0 && code == 0, "a best point of more postings than there are");
      continue;
    }
    uint32_t reach = 0;
    for (uint32_t i = 0; i < list.df; ++i) {
      if (list.Freq(i) >= tf && list.codes[i] <= code) ++reach;
    }
    Expect(tf > 0 && reach >= kBestPointCounts[kind],
           "fewer postings reach a best point than it says");
  }
}

void ListVerifier::CheckBlocks(const DictionaryEntry& entry, const PostingListView& list) {
  for (size_t block = 0; block < list.block_last_docs.size(); ++block) {
    const uint64_t last = std::min<uint64_t>((block + 1) * uint64_t{kBlockPostings}, entry.df) - 1;
    findings_.Check(last < docids_.size() && list.block_last_docs[block] == docids_[last],
                    SectionKind::kBlockLastDocs, (entry.lanes.block_start + block) * 4,
                    "not the last docid of its block");
  }
  if (!list.block_last_docs.empty()) {
    CheckBest(list);
    Expect(list.block_last_docs.data()[-1] == 0, "a last docid where the best points are");
  }
  if (list.overflow.empty()) {
    Expect(entry.lanes.overflow_start == kNoOverflow, "an overflow run without entries");
    return;
  }
  const auto run = segment_.view().Array<OverflowEntry>(SectionKind::kFreqOverflow,
                                                        entry.lanes.overflow_start, 1);
  Expect(run.ok() && (*run)[0].freq == 0 && (*run)[0].position_entries == 0,
         "the overflow run's head is not zero");
}

void ListVerifier::FinishField(FieldId field) {
  const FieldInfo& info = segment_.fields()[field];
  const uint64_t meta_offset = sizeof(SegmentMeta) + field * sizeof(FieldEntry);
  findings_.Check(info.term_count == field_terms_, SectionKind::kMeta, meta_offset,
                  "the field's number of terms is wrong");
  findings_.Check(info.posting_count == field_postings_, SectionKind::kMeta, meta_offset,
                  "the field's number of postings is wrong");
  findings_.Check(info.token_count == field_tokens_, SectionKind::kMeta, meta_offset,
                  "the field's number of tokens is wrong");
  const std::span<const uint8_t> norms = NormsOf(field);
  const uint64_t row = field * AlignUp(segment_.doc_count(), kNormRowAlignment);
  uint64_t doc_count = 0;
  for (DocId doc = 0; doc < segment_.doc_count(); ++doc) {
    if (norms[doc] != 0) ++doc_count;
    if (norms[doc] != EncodeLength(lengths_[doc])) {
      findings_.Add(SectionKind::kNorms, row + doc, "not the length that the postings add up to");
    }
  }
  findings_.Check(info.doc_count == doc_count, SectionKind::kMeta, meta_offset,
                  "the field's number of documents is wrong");
  std::fill(lengths_.begin(), lengths_.end(), 0);
  field_terms_ = 0;
  field_postings_ = 0;
  field_tokens_ = 0;
}

void ListVerifier::CheckSize(SectionKind kind, uint64_t expected) {
  const uint64_t size_bytes = segment_.view().RawSection(kind).size();
  findings_.Check(size_bytes == expected, kind, expected,
                  absl::StrCat("the lists end here, the section at ", size_bytes));
}

void ListVerifier::CheckLaneSections() {
  CheckSize(SectionKind::kPostings, postings_end_ + kLaneTailBytes);
  CheckSize(SectionKind::kPositions, position_end_ * sizeof(uint16_t));
  const auto postings = segment_.view().RawSection(SectionKind::kPostings);
  const uint64_t end = std::min<uint64_t>(postings_end_, postings.size());
  findings_.CheckZero(postings.subspan(end), SectionKind::kPostings, end,
                      "bytes after the last list are not zero");
}

void ListVerifier::Finish() {
  const SegmentView& view = segment_.view();
  if (segment_.is_compressed()) {
    units_.Finish(position_end_);
    CheckSize(SectionKind::kUnitPlaces, block_end_ * sizeof(UnitPlace));
  } else {
    CheckLaneSections();
  }
  CheckSize(SectionKind::kBlockLastDocs, block_end_ * sizeof(uint32_t));
  CheckSize(SectionKind::kBlockBounds, block_end_ * sizeof(BoundPoints));
  CheckSize(SectionKind::kFreqOverflow, overflow_end_ * sizeof(OverflowEntry));
  const std::span<const std::byte> ones = view.RawSection(SectionKind::kUnitFreqs);
  CheckSize(SectionKind::kUnitFreqs, UnitFreqsBytes(longest_unit_list_));
  findings_.Check(
      std::all_of(ones.begin(), ones.end(), [](std::byte one) { return one == std::byte{1}; }),
      SectionKind::kUnitFreqs, 0, "a frequency is not 1");
}

}  // namespace pmdex
