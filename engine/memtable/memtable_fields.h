// The fields of a memtable: their names, the length of each in every document, and where the open
// document stands in them. Part of a memtable: not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/memtable/field_names.h"
#include "engine/segment/format.h"
#include "engine/segment/segment_input.h"

namespace pmdex {

class MemtableFields {
 public:
  // names: which of them have a field of their own; nullptr: the first kMaxFields.
  explicit MemtableFields(FieldNames* names = nullptr) : names_(names) {}

  struct Found {
    FieldId id = 0;
    bool is_own = true;  // otherwise it is kOtherField, which the name shares
  };
  // The field of this name, a new one if need be.
  Found FindOrAdd(std::string_view name);

  // A value of the field begins in the open document; returns the position of its first token:
  // kPositionGap behind the value before, if there is one.
  uint32_t BeginValue(FieldId field);
  void EndValue(FieldId field, uint32_t next_position) {
    fields_[field].next_position = next_position;
  }
  // Tokens of the value; returns how many the document had in the field before.
  uint32_t AddTokens(FieldId field, size_t count);

  // Keeps the lengths of document `doc`, a higher one each time; returns the number of its tokens.
  uint64_t EndDocument(DocId doc);
  // Instead of EndDocument: nothing is kept.
  void AbandonDocument() { ForgetDocument(); }

  size_t memory_bytes(uint32_t doc_count) const;
  // With lengths for doc_count documents; they are views, valid until the next change.
  std::vector<SegmentField> Freeze(uint32_t doc_count);

 private:
  struct Field {
    std::string name;
    std::vector<uint8_t> norms;  // up to the last document that has the field
    uint64_t doc_count = 0;
    uint64_t token_count = 0;
    // In the open document:
    bool touched = false;
    uint32_t next_position = 0;
    uint32_t length = 0;
  };

  bool HasOwnField(std::string_view name);
  void ForgetDocument();

  FieldNames* const names_;
  std::vector<Field> fields_;
  // Not absl's: where memory runs out while one of those grows, it cannot be destroyed any more.
  std::map<std::string, FieldId, std::less<>> ids_;
  FieldId last_ = 0;  // that was found
  size_t name_bytes_ = 0;
  std::vector<FieldId> touched_;
};

}  // namespace pmdex
