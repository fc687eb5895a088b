// The fields of a memtable: their names, the length of each in every document, and the next
// position of each in the open document. Part of a memtable: not thread-safe.
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
  // `names` decides which names have a field of their own. nullptr: the first kMaxFields have.
  explicit MemtableFields(FieldNames* names = nullptr) : names_(names) {}

  struct Found {
    FieldId id = 0;
    bool is_own = true;  // false if the field is kOtherField because the name has none of its own
  };
  // Returns the field of this name, or adds it.
  Found FindOrAdd(std::string_view name);

  // Begins a value of the field in the open document. Returns the position of its first token,
  // which is kPositionGap behind the value before if there is one.
  uint32_t BeginValue(FieldId field);
  void EndValue(FieldId field, uint32_t next_position) {
    fields_[field].next_position = next_position;
  }
  // Counts tokens of the value. Returns how many tokens the field had in this document before.
  uint32_t AddTokens(FieldId field, size_t count);

  // Keeps the lengths of the open document as those of `doc`, and returns the number of its tokens.
  // Requires a higher `doc` each time.
  uint64_t EndDocument(DocId doc);
  // Forgets the open document.
  void AbandonDocument() { ForgetDocument(); }

  size_t memory_bytes(uint32_t doc_count) const;
  // The fields, with the lengths of doc_count documents. They view this object and are valid until
  // it changes.
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
  // Not an absl map: if memory runs out while such a map grows, it cannot be destroyed any more.
  std::map<std::string, FieldId, std::less<>> ids_;
  FieldId last_ = 0;  // the field that was found last
  size_t name_bytes_ = 0;
  std::vector<FieldId> touched_;
};

}  // namespace pmdex
