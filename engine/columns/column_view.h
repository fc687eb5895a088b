// Reads one column of a mapped segment in place. Keys (column_key.h) stand for values. Every
// function checks what it reads, so that no bytes can lead outside the section, and verifies the
// pages that it touches for the first time. It returns kDataLoss for damage.
//
// A plain view, valid as long as the segment. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "engine/columns/column_key.h"
#include "engine/columns/field_type.h"
#include "engine/segment/column_format.h"
#include "engine/segment/file/segment_view.h"
#include "engine/segment/format.h"
#include "pmem/status.h"

namespace pmdex {

inline constexpr SectionKind kColumnsSection = SectionKind::kNumericColumns;

// The values of a document: their indices in the column are [first, first + count).
struct ValueRange {
  uint32_t first = 0;
  uint32_t count = 0;  // 0: the document has no value
};

// The values of the documents of one window (kZoneDocs), as they lie in the section. Value i is the
// value_bytes at lane + i * value_bytes, less the least key of the column.
struct WindowValues {
  const uint64_t* presence = nullptr;  // a bit for each document of the window; nullptr: all have
                                       // a value
  uint32_t presence_words = 0;
  const uint32_t* starts = nullptr;  // doc_count + 1 indices of values in the column; nullptr: each
                                     // document has one value
  uint32_t first_value = 0;          // the index of lane's first value in the column
  uint32_t doc_count = 0;            // documents of the window with a value
  uint32_t value_count = 0;
  const std::byte* lane = nullptr;  // readable up to 64 bytes behind the last value
};

// Keywords with neighbouring ordinals, for callers that read many of them. A plain view.
class KeywordRun {
 public:
  KeywordRun() = default;
  // starts: of the keywords from `first` on and of the one behind them, in the text of the column.
  // text: from the first of them on.
  KeywordRun(uint64_t first, std::span<const uint64_t> starts, std::string_view text)
      : first_(first), starts_(starts), text_(text) {}

  // nullopt if the keyword is not in the run, or if damaged bytes place it outside.
  std::optional<std::string_view> Find(uint64_t ordinal) const {
    const uint64_t i = ordinal - first_;
    if (starts_.empty() || i >= starts_.size() - 1) return std::nullopt;
    const uint64_t begin = starts_[i] - starts_[0];
    const uint64_t end = starts_[i + 1] - starts_[0];
    if (begin > end || end > text_.size()) return std::nullopt;
    return text_.substr(begin, end - begin);
  }

 private:
  uint64_t first_ = 0;
  std::span<const uint64_t> starts_;
  std::string_view text_;
};

class ColumnView {
 public:
  ColumnView(const SegmentView& view, const ColumnEntry& entry, std::string_view name)
      : view_(&view), entry_(entry), name_(name) {}

  std::string_view name() const { return name_; }
  FieldType type() const { return static_cast<FieldType>(entry_.type); }
  // Documents may have several values.
  bool is_multi() const { return entry_.starts_offset != 0; }
  bool is_dense() const { return entry_.presence_offset == 0; }  // all documents have a value
  uint32_t doc_count() const { return entry_.doc_count; }        // documents with a value
  uint64_t value_count() const { return entry_.value_count; }
  uint64_t keyword_count() const { return entry_.keyword_count; }
  uint64_t least() const { return entry_.least; }  // key
  uint64_t greatest() const { return entry_.greatest; }
  uint32_t value_bytes() const { return entry_.value_bytes; }
  const ColumnEntry& entry() const { return entry_; }

  // Requires doc < documents of the segment.
  absl::StatusOr<ValueRange> ValuesOf(DocId doc) const;
  // The key of the value with this index. Requires index < value_count().
  absl::StatusOr<uint64_t> KeyAt(uint64_t index) const;
  // The keys of the values with these indices, keys[i] that of indices[i]. Requires that each index
  // is below value_count(), and as many keys as indices.
  absl::Status KeysAt(std::span<const uint32_t> indices, std::span<uint64_t> keys) const;
  // Requires window < ZoneCount(documents of the segment).
  absl::StatusOr<ColumnZone> Zone(uint32_t window) const;
  absl::StatusOr<WindowValues> Window(uint32_t window) const;
  // The key of value i of a lane.
  uint64_t KeyIn(const std::byte* lane, size_t i) const;

  // The places of the values with keys in [low, high], in the order of values. All of them lie in
  // [begin, end), and [certain_begin, certain_end) has no others. The values of other places may
  // lie outside of the range. In a column that is not is_multi() all places are certain.
  struct OrderRange {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t certain_begin = 0;
    uint64_t certain_end = 0;
  };
  absl::StatusOr<OrderRange> FindInOrder(uint64_t low, uint64_t high) const;
  // The key at this place of the order. Requires a column that is not is_multi(), and place <
  // value_count().
  absl::StatusOr<uint64_t> KeyInOrder(uint64_t place) const;
  // The documents of these places of the order. Documents may be out of range in a damaged file.
  // Requires begin <= end <= value_count().
  absl::StatusOr<std::span<const DocId>> DocsInOrder(uint64_t begin, uint64_t end) const;

  // The text of a key of a keyword.
  absl::StatusOr<std::string_view> Keyword(uint64_t ordinal) const;
  // The keywords [first, first + count). Requires that the column has them.
  absl::StatusOr<KeywordRun> Keywords(uint64_t first, uint64_t count) const;
  // The ordinal of the first keyword that is not less than `text`; keyword_count() if there is
  // none.
  absl::StatusOr<uint64_t> FirstKeywordFrom(std::string_view text) const;

  absl::Status Damage(uint64_t offset, std::string_view what) const;

 private:
  // The elements [first, first + count) of the part at `offset`.
  template <typename T>
  absl::StatusOr<std::span<const T>> Part(uint64_t offset, uint64_t first, uint64_t count) const;
  template <typename T>
  absl::StatusOr<T> Element(uint64_t offset, uint64_t index) const;
  template <typename T>
  absl::Status LoadKeys(std::span<const uint32_t> indices, std::span<uint64_t> keys) const;
  uint64_t ranks_offset() const;
  // The index of the document among those with a value; nullopt if it has none.
  absl::StatusOr<std::optional<uint32_t>> RankOf(DocId doc) const;
  absl::StatusOr<uint64_t> FirstSampleFrom(uint64_t key, bool above) const;
  absl::StatusOr<uint64_t> FirstInOrder(uint64_t begin, uint64_t end, uint64_t key,
                                        bool above) const;

  const SegmentView* view_;
  ColumnEntry entry_;
  std::string_view name_;
};

}  // namespace pmdex
