// Makes documents for a live index of JSON objects, by the rules of the format `jsonl`
// (engine/ingest/formats/jsonl.h): strings are texts, dots join the names of objects. The object
// itself is kept. For one thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/ingest/formats/document.h"
#include "engine/ingest/problem_log.h"
#include "engine/live/added_document.h"
#include "pmem/status.h"

namespace pmdex {

class SourceReader {
 public:
  SourceReader();

  // Returns kInvalidArgument if `json` is not one valid JSON object in UTF-8, and the errors of
  // LoadSimdjson.
  absl::StatusOr<AddedDocument> Read(std::string_view id, std::string_view json);
  // The same where the id is the value of the key "id", which is no text then; an empty one if the
  // object has none.
  absl::StatusOr<AddedDocument> ReadWithId(std::string_view json);

 private:
  absl::StatusOr<AddedDocument> Parse(BlockParser& parser, std::string_view json);

  ProblemLog problems_;
  const std::unique_ptr<BlockParser> without_id_;
  const std::unique_ptr<BlockParser> with_id_;
  std::string line_;  // the object in one line, with padding behind it
};

}  // namespace pmdex
