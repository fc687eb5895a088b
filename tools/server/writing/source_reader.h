// Reads the JSON objects of clients by the rules of the format `jsonl`
// (engine/ingest/formats/jsonl.h): dots join the names of objects, and nulls are values. The object
// itself is kept. For one thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/ingest/formats/document.h"
#include "engine/ingest/problem_log.h"
#include "pmem/status.h"
#include "tools/server/mapping/source_document.h"

namespace pmdex {

class SourceReader {
 public:
  SourceReader();

  // Returns kInvalidArgument if `json` is not one valid JSON object in UTF-8, and the errors of
  // LoadSimdjson.
  absl::StatusOr<SourceDocument> Read(std::string_view id, std::string_view json);
  // The same where the id is the value of the key "id", which is no field then; an empty one if the
  // object has none.
  absl::StatusOr<SourceDocument> ReadWithId(std::string_view json);

 private:
  absl::StatusOr<SourceDocument> Parse(BlockParser& parser, std::string_view json);

  ProblemLog problems_;
  const std::unique_ptr<BlockParser> without_id_;
  const std::unique_ptr<BlockParser> with_id_;
  std::string line_;  // the object in one line, with padding behind it
};

}  // namespace pmdex
