// One change of a document as a client asks for it, and what came of it. Both APIs of the server
// make the one and show the other. Plain values.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "engine/live/write_condition.h"

namespace pmdex {

enum class WriteKind {
  kIndex,   // adds the document, in the place of the one with its id
  kCreate,  // adds the document if there is none with its id
  kUpdate,  // changes the document by a part of one
  kDelete,
};

// Moving JSON allocates nothing, which clang-tidy does not see.
struct WriteOperation {  // NOLINT(bugprone-exception-escape)
  WriteKind kind = WriteKind::kIndex;
  std::string id;      // empty for kIndex and kCreate: one is made
  std::string source;  // JSON, for kIndex and kCreate
  // The id is the value of the key "id" of the source, if it has one; `id` is then empty.
  bool has_id_inside = false;
  // For kUpdate. Without a document, `upsert` is added; with is_upsert, `part` is.
  nlohmann::ordered_json part;
  std::optional<nlohmann::ordered_json> upsert;
  bool is_upsert = false;
  bool detects_noop = true;  // an update that changes nothing is not carried out
  // Only if the last write of the document was this one.
  std::optional<WriteSequence> at;
};

// Why an operation was not carried out, in the words of Elasticsearch's API.
struct WriteFailure {  // NOLINT(bugprone-exception-escape): as WriteOperation
  int http_status = 400;
  std::string type;
  std::string reason;
  nlohmann::ordered_json caused_by = nullptr;  // an error with its type and reason, or null
};

enum class WriteEffect { kCreated, kUpdated, kDeleted, kNotFound, kNoop };

struct WriteOutcome {  // NOLINT(bugprone-exception-escape): as WriteOperation
  std::string id;
  std::optional<WriteFailure> failure;  // if set, nothing below counts
  WriteEffect effect = WriteEffect::kCreated;
  uint64_t version = 1;
  WriteSequence sequence;
};

}  // namespace pmdex
