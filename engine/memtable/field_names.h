// Which names have a field of their own. A field costs each document of a segment a byte, and a
// query a look-up for each of its words, so the number of fields is limited. Values under other
// names go into one common field, where queries find them without a name.
#pragma once

#include <cstddef>
#include <string_view>

namespace pmdex {

// The common field. Values that a document gives under this name go into it too.
inline constexpr std::string_view kOtherField = "_other";
// The most fields of an index, all its segments together, without kOtherField.
inline constexpr size_t kMaxFields = 1000;
// Longer names have no field of their own, so that the size of field tables is bounded.
inline constexpr size_t kMaxFieldNameBytes = 512;

// A memtable asks this for each name that it does not know yet. Only the thread of the memtable
// uses it.
class FieldNames {
 public:
  virtual ~FieldNames() = default;
  // True if the name has a field of its own. Once true for a name, the answer never changes.
  // Requires at most kMaxFieldNameBytes, and a name other than kOtherField.
  virtual bool HasOwnField(std::string_view name) = 0;
};

}  // namespace pmdex
