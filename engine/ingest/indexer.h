// One indexer thread's half of the pipeline: documents into its own memtable, memtables into
// segments whenever its share of --memory is used up. Not thread-safe; shares only the context and
// the writer with other indexers.
#pragma once

#include <cstdint>

#include "engine/ingest/document.h"
#include "engine/ingest/ingest_context.h"
#include "engine/memtable/memtable.h"
#include "engine/store/index_writer.h"
#include "pmem/status.h"

namespace pmdex {

class Indexer final : public DocumentSink {
 public:
  Indexer(const IndexSettings& settings, IngestContext& context, IndexWriter& writer);

  absl::Status Add(const Document& document) override;
  // Writes what the memtable holds, if anything.
  absl::Status Flush();

 private:
  enum class Outcome { kIndexed, kTooManyFields, kNoMemory };
  // kNoMemory: the document was abandoned, and the memtable must be flushed.
  Outcome Index(const Document& document);
  absl::Status Count(const Document& document, Outcome outcome);

  IngestContext& context_;
  IndexWriter& writer_;
  Memtable memtable_;
};

}  // namespace pmdex
