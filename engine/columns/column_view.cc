#include "engine/columns/column_view.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "absl/strings/str_cat.h"

#include "pmem/check.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

template <typename T>
uint64_t LoadAt(const std::byte* lane, size_t i) {
  T value;
  std::memcpy(&value, lane + i * sizeof(T), sizeof(T));
  return value;
}

// SegmentView::Slice of the columns, inline for bytes that were verified before: most calls ask for
// a few of them.
inline absl::StatusOr<std::span<const std::byte>> SliceOf(const SegmentView& view, uint64_t offset,
                                                          uint64_t size_bytes) {
  const std::span<const std::byte> section = view.RawSection(kColumnsSection);
  if (offset <= section.size() && size_bytes <= section.size() - offset &&
      view.WasVerified(kColumnsSection, offset, size_bytes)) {
    return section.subspan(offset, size_bytes);
  }
  return view.Slice(kColumnsSection, offset, size_bytes);
}

}  // namespace

absl::Status ColumnView::Damage(uint64_t offset, std::string_view what) const {
  return view_->Damage(kColumnsSection, offset,
                       absl::StrCat("column ", ToAbsl(name_), ": ", ToAbsl(what)));
}

template <typename T>
absl::StatusOr<std::span<const T>> ColumnView::Part(uint64_t offset, uint64_t first,
                                                    uint64_t count) const {
  const uint64_t begin = offset + first * sizeof(T);
  PMDEX_ASSIGN_OR_RETURN(const auto bytes, SliceOf(*view_, begin, count * sizeof(T)));
  return std::span<const T>(reinterpret_cast<const T*>(bytes.data()), count);
}

template <typename T>
absl::StatusOr<T> ColumnView::Element(uint64_t offset, uint64_t index) const {
  PMDEX_ASSIGN_OR_RETURN(const std::span<const T> one, Part<T>(offset, index, 1));
  return one[0];
}

uint64_t ColumnView::ranks_offset() const {
  return entry_.presence_offset + BitsetWords(view_->header().doc_count) * sizeof(uint64_t);
}

uint64_t ColumnView::KeyIn(const std::byte* lane, size_t i) const {
  switch (entry_.value_bytes) {
    case 1:
      return entry_.least + LoadAt<uint8_t>(lane, i);
    case 2:
      return entry_.least + LoadAt<uint16_t>(lane, i);
    case 4:
      return entry_.least + LoadAt<uint32_t>(lane, i);
    default:
      return entry_.least + LoadAt<uint64_t>(lane, i);
  }
}

absl::StatusOr<std::optional<uint32_t>> ColumnView::RankOf(DocId doc) const {
  if (is_dense()) return std::optional<uint32_t>(doc);
  constexpr uint32_t kRunWords = kRankDocs / 64;
  const uint64_t run = doc / kRankDocs;
  PMDEX_ASSIGN_OR_RETURN(const auto words,
                         Part<uint64_t>(entry_.presence_offset, run * kRunWords, kRunWords));
  const uint32_t word = doc / 64 % kRunWords;
  const uint64_t bit = uint64_t{1} << (doc % 64);
  if ((words[word] & bit) == 0) return std::optional<uint32_t>();
  PMDEX_ASSIGN_OR_RETURN(uint64_t rank, Element<uint32_t>(ranks_offset(), run));
  for (uint32_t i = 0; i < word; ++i) rank += static_cast<uint64_t>(std::popcount(words[i]));
  rank += static_cast<uint64_t>(std::popcount(words[word] & (bit - 1)));
  if (rank >= entry_.doc_count) {
    return Damage(ranks_offset() + run * sizeof(uint32_t), "a rank beyond the documents");
  }
  return std::optional<uint32_t>(static_cast<uint32_t>(rank));
}

absl::StatusOr<ValueRange> ColumnView::ValuesOf(DocId doc) const {
  PMDEX_ASSIGN_OR_RETURN(const std::optional<uint32_t> rank, RankOf(doc));
  if (!rank.has_value()) return ValueRange{};
  if (!is_multi()) return ValueRange{*rank, 1};
  PMDEX_ASSIGN_OR_RETURN(const auto starts, Part<uint32_t>(entry_.starts_offset, *rank, 2));
  const uint32_t begin = starts[0];
  const uint32_t end = starts[1];
  if (begin > end || end > entry_.value_count) {
    return Damage(entry_.starts_offset + *rank * sizeof(uint32_t),
                  "the values of a document begin or end where none can");
  }
  return ValueRange{begin, end - begin};
}

absl::StatusOr<uint64_t> ColumnView::KeyAt(uint64_t index) const {
  const uint64_t offset = entry_.values_offset + index * entry_.value_bytes;
  PMDEX_ASSIGN_OR_RETURN(const auto bytes, SliceOf(*view_, offset, entry_.value_bytes));
  return KeyIn(bytes.data(), 0);
}

template <typename T>
absl::Status ColumnView::LoadKeys(std::span<const uint32_t> indices,
                                  std::span<uint64_t> keys) const {
  const std::span<const std::byte> section = view_->RawSection(kColumnsSection);
  const uint64_t least = entry_.least;
  const uint64_t first = entry_.values_offset;
  PMDEX_DCHECK(first % sizeof(T) == 0);  // so that no value lies in two pages
  if (indices.empty()) return absl::OkStatus();
  uint32_t low = indices[0];
  uint32_t high = indices[0];
  for (const uint32_t index : indices) {
    low = std::min(low, index);
    high = std::max(high, index);
  }
  const uint64_t begin = first + uint64_t{low} * sizeof(T);
  const uint64_t end = first + (uint64_t{high} + 1) * sizeof(T);
  const bool is_inside = end <= section.size();
  const std::byte* const lane = is_inside ? section.data() + first : nullptr;
  if (is_inside && view_->WasVerified(kColumnsSection, begin, end - begin)) {
    for (size_t i = 0; i < indices.size(); ++i) keys[i] = least + LoadAt<T>(lane, indices[i]);
    return absl::OkStatus();
  }
  for (size_t i = 0; i < indices.size(); ++i) {
    const uint64_t offset = first + uint64_t{indices[i]} * sizeof(T);
    if (is_inside && view_->WasVerified(kColumnsSection, offset, /*size_bytes=*/1)) {
      keys[i] = least + LoadAt<T>(lane, indices[i]);
    } else {
      PMDEX_ASSIGN_OR_RETURN(keys[i], KeyAt(indices[i]));
    }
  }
  return absl::OkStatus();
}

absl::Status ColumnView::KeysAt(std::span<const uint32_t> indices, std::span<uint64_t> keys) const {
  switch (entry_.value_bytes) {
    case 1:
      return LoadKeys<uint8_t>(indices, keys);
    case 2:
      return LoadKeys<uint16_t>(indices, keys);
    case 4:
      return LoadKeys<uint32_t>(indices, keys);
    default:
      return LoadKeys<uint64_t>(indices, keys);
  }
}

absl::StatusOr<ColumnZone> ColumnView::Zone(uint32_t window) const {
  return Element<ColumnZone>(entry_.zones_offset, window);
}

absl::StatusOr<WindowValues> ColumnView::Window(uint32_t window) const {
  const uint32_t segment_docs = view_->header().doc_count;
  const uint64_t first_doc = uint64_t{window} * kZoneDocs;
  const uint64_t end_doc = std::min<uint64_t>(first_doc + kZoneDocs, segment_docs);
  WindowValues values;
  uint64_t begin = first_doc;
  uint64_t end = end_doc;
  if (!is_dense()) {
    const uint64_t first_run = first_doc / kRankDocs;
    const uint64_t runs = (end_doc - first_doc + kRankDocs - 1) / kRankDocs;
    PMDEX_ASSIGN_OR_RETURN(const auto words,
                           Part<uint64_t>(entry_.presence_offset, first_run * (kRankDocs / 64),
                                          runs * (kRankDocs / 64)));
    PMDEX_ASSIGN_OR_RETURN(const auto ranks, Part<uint32_t>(ranks_offset(), first_run, runs + 1));
    values.presence = words.data();
    values.presence_words = static_cast<uint32_t>(words.size());
    begin = ranks.front();
    end = ranks.back();
    if (begin > end || end > entry_.doc_count || end - begin > kZoneDocs) {
      return Damage(ranks_offset() + first_run * sizeof(uint32_t), "ranks that none can be");
    }
  }
  values.doc_count = static_cast<uint32_t>(end - begin);
  if (is_multi()) {
    PMDEX_ASSIGN_OR_RETURN(const auto starts, Part<uint32_t>(entry_.starts_offset, begin,
                                                             uint64_t{values.doc_count} + 1));
    values.starts = starts.data();
    begin = starts.front();
    end = starts.back();
    if (begin > end || end > entry_.value_count) {
      return Damage(entry_.starts_offset, "the values of a window begin or end where none can");
    }
  }
  values.first_value = static_cast<uint32_t>(begin);
  values.value_count = static_cast<uint32_t>(end - begin);
  PMDEX_ASSIGN_OR_RETURN(
      const auto lane,
      view_->Slice(kColumnsSection, entry_.values_offset + begin * entry_.value_bytes,
                   uint64_t{values.value_count} * entry_.value_bytes + kColumnTailBytes));
  values.lane = lane.data();
  return values;
}

absl::StatusOr<std::span<const DocId>> ColumnView::DocsInOrder(uint64_t begin, uint64_t end) const {
  return Part<DocId>(entry_.order_offset, begin, end - begin);
}

absl::StatusOr<uint64_t> ColumnView::KeyInOrder(uint64_t place) const {
  if (place % kSampleValues == 0) {
    return Element<uint64_t>(entry_.samples_offset, place / kSampleValues);
  }
  PMDEX_ASSIGN_OR_RETURN(const DocId doc, Element<DocId>(entry_.order_offset, place));
  if (doc >= view_->header().doc_count) {
    return Damage(entry_.order_offset + place * sizeof(DocId), "there is no such document");
  }
  PMDEX_ASSIGN_OR_RETURN(const ValueRange values, ValuesOf(doc));
  if (values.count == 0) {
    return Damage(entry_.order_offset + place * sizeof(DocId), "a document without a value");
  }
  return KeyAt(values.first);
}

// The index of the first sample whose key is at least `key`, or greater if `above`.
absl::StatusOr<uint64_t> ColumnView::FirstSampleFrom(uint64_t key, bool above) const {
  uint64_t low = 0;
  uint64_t high = SampleCount(entry_.value_count);
  while (low < high) {
    const uint64_t middle = (low + high) / 2;
    PMDEX_ASSIGN_OR_RETURN(const uint64_t sample, Element<uint64_t>(entry_.samples_offset, middle));
    if (sample < key || (above && sample == key)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// The first place of [begin, end] in the order whose key is at least `key`, or greater if `above`.
absl::StatusOr<uint64_t> ColumnView::FirstInOrder(uint64_t begin, uint64_t end, uint64_t key,
                                                  bool above) const {
  while (begin < end) {
    const uint64_t middle = (begin + end) / 2;
    PMDEX_ASSIGN_OR_RETURN(const uint64_t found, KeyInOrder(middle));
    if (found < key || (above && found == key)) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

absl::StatusOr<ColumnView::OrderRange> ColumnView::FindInOrder(uint64_t low, uint64_t high) const {
  OrderRange range;
  if (low > high || low > entry_.greatest || high < entry_.least) return range;
  PMDEX_ASSIGN_OR_RETURN(const uint64_t from, FirstSampleFrom(low, false));
  PMDEX_ASSIGN_OR_RETURN(const uint64_t beyond, FirstSampleFrom(high, true));
  // Values before sample `from` and behind sample from - 1 may have either side of the bound.
  const uint64_t count = entry_.value_count;
  const uint64_t least_place = from == 0 ? 0 : (from - 1) * kSampleValues;
  range.begin = low <= entry_.least ? 0 : least_place;
  range.end = high >= entry_.greatest ? count : std::min(beyond * kSampleValues, count);
  range.certain_begin = low <= entry_.least ? 0 : std::min(from * kSampleValues, count);
  range.certain_end = high >= entry_.greatest ? count
                      : beyond == 0           ? 0
                                              : (beyond - 1) * kSampleValues + 1;
  range.end = std::max(range.end, range.begin);
  if (!is_multi()) {
    PMDEX_ASSIGN_OR_RETURN(
        range.begin,
        FirstInOrder(range.begin, std::min(range.certain_begin, range.end), low, false));
    PMDEX_ASSIGN_OR_RETURN(
        range.end, FirstInOrder(std::max(range.begin, std::min(range.certain_end, range.end)),
                                range.end, high, true));
    range.certain_begin = range.begin;
    range.certain_end = range.end;
  }
  range.certain_begin = std::clamp(range.certain_begin, range.begin, range.end);
  range.certain_end = std::clamp(range.certain_end, range.certain_begin, range.end);
  return range;
}

absl::StatusOr<std::string_view> ColumnView::Keyword(uint64_t ordinal) const {
  if (ordinal >= entry_.keyword_count) {
    return Damage(entry_.values_offset, "a keyword that there is not");
  }
  PMDEX_ASSIGN_OR_RETURN(const auto starts,
                         Part<uint64_t>(entry_.keyword_starts_offset, ordinal, 2));
  const uint64_t begin = starts[0];
  const uint64_t end = starts[1];
  if (begin > end || end > entry_.keywords_bytes) {
    return Damage(entry_.keyword_starts_offset + ordinal * sizeof(uint64_t),
                  "a keyword begins or ends where none can");
  }
  PMDEX_ASSIGN_OR_RETURN(const auto text, Part<char>(entry_.keywords_offset, begin, end - begin));
  return std::string_view(text.data(), text.size());
}

absl::StatusOr<KeywordRun> ColumnView::Keywords(uint64_t first, uint64_t count) const {
  PMDEX_ASSIGN_OR_RETURN(const auto starts,
                         Part<uint64_t>(entry_.keyword_starts_offset, first, count + 1));
  const uint64_t begin = starts.front();
  const uint64_t end = starts.back();
  if (begin > end || end > entry_.keywords_bytes) {
    return Damage(entry_.keyword_starts_offset + first * sizeof(uint64_t),
                  "keywords begin or end where none can");
  }
  PMDEX_ASSIGN_OR_RETURN(const auto text, Part<char>(entry_.keywords_offset, begin, end - begin));
  return KeywordRun(first, starts, {text.data(), text.size()});
}

absl::StatusOr<uint64_t> ColumnView::FirstKeywordFrom(std::string_view text) const {
  uint64_t low = 0;
  uint64_t high = entry_.keyword_count;
  while (low < high) {
    const uint64_t middle = (low + high) / 2;
    PMDEX_ASSIGN_OR_RETURN(const std::string_view keyword, Keyword(middle));
    if (keyword < text) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace pmdex
