// What the parser of each format makes of a block, one document at a time, and the interface of
// what takes the documents.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"

#include "engine/columns/field_value.h"
#include "engine/ingest/pipeline/block_pool.h"
#include "pmem/status.h"
#include "pmem/text.h"

namespace pmdex {

// The fields of formats whose input names no fields. They do not count towards the limit of fields
// (field_registry.h).
inline constexpr std::string_view kBodyField = "body";
inline constexpr std::string_view kPathField = "path";
inline bool IsFixedField(std::string_view name) {
  return name == kBodyField || name == kPathField;
}

// What a value was in the input. Formats whose input names no fields have strings alone, and nulls
// come from a parser that was asked for them.
enum class InputValueKind : uint8_t { kString, kNumber, kBool, kObject, kNull };

struct DocumentField {
  std::string_view name;
  // kString: the text. kNumber: the number as JSON writes it. kBool: "true" or "false". kObject:
  // empty; the values in the object are fields of their own. kNull: empty.
  std::string_view text;
  InputValueKind kind = InputValueKind::kString;
  // 0: the value stands by itself. Otherwise it is of an array, and the values of one array of the
  // document have the same number.
  uint32_t array = 0;
  // If not null, the value itself, which came with its type: of an attribute of a file, say. `text`
  // is that of a keyword. The value lives as long as the views.
  const FieldValue* value = nullptr;
};

// Where a document comes from, for messages.
struct Place {
  std::string_view path;
  uint64_t line = 0;  // 0: the whole file

  std::string ToString() const {
    return line == 0 ? std::string(path) : absl::StrCat(ToAbsl(path), ":", line);
  }
};

struct Document {
  std::string_view id;  // at most Memtable::kMaxIdBytes
  Place place;
  std::span<const DocumentField> fields;  // a name that comes again adds a value to the field
  // The whole record that the document was read from, if the format has such a thing (jsonl). Valid
  // UTF-8.
  std::string_view record;
  bool valid_utf8 = true;
};

class DocumentSink {
 public:
  virtual ~DocumentSink() = default;
  // The views are valid until Add returns. An error ends the run.
  virtual absl::Status Add(const Document& document) = 0;
};

// Each thread has a parser of its own. Parse logs bad records and passes over them; it returns the
// errors of the sink.
class BlockParser {
 public:
  virtual ~BlockParser() = default;
  virtual absl::Status Parse(const Block& block, DocumentSink& sink) = 0;
};

}  // namespace pmdex
