#include "query/files/attribute_column.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/columns/column_key.h"
#include "engine/ingest/entries/attribute_names.h"

namespace pmdex {
namespace {

// Runs of texts grow to this where each follows the one before: each is a request to the medium.
constexpr uint64_t kMostTexts = 4096;

}  // namespace

AttributeColumn::AttributeColumn(const Segment& segment, std::string_view name)
    : doc_count_(segment.doc_count()) {
  const auto spec = AttributeSpecs().find(name);
  for (const ColumnView& column : segment.columns()) {
    if (column.name() == name && column.type() == spec->second.type) column_ = &column;
  }
}

// Document i of the window has value i of the lane.
template <typename Stored>
void AttributeColumn::DecodeDense(const WindowValues& values) {
  const uint64_t least = column_->least();
  for (uint32_t i = 0; i < values.value_count; ++i) {
    Stored stored;
    std::memcpy(&stored, values.lane + i * sizeof stored, sizeof stored);
    keys_[i] = least + stored;
  }
}

void AttributeColumn::Decode(const WindowValues& values) {
  if (values.presence == nullptr && values.starts == nullptr) {
    switch (column_->value_bytes()) {
      case 1:
        return DecodeDense<uint8_t>(values);
      case 2:
        return DecodeDense<uint16_t>(values);
      case 4:
        return DecodeDense<uint32_t>(values);
      default:
        return DecodeDense<uint64_t>(values);
    }
  }
  std::fill(keys_.begin(), keys_.end(), KeyOfBits(column_->type(), 0));
  uint32_t rank = 0;  // among the documents of the window that have a value
  for (size_t word = 0; word < present_.size(); ++word) {
    for (uint64_t bits = present_[word]; bits != 0; bits &= bits - 1) {
      const size_t i = word * 64 + static_cast<size_t>(std::countr_zero(bits));
      const uint32_t value =
          values.starts == nullptr ? rank : values.starts[rank] - values.first_value;
      keys_[i] = value < values.value_count ? column_->KeyIn(values.lane, value) : 0;
      ++rank;
    }
  }
}

absl::Status AttributeColumn::Load(uint32_t window) {
  window_ = window;
  if (column_ == nullptr) return absl::OkStatus();
  keys_.resize(kZoneDocs);
  PMDEX_ASSIGN_OR_RETURN(const WindowValues values, column_->Window(window));
  const uint32_t docs = std::min<uint32_t>(kZoneDocs, doc_count_ - window * kZoneDocs);
  present_.fill(0);
  if (values.presence == nullptr) {
    std::fill_n(present_.begin(), docs / 64, ~uint64_t{0});
    if (docs % 64 != 0) present_[docs / 64] = (uint64_t{1} << (docs % 64)) - 1;
  } else {
    std::copy_n(values.presence, std::min<size_t>(values.presence_words, present_.size()),
                present_.begin());
  }
  uint32_t documents = 0;
  for (const uint64_t word : present_) documents += static_cast<uint32_t>(std::popcount(word));
  if (documents != values.doc_count) {
    return column_->Damage(column_->entry().presence_offset, "the documents are miscounted");
  }
  Decode(values);
  return absl::OkStatus();
}

// Reads the run of the keyword, which is not in the present one.
absl::StatusOr<std::string_view> AttributeColumn::ReadText(uint64_t ordinal) {
  if (ordinal >= column_->keyword_count()) return column_->Keyword(ordinal);
  const uint64_t first = ordinal - ordinal % kFewestTexts;
  texts_count_ = first == texts_end_ ? std::min(texts_count_ * 4, kMostTexts) : kFewestTexts;
  texts_end_ = std::min(first + texts_count_, column_->keyword_count());
  PMDEX_ASSIGN_OR_RETURN(texts_, column_->Keywords(first, texts_end_ - first));
  const auto text = texts_.Find(ordinal);
  if (text.has_value()) return *text;
  return column_->Keyword(ordinal);  // which says what is damaged
}

}  // namespace pmdex
