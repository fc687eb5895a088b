// A document as a program gives it to a live index (live_index.h), and the documents that the index
// keeps until they are in a segment on the medium. Plain values; not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/columns/field_spec.h"
#include "engine/columns/field_value.h"
#include "engine/memtable/memtable.h"
#include "pmem/status.h"

namespace pmdex {

// A value of a field that is not text.
struct AddedValue {
  std::string field;
  FieldType type = FieldType::kI64;
  uint64_t bits = 0;    // as in FieldValue
  std::string keyword;  // of kKeyword

  FieldValue value() const { return {type, bits, keyword}; }
};

struct AddedDocument {
  std::string id;
  // Names and texts. A name that comes again adds a value to the field.
  std::vector<std::pair<std::string, std::string>> fields;
  std::string record;  // valid UTF-8; kept if the index stores text, and may be empty
  // Of typed fields. Several values of a field keep their order.
  std::vector<AddedValue> values = {};
};
using AddedDocumentPointer = std::shared_ptr<const AddedDocument>;

// Returns kInvalidArgument if a segment could not hold the document.
absl::Status CheckAddedDocument(const AddedDocument& document);
// Adds the fields of the document to those of the index. Returns kInvalidArgument, and changes
// nothing, if a field has another type, or takes one value and the document has several.
absl::Status AddFields(const AddedDocument& document, FieldSpecs& fields);
// Requires that CheckAddedDocument and AddFields returned OK.
void AddToMemtable(const AddedDocument& document, Memtable& memtable);

// The documents in the order in which they were added. They are numbered from 0; the numbers of
// those that were dropped are not used again.
class AddedDocuments {
 public:
  void Append(AddedDocumentPointer document);
  // The number that the next document gets.
  uint64_t end() const { return begin_ + documents_.size(); }
  // Requires that none of [begin, end) was dropped.
  std::vector<AddedDocumentPointer> Range(uint64_t begin, uint64_t end) const;
  void DropBefore(uint64_t number);
  size_t memory_bytes() const { return memory_bytes_; }

 private:
  std::deque<AddedDocumentPointer> documents_;
  uint64_t begin_ = 0;  // the number of the first one
  size_t memory_bytes_ = 0;
};

}  // namespace pmdex
