// One indexer thread's half of the pipeline: documents into its own memtable, which goes to the
// flusher whenever this thread's share of --memory is used up or the time for a checkpoint has
// come. Not thread-safe; shares only the context, the checkpointer and the flusher with others.
//
// A memtable that is handed over between two blocks is committed with the blocks that it holds.
// When memory runs out inside a block its segment waits for the rest of the block: only both
// together are a part of the input that can be named (portion.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/ingest/formats/document.h"
#include "engine/ingest/formats/field_registry.h"
#include "engine/ingest/ingest_options.h"
#include "engine/ingest/pipeline/flusher.h"
#include "engine/ingest/pipeline/ingest_context.h"
#include "engine/ingest/resume/checkpointer.h"
#include "engine/memtable/memtable.h"
#include "pmem/status.h"

namespace pmdex {

class Indexer final : public DocumentSink {
 public:
  Indexer(const IngestOptions& options, IngestContext& context, Checkpointer& checkpointer,
          Flusher& flusher);
  ~Indexer() override { DropMemtable(); }

  // Where the parsers of this thread report to.
  ProblemLog& problems() { return problems_; }

  // A block: BeginBlock, its documents, EndBlock with where the block came from. turn: of a block
  // of standard input. kCancelled when the run stops.
  void BeginBlock(std::optional<uint64_t> turn) { names_.turn = turn; }
  absl::Status Add(const Document& document) override;
  absl::Status EndBlock(DoneWork origin);

  // How long the thread may wait for a block before it must call Checkpoint; 0: now. Requires
  // has_documents(): without, there is nothing to make durable.
  bool has_documents() const { return memtable_ != nullptr && memtable_->doc_count() > 0; }
  std::chrono::milliseconds TimeToCheckpoint() const;
  // Hands over all blocks so far, to be made durable when they are written.
  absl::Status Checkpoint() { return EndPortion(/*commit=*/true); }
  // The same, but leaves making it durable to the end of the build.
  absl::Status Finish() { return EndPortion(/*commit=*/false); }

 private:
  enum class Outcome { kIndexed, kTooManyFields, kNoMemory };
  using Clock = std::chrono::steady_clock;

  struct Names final : FieldNames {
    explicit Names(FieldRegistry* fields) : registry(fields) {}
    bool HasOwnField(std::string_view name) override {
      return IsFixedField(name) || registry->Admit(name, turn);
    }
    FieldRegistry* const registry;
    std::optional<uint64_t> turn;
  };

  // Waits for the memory that indexing the document may take.
  absl::Status MakeRoom(const Document& document);
  // kNoMemory: the document was abandoned, and the memtable takes no other.
  Outcome Index(const Document& document);
  absl::Status Count(const Document& document, Outcome outcome);
  // Where the memtable lies, for the report.
  void CountPages();
  // Hands over the memtable, which holds documents, in the middle of a block.
  absl::Status Flush();
  absl::Status EndPortion(bool commit);
  void AddSegment(Portion& portion);
  absl::Status HandOver(std::shared_ptr<Portion> portion, bool commit);
  void DropMemtable();
  // Whether the memtable takes this many sixteenths of what it may.
  bool IsFull(size_t sixteenths) const {
    return used_bytes_ >= context_.plan.memtable_bytes / 16 * sixteenths;
  }

  const std::chrono::milliseconds checkpoint_interval_;
  Names names_;
  const MemtableOptions memtable_options_;
  IngestContext& context_;
  Checkpointer& checkpointer_;
  Flusher& flusher_;
  ProblemLog problems_;
  std::unique_ptr<Memtable> memtable_;  // made when the first document comes
  size_t used_bytes_ = 0;               // by the memtable after its last document
  size_t reserved_bytes_ = 0;
  std::shared_ptr<Portion> portion_;
  bool has_segments_ = false;       // the portion
  uint64_t counted_documents_ = 0;  // of the block
  DoneWork work_;                   // of the portion
  Clock::time_point last_checkpoint_ = Clock::now();
};

}  // namespace pmdex
