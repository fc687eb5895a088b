// Which names have a field of their own. A field costs every document of a segment a byte, and a
// query a look-up for each of its words, so an index has a limit of them; values under other names
// share one further field, where they are found without a name.
#pragma once

#include <cstddef>
#include <string_view>

namespace pmdex {

// The field that the others share. A document that names it means it.
inline constexpr std::string_view kOtherField = "_other";
// Fields of an index, all its segments together, kOtherField not counted.
inline constexpr size_t kMaxFields = 1000;
// Longer names share kOtherField, so that what a reader of field tables reads stays bounded.
inline constexpr size_t kMaxFieldNameBytes = 512;

// Asked by a memtable for each name that it does not know yet. Belongs to the memtable's thread.
class FieldNames {
 public:
  virtual ~FieldNames() = default;
  // Whether values under this name, of at most kMaxFieldNameBytes and not kOtherField, have a field
  // of their own. The answer for a name that has one never changes.
  virtual bool HasOwnField(std::string_view name) = 0;
};

}  // namespace pmdex
