#include "tests/support/column_texts.h"

#include <gtest/gtest.h>

#include <bit>

#include "engine/columns/column_key.h"
#include "engine/columns/column_view.h"

namespace pmdex {
namespace {

std::string TextOf(const ColumnView& column, uint64_t key) {
  if (column.type() == FieldType::kKeyword) return std::string(*column.Keyword(key));
  const uint64_t bits = BitsOfKey(column.type(), key);
  const bool is_unsigned = column.type() == FieldType::kU64 || column.type() == FieldType::kBool;
  if (column.type() == FieldType::kF64) return std::to_string(std::bit_cast<double>(bits));
  return is_unsigned ? std::to_string(bits) : std::to_string(std::bit_cast<int64_t>(bits));
}

}  // namespace

std::map<std::string, std::string> ColumnTexts(const Segment& segment, DocId doc) {
  std::map<std::string, std::string> texts;
  for (const ColumnView& column : segment.columns()) {
    const auto values = column.ValuesOf(doc);
    EXPECT_TRUE(values.ok()) << values.status();
    if (!values.ok() || values->count == 0) continue;
    std::string& text = texts[std::string(column.name())];
    for (uint32_t i = 0; i < values->count; ++i) {
      if (i > 0) text += ',';
      text += TextOf(column, *column.KeyAt(values->first + i));
    }
  }
  return texts;
}

}  // namespace pmdex
