// One indexer thread's half of the pipeline: documents into its own memtable, memtables into
// segments whenever its share of --memory is used up or the time for a checkpoint has come. Not
// thread-safe; shares only the context, the checkpointer and the writer with other indexers.
//
// Flushes between two blocks are committed with the blocks that the segment holds. When memory runs
// out inside a block the segment waits for the rest of the block: only both together are a part of
// the input that can be named.
#pragma once

#include <chrono>
#include <cstdint>

#include "engine/ingest/checkpointer.h"
#include "engine/ingest/document.h"
#include "engine/ingest/ingest_context.h"
#include "engine/memtable/memtable.h"
#include "engine/store/index_writer.h"
#include "pmem/status.h"

namespace pmdex {

class Indexer final : public DocumentSink {
 public:
  Indexer(const IngestOptions& options, IngestContext& context, Checkpointer& checkpointer,
          IndexWriter& writer);

  // Where the parsers of this thread report to.
  ProblemLog& problems() { return problems_; }

  // A block: BeginBlock, its documents, EndBlock with where the block came from.
  void BeginBlock() { in_block_ = true; }
  absl::Status Add(const Document& document) override;
  absl::Status EndBlock(DoneWork origin);

  // How long the thread may wait for a block before it must call Checkpoint; 0: now. Requires
  // has_documents(): without, there is nothing to make durable.
  bool has_documents() const { return memtable_.doc_count() > 0; }
  std::chrono::milliseconds TimeToCheckpoint() const;
  // Makes all blocks so far durable.
  absl::Status Checkpoint();
  // The same, but leaves making it durable to the end of the build.
  absl::Status Finish();

 private:
  enum class Outcome { kIndexed, kTooManyFields, kNoMemory };
  using Clock = std::chrono::steady_clock;

  // kNoMemory: the document was abandoned, and the memtable must be flushed.
  Outcome Index(const Document& document);
  absl::Status Count(const Document& document, Outcome outcome);
  // Writes what the memtable holds, if anything.
  absl::Status Flush();
  bool IsNearlyFull() const;

  const std::chrono::milliseconds checkpoint_interval_;
  IngestContext& context_;
  Checkpointer& checkpointer_;
  IndexWriter& writer_;
  ProblemLog problems_;
  Memtable memtable_;
  DoneWork work_;  // since the last checkpoint
  bool in_block_ = false;
  Clock::time_point last_checkpoint_ = Clock::now();
};

}  // namespace pmdex
