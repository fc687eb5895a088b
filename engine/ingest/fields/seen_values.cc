#include "engine/ingest/fields/seen_values.h"

#include "engine/columns/date_text.h"
#include "engine/columns/value_parser.h"

namespace pmdex {

void SeenValues::Add(const DocumentField& value) {
  switch (value.kind) {
    case InputValueKind::kObject:
    case InputValueKind::kNull:
      return;
    case InputValueKind::kBool:
      truth_ = true;
      break;
    case InputValueKind::kString:
      string_ = true;
      other_string_ = other_string_ || !IsRfc3339Time(value.text);
      break;
    case InputValueKind::kNumber:
      number_ = true;
      negative_ = negative_ || value.text.starts_with('-');
      if (value.text.find_first_of(".eE") != std::string_view::npos) {
        fraction_ = true;
      } else {
        above_i64_ =
            above_i64_ || (!value.text.starts_with('-') && !ParseI64(value.text).has_value());
      }
      break;
  }
  array_ = array_ || value.array != 0;
}

FieldType SeenValues::InferType() const {
  const int kinds = (number_ ? 1 : 0) + (string_ ? 1 : 0) + (truth_ ? 1 : 0);
  if (kinds > 1) return FieldType::kKeyword;
  if (truth_) return FieldType::kBool;
  if (string_) return other_string_ ? FieldType::kText : FieldType::kDate;
  if (fraction_) return FieldType::kF64;
  return above_i64_ && !negative_ ? FieldType::kU64 : FieldType::kI64;
}

FieldSpec SeenValues::Infer() const {
  return {InferType(), array_ ? Multiplicity::kMany : Multiplicity::kOne};
}

}  // namespace pmdex
