// What one indexer thread does: it puts documents into its own memtable and hands the memtable to
// the flusher when its share of the memory is used up or a checkpoint is due. Not thread-safe;
// indexers share only the context, the checkpointer and the flusher.
//
// A memtable that is handed over between two blocks is committed together with the blocks that it
// holds. If memory runs out inside a block, the segment waits for the rest of the block, because
// only both together are a part of the input that can be named (portion.h).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/ingest/formats/document.h"
#include "engine/ingest/formats/field_registry.h"
#include "engine/ingest/ingest_options.h"
#include "engine/ingest/pipeline/field_resolver.h"
#include "engine/ingest/pipeline/flusher.h"
#include "engine/ingest/pipeline/ingest_context.h"
#include "engine/ingest/pipeline/input_runs.h"
#include "engine/ingest/pipeline/portion.h"
#include "engine/ingest/problem_log.h"
#include "engine/ingest/resume/checkpointer.h"
#include "engine/ingest/resume/done_work.h"
#include "engine/memtable/field_names.h"
#include "engine/memtable/memtable.h"
#include "engine/memtable/memtable_options.h"
#include "pmem/status.h"

namespace pmdex {

class Indexer final : public DocumentSink {
 public:
  Indexer(const CheckpointLimits& limits, IngestContext& context, Checkpointer& checkpointer,
          Flusher& flusher);
  ~Indexer() override { DropMemtable(); }

  // The log that the parsers of this thread write to.
  ProblemLog& problems() { return problems_; }

  // For each block the caller calls BeginBlock, Add for its documents in their order, and EndBlock
  // with the origin of the block. Add and EndBlock return kCancelled if the run stops.
  void BeginBlock(const Block& block);
  absl::Status Add(const Document& document) override;
  absl::Status EndBlock(DoneWork origin);

  // How long the thread may wait for a block before it must call Checkpoint; 0: it must do so now.
  // Requires has_documents(), because otherwise there is nothing to make durable.
  bool has_documents() const { return memtable_ != nullptr && memtable_->doc_count() > 0; }
  std::chrono::milliseconds TimeToCheckpoint() const;
  // Hands over all blocks so far. They are committed when their segments are written.
  absl::Status Checkpoint() { return EndPortion(/*commit=*/true); }
  // Like Checkpoint, but the blocks are committed at the end of the build.
  absl::Status Finish() { return EndPortion(/*commit=*/false); }

 private:
  enum class Outcome { kIndexed, kTooManyFields, kNoMemory };
  using Clock = std::chrono::steady_clock;

  // The memtable gets the text of names without a field under kOtherField.
  struct AllNames final : FieldNames {
    bool HasOwnField(std::string_view) override { return true; }
  };

  // Waits until the memory that the document may take is reserved.
  absl::Status MakeRoom(const Document& document);
  // After kNoMemory the document is abandoned, and the memtable takes no other.
  Outcome Index(const Document& document);
  // Adds a value to the open document. False if its name has no field of its own.
  bool AddValue(const DocumentField& field);
  absl::Status Count(const Document& document, Outcome outcome);
  // Counts for the report on which NUMA nodes the memtable lies.
  void CountPages();
  // Hands over the memtable in the middle of a block. Requires has_documents().
  absl::Status Flush();
  absl::Status EndPortion(bool commit);
  void AddSegment(Portion& portion);
  absl::Status HandOver(std::shared_ptr<Portion> portion, bool commit);
  void DropMemtable();
  // True if the memtable takes this many sixteenths of what it may.
  bool IsFull(size_t sixteenths) const {
    return used_bytes_ >= context_.parameters.memory.memtable_bytes / 16 * sixteenths;
  }

  const CheckpointLimits limits_;
  FieldRegistry* const registry_;
  FieldResolver resolver_;
  AllNames names_;
  std::optional<uint64_t> turn_;
  const MemtableOptions memtable_options_;
  IngestContext& context_;
  Checkpointer& checkpointer_;
  Flusher& flusher_;
  ProblemLog problems_;
  std::unique_ptr<Memtable> memtable_;  // made when the first document comes
  size_t used_bytes_ = 0;               // by the memtable after its last document
  size_t reserved_bytes_ = 0;
  InputRuns runs_;  // of the memtable; none unless the build keeps the order of the input
  std::vector<std::pair<std::string, std::string>> bad_values_;  // of the document: field, why
  std::shared_ptr<Portion> portion_;
  bool has_segments_ = false;       // true if segments were added to the portion
  uint64_t counted_documents_ = 0;  // of the block
  DoneWork work_;                   // of the portion
  Clock::time_point last_checkpoint_ = Clock::now();
};

}  // namespace pmdex
