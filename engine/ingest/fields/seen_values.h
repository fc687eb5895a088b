// The type of a field, inferred from values that documents gave it. docs/FIELDS.md has the rules. A
// plain value.
#pragma once

#include "engine/columns/field_spec.h"
#include "engine/ingest/formats/document.h"

namespace pmdex {

class SeenValues {
 public:
  // Objects do not count.
  void Add(const DocumentField& value);
  bool empty() const { return !number_ && !string_ && !truth_; }
  // The field that takes all these values, as far as one does. Requires !empty(). multi() is true
  // if an array was among them; otherwise an array is a bad value of the field.
  FieldSpec Infer() const;

 private:
  FieldType InferType() const;

  bool number_ = false;
  bool fraction_ = false;  // a number with a point or an exponent
  bool negative_ = false;
  bool above_i64_ = false;  // a whole number above 2^63 - 1
  bool string_ = false;
  bool other_string_ = false;  // one that is no time of RFC 3339
  bool truth_ = false;
  bool array_ = false;
};

}  // namespace pmdex
