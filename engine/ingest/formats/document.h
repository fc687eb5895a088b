// What every format's parser makes of its blocks, one document at a time, and where it puts it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"

#include "engine/ingest/pipeline/block_pool.h"
#include "pmem/status.h"
#include "pmem/text.h"

namespace pmdex {

// The fields of formats whose input names none. They take no place among those that are limited
// (field_registry.h).
inline constexpr std::string_view kBodyField = "body";
inline constexpr std::string_view kPathField = "path";
inline bool IsFixedField(std::string_view name) {
  return name == kBodyField || name == kPathField;
}

struct DocumentField {
  std::string_view name;
  std::string_view text;
};

// For messages.
struct Place {
  std::string_view path;
  uint64_t line = 0;  // 0: the whole file

  std::string ToString() const {
    return line == 0 ? std::string(path) : absl::StrCat(ToAbsl(path), ":", line);
  }
};

struct Document {
  std::string_view id;
  Place place;
  std::span<const DocumentField> fields;  // a repeated name: another value of the field
  bool valid_utf8 = true;
};

class DocumentSink {
 public:
  virtual ~DocumentSink() = default;
  // The views live until Add returns. An error ends the run.
  virtual absl::Status Add(const Document& document) = 0;
};

// One a thread. Bad records are logged and passed over; an error is the sink's.
class BlockParser {
 public:
  virtual ~BlockParser() = default;
  virtual absl::Status Parse(const Block& block, DocumentSink& sink) = 0;
};

}  // namespace pmdex
