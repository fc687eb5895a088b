// Parses text as one block and keeps what comes out.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/ingest/formats/document.h"

namespace pmdex {

struct ParsedDocument {
  std::string id;
  std::string place;
  std::vector<std::pair<std::string, std::string>> fields;  // strings
  struct Value {
    std::string name;
    std::string text;
    InputValueKind kind;
    uint32_t array;
    friend bool operator==(const Value&, const Value&) = default;
  };
  std::vector<Value> values;  // of every kind
  std::string record;
  bool valid_utf8 = true;
};

class KeepingSink final : public DocumentSink {
 public:
  absl::Status Add(const Document& document) override {
    ParsedDocument& kept = documents.emplace_back();
    kept.id = document.id;
    kept.place = document.place.ToString();
    for (const DocumentField& field : document.fields) {
      if (field.kind == InputValueKind::kString) kept.fields.emplace_back(field.name, field.text);
      kept.values.push_back(
          {std::string(field.name), std::string(field.text), field.kind, field.array});
    }
    kept.record = document.record;
    kept.valid_utf8 = document.valid_utf8;
    return status;
  }

  std::vector<ParsedDocument> documents;
  absl::Status status;
};

inline BlockPtr MakeBlock(BlockPool& pool, std::string_view text) {
  BlockPtr block = pool.Acquire();
  std::memcpy(block->bytes, text.data(), text.size());
  block->size = text.size();
  block->path = std::make_shared<const std::string>("in");
  return block;
}

inline std::vector<ParsedDocument> ParseText(BlockParser& parser, std::string_view text,
                                             uint64_t first_line = 1) {
  BlockPool pool(text.size() + 1, 1);
  const BlockPtr block = MakeBlock(pool, text);
  block->first_line = first_line;
  KeepingSink sink;
  const absl::Status status = parser.Parse(*block, sink);
  return status.ok() ? sink.documents : std::vector<ParsedDocument>{};
}

}  // namespace pmdex
