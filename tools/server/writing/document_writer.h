// Carries out operations on the documents of a live index, one after the other, as Elasticsearch's
// API does. For one thread at a time; nothing is durable before LiveIndex::Commit.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/live/live_index.h"
#include "pmem/status.h"
#include "tools/server/mapping/source_document.h"
#include "tools/server/writing/index_definition.h"
#include "tools/server/writing/source_reader.h"
#include "tools/server/writing/version_table.h"
#include "tools/server/writing/write_operation.h"

namespace pmdex {

// The document of an operation of kind kIndex or kCreate, with an id: its own or one that is made.
// Such an id has 20 characters of 120 random bits. Thread-safe but for the reader.
struct PreparedDocument {
  std::string id;
  absl::StatusOr<SourceDocument> document;
};
PreparedDocument Prepare(const WriteOperation& operation, SourceReader& reader);

class DocumentWriter {
 public:
  // Both outlive the writer.
  DocumentWriter(LiveIndex& index, VersionTable& versions,
                 std::shared_ptr<const IndexDefinition> definition)
      : index_(index), versions_(versions), definition_(std::move(definition)) {}

  // prepared: of the operation, for kIndex and kCreate.
  WriteOutcome Write(const WriteOperation& operation, PreparedDocument prepared);
  // With the fields that documents brought. It is a property of the index from its next commit on.
  const std::shared_ptr<const IndexDefinition>& definition() const { return definition_; }

 private:
  WriteOutcome Add(const WriteOperation& operation, PreparedDocument prepared,
                   const WriteCondition& condition);
  // Makes the document by the mapping, and changes the mapping where the document brings fields.
  absl::StatusOr<AddedDocument> Map(SourceDocument source);
  WriteOutcome Update(const WriteOperation& operation);
  WriteOutcome UpdateFound(const WriteOperation& operation, const FoundDocument& found);
  WriteOutcome Upsert(const WriteOperation& operation);
  WriteOutcome Delete(const WriteOperation& operation);
  WriteOutcome Failed(std::string_view id, const WriteOperation& operation,
                      const absl::Status& status);
  WriteFailure Conflict(std::string_view id, const WriteOperation& operation);

  LiveIndex& index_;
  VersionTable& versions_;
  std::shared_ptr<const IndexDefinition> definition_;
  SourceReader reader_;  // of documents that updates make
};

}  // namespace pmdex
