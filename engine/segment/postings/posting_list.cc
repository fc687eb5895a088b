#include "engine/segment/postings/posting_list.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"

#include "engine/segment/compressed/decoded_list.h"
#include "engine/segment/file/segment_view.h"

namespace pmdex {
namespace {

constexpr DocId kNoDoc = 0xffffffff;
constexpr uint32_t kRunWords = kRankDocs / 64;

// The index of the n-th set bit; both are counted from 0. Requires more than n set bits.
uint32_t SelectBit(uint64_t word, uint32_t n) {
  for (; n > 0; --n) word &= word - 1;
  return static_cast<uint32_t>(std::countr_zero(word));
}

const OverflowEntry* FindOverflow(std::span<const OverflowEntry> run, uint32_t posting) {
  const auto at = std::lower_bound(
      run.begin(), run.end(), posting,
      [](const OverflowEntry& entry, uint32_t wanted) { return entry.posting < wanted; });
  return at != run.end() && at->posting == posting ? &*at : nullptr;
}

constexpr uint64_t kEveryByte = 0x0101010101010101;

// True if any byte is 255.
bool HasEscape(uint64_t bytes) {
  return ((~bytes - kEveryByte) & bytes & (kEveryByte << 7)) != 0;
}

uint64_t SumOfBytes(uint64_t bytes) {
  constexpr uint64_t kEvenBytes = 0x00ff00ff00ff00ff;
  const uint64_t pairs = (bytes & kEvenBytes) + (bytes >> 8 & kEvenBytes);
  return pairs * 0x0001000100010001 >> 48;
}

// The first n of eight frequencies; the others are 0.
uint64_t LoadFreqs(const uint8_t* freqs, uint32_t n) {
  uint64_t bytes;
  std::memcpy(&bytes, freqs, sizeof(bytes));
  return n >= 8 ? bytes : bytes & ((uint64_t{1} << (8 * n)) - 1);
}

}  // namespace

void PostingListView::LoadUnits(uint32_t begin, uint32_t end) const {
  decoded->Load(begin, end);
}

DocId PostingListView::SelectDoc(uint32_t i) const {
  const uint64_t runs = BitsetRuns(doc_count);
  const auto run =
      static_cast<uint64_t>(std::upper_bound(ranks + 1, ranks + runs + 1, i) - ranks) - 1;
  if (run == runs || ranks[run] > i) return kNoDoc;
  uint32_t left = i - ranks[run];
  for (uint64_t word = run * kRunWords; word < (run + 1) * kRunWords; ++word) {
    const auto count = static_cast<uint32_t>(std::popcount(bits[word]));
    if (left < count) return static_cast<DocId>(word * 64 + SelectBit(bits[word], left));
    left -= count;
  }
  return kNoDoc;
}

std::optional<uint32_t> PostingListView::PostingOf(DocId doc) const {
  if (bits != nullptr) {
    if (doc >= doc_count || (bits[doc / 64] >> (doc % 64) & 1) == 0) return std::nullopt;
    const uint32_t i = Rank(doc);
    return i < df ? std::optional(i) : std::nullopt;
  }
  Load(0, df);
  const DocId* place = std::lower_bound(docids, docids + df, doc);
  if (place == docids + df || *place != doc) return std::nullopt;
  return static_cast<uint32_t>(place - docids);
}

uint32_t PostingListView::Rank(DocId doc) const {
  uint32_t rank = ranks[doc / kRankDocs];
  const uint32_t last = doc / 64;
  for (uint32_t word = doc / kRankDocs * kRunWords; word < last; ++word) {
    rank += static_cast<uint32_t>(std::popcount(bits[word]));
  }
  return rank +
         static_cast<uint32_t>(std::popcount(bits[last] & ((uint64_t{1} << (doc % 64)) - 1)));
}

DocId PostingListView::FirstFrom(DocId from) const {
  const uint64_t words = BitsetWords(doc_count);
  uint64_t word = from / 64;
  if (word >= words) return kNoDoc;
  uint64_t left = bits[word] & (~uint64_t{0} << (from % 64));
  while (left == 0) {
    if (++word == words) return kNoDoc;
    left = bits[word];
  }
  return static_cast<DocId>(word * 64 + static_cast<uint64_t>(std::countr_zero(left)));
}

uint32_t PostingListView::OverflowFreq(uint32_t i) const {
  const OverflowEntry* entry = FindOverflow(overflow, i);
  return entry != nullptr ? entry->freq : kFreqEscape;
}

uint32_t PostingListView::PositionEntries(uint32_t i) const {
  if (freqs[i] != kFreqEscape) return freqs[i];
  const OverflowEntry* entry = FindOverflow(overflow, i);
  return entry != nullptr ? entry->position_entries : 0;
}

absl::Status PostingListView::PositionDamage(uint32_t i) const {
  return DataLoss(absl::StrCat(
      unverified_positions != nullptr ? unverified_positions->file_name() + ": " : std::string(),
      "the positions of posting ", i, " of ", df, ", from entry ", position_start,
      " on, make no sense"));
}

// A reader of a part of a list will soon read the bytes behind it. Prefetches more if it reads
// more.
absl::Status PostingListView::VerifyEntries(uint64_t first, uint64_t last) const {
  constexpr uint64_t kLeastAhead = 32 << 10;
  constexpr uint64_t kMostAhead = 512 << 10;
  const uint64_t offset = (position_start + first) * sizeof(uint16_t);
  const uint64_t size_bytes = (last - first) * sizeof(uint16_t);
  if (unverified_positions->WasVerified(SectionKind::kPositions, offset, size_bytes)) [[likely]]
    return absl::OkStatus();
  const uint64_t ahead = std::clamp(8 * size_bytes, kLeastAhead, kMostAhead);
  const uint64_t left = (cf - std::min(cf, first)) * sizeof(uint16_t);
  unverified_positions->Prefetch(SectionKind::kPositions, offset, std::min(ahead, left));
  return unverified_positions->Verify(SectionKind::kPositions, offset, size_bytes);
}

uint64_t PostingListView::EntriesBefore(uint32_t i) const {
  uint64_t entries = GroupStart(i / kPositionGroup);
  for (uint32_t j = i / kPositionGroup * kPositionGroup; j < i; ++j) entries += PositionEntries(j);
  return entries;
}

// Makes the entries [first, last) of one posting readable. Requires last <= positions.size().
absl::Status PostingListView::VerifyRun(uint64_t first, uint64_t last) const {
  if (decoded != nullptr) return decoded->LoadPositions(first, last);
  if (unverified_positions == nullptr) return absl::OkStatus();
  return unverified_positions->Verify(SectionKind::kPositions,
                                      (position_start + first) * sizeof(uint16_t),
                                      (last - first) * sizeof(uint16_t));
}

bool PostingListView::VerifyPositions(uint32_t begin, uint32_t end) const {
  if (decoded != nullptr) {
    Load(begin, end);
    const auto all = [](uint32_t) { return ~uint64_t{0}; };
    return decoded->LoadRuns(begin, end, EntriesBefore(begin), all).ok();
  }
  if (unverified_positions == nullptr || is_inline) return true;
  const uint64_t first = GroupStart(begin / kPositionGroup);
  const uint32_t last_group = (end - 1) / kPositionGroup;
  uint64_t last = GroupStart(last_group);
  for (uint32_t i = last_group * kPositionGroup; i < end; ++i) last += PositionEntries(i);
  if (first > last || last > positions.size()) return false;
  return VerifyEntries(first, last).ok();
}

bool PostingListView::VerifyPositions(uint32_t begin, uint32_t end, uint32_t first,
                                      std::span<const uint64_t> needed) const {
  if (decoded == nullptr) return VerifyPositions(begin, end);
  Load(begin, end);
  const auto wanted = [&](uint32_t at) {
    const uint32_t bit = begin - first + at;
    const uint64_t low = needed[bit / 64] >> (bit % 64);
    const bool crosses = bit % 64 != 0 && bit / 64 + 1 < needed.size();
    return crosses ? low | needed[bit / 64 + 1] << (64 - bit % 64) : low;
  };
  return decoded->LoadRuns(begin, end, EntriesBefore(begin), wanted).ok();
}

bool PostingListView::VerifyEntries(std::span<const uint16_t> entries) const {
  if (entries.empty()) return true;
  const auto first = static_cast<uint64_t>(entries.data() - positions.data());
  return VerifyRun(first, first + entries.size()).ok();
}

std::span<const uint16_t> PostingListView::EntriesInPlace(uint32_t i) const {
  if (is_inline) return {};
  const uint32_t group = i / kPositionGroup;
  const uint32_t before = i % kPositionGroup;
  // Lanes are padded to whole groups.
  const uint8_t* group_freqs = freqs + size_t{group} * kPositionGroup;
  const uint64_t low = LoadFreqs(group_freqs, before);
  const uint64_t high = before > 8 ? LoadFreqs(group_freqs + 8, before - 8) : 0;
  uint64_t begin = GroupStart(group);
  uint64_t count = freqs[i];
  if (count == kFreqEscape || HasEscape(low) || HasEscape(high)) [[unlikely]] {
    for (uint32_t j = group * kPositionGroup; j < i; ++j) begin += PositionEntries(j);
    count = PositionEntries(i);
    if (count != Freq(i)) return {};  // page marks among them
  } else {
    begin += SumOfBytes(low) + SumOfBytes(high);
  }
  if (begin > positions.size() || count > positions.size() - begin) return {};
  return positions.subspan(begin, count);
}

absl::Status PostingListView::ReadPositions(uint32_t i, std::vector<uint32_t>& out) const {
  out.clear();
  if (positions.empty() && unverified_positions == nullptr) return absl::OkStatus();
  Load(i, i + 1);
  const uint64_t begin = EntriesBefore(i);
  const uint64_t entries = PositionEntries(i);
  if (begin > positions.size() || entries > positions.size() - begin) return PositionDamage(i);
  PMDEX_RETURN_IF_ERROR(VerifyRun(begin, begin + entries));
  out.resize(entries);
  uint64_t page_start = 0;
  uint64_t least = 0;  // of the next position
  size_t count = 0;
  bool sound = true;
  for (const uint16_t entry : positions.subspan(begin, entries)) {
    const bool is_mark = entry == kPositionPageMark;
    const uint64_t position = page_start + entry;
    out[count] = static_cast<uint32_t>(position);
    sound &= is_mark || (position >= least && position <= 0xffffffff);
    least = is_mark ? least : position + 1;
    page_start += is_mark ? kPositionPage : 0;
    count += is_mark ? 0 : 1;
  }
  out.resize(count);
  if (sound && out.size() == Freq(i)) return absl::OkStatus();
  out.clear();
  return PositionDamage(i);
}

}  // namespace pmdex
