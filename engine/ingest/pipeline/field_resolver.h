// Turns the values that parsers find into what the memtable takes: text of a text field, the value
// of a column, or nothing, because the value is bad. Belongs to one indexer thread, and remembers
// the fields that it has met.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/columns/field_value.h"
#include "engine/ingest/fields/known_fields.h"
#include "engine/ingest/formats/document.h"
#include "engine/ingest/formats/field_registry.h"

namespace pmdex {

struct ResolvedValue {
  enum class Kind {
    kText,     // the text of a field of this name
    kNoField,  // the name has no field of its own
    kColumn,   // `value`
    kBad,      // does not fit the field; `why` says so
    kNothing,  // leaves no trace
  };
  Kind kind = Kind::kText;
  FieldValue value;
  std::string why;
};

class FieldResolver {
 public:
  // registry: decides the types; nullptr: every string is text, and nothing else is indexed.
  explicit FieldResolver(FieldRegistry* registry) : registry_(registry) {}

  // turn, ordinal: of the block (Block::turn, Block::ordinal).
  void BeginBlock(std::optional<uint64_t> turn, uint64_t ordinal);
  // line: of the document, 0 for a whole file.
  void BeginDocument(uint64_t line);
  // Requires the order in which the values stand in the document. Views in the result are as those
  // of `field`.
  ResolvedValue Resolve(const DocumentField& field);

 private:
  struct Entry;
  using Entries = std::map<std::string, Entry, std::less<>>;
  struct Entry {
    std::optional<FieldSpec> spec;  // nullopt: the name has no field
    bool is_late = false;
    uint64_t block = 0;      // in which the registry was asked last
    uint64_t document = 0;   // the document of the next two members
    bool has_value = false;  // the document has given a value
    uint32_t bad_array = 0;  // the array that was counted as bad last
    // The field that came after this one last time. Most documents have the same order.
    Entries::value_type* follower = nullptr;
  };
  static ResolvedValue ResolveTyped(const DocumentField& field, const FieldSpec& spec);
  Entry& Find(const DocumentField& field);
  void Ask(const DocumentField& field, Entry& entry);
  // Of a value of an array, or one that is not the first of its document: what becomes of it if the
  // field takes one value; nullopt if it takes several.
  std::optional<ResolvedValue> CheckMultiplicity(const DocumentField& field, Entry& entry);

  FieldRegistry* const registry_;
  Entries entries_;
  Entries::value_type* last_ = nullptr;
  std::optional<uint64_t> turn_;
  InputPosition position_;
  uint64_t block_ = 0;
  uint64_t document_ = 0;
};

}  // namespace pmdex
