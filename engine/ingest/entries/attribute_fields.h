// The attributes of an entry as fields of its document (attribute_names.h). Belongs to one thread.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "engine/columns/field_value.h"
#include "engine/ingest/entries/account_names.h"
#include "engine/ingest/entries/entry_facts.h"
#include "engine/ingest/formats/document.h"

namespace pmdex {

// "f", "d", "l", "p", "s", "b" or "c", by a mode of stat(2).
std::string_view TypeOfMode(uint32_t mode);

class AttributeFields {
 public:
  // The attributes as fields, which view `path`, `entry` and this object. They are valid until the
  // next call. has_text: the entry is a file whose text is indexed.
  std::span<const DocumentField> Describe(std::string_view path, const EntryView& entry,
                                          bool has_text);

 private:
  static constexpr size_t kMost = 24;

  void Add(std::string_view name, const FieldValue& value);
  void AddKeyword(std::string_view name, std::string_view text);  // nothing if it is empty
  void AddNames(std::string_view path, const EntryFacts& facts, bool has_text);
  void AddNumbers(const EntryFacts& facts);
  void AddRights(const EntryView& entry);

  AccountNames accounts_;
  std::string extension_;
  std::string mode_;
  std::string access_;
  // What access_ was made of: most files of a directory have the same rights.
  std::string rights_;
  std::string parents_;
  std::array<FieldValue, kMost> values_;
  std::array<DocumentField, kMost> fields_;
  size_t count_ = 0;
};

}  // namespace pmdex
