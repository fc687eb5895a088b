#include "engine/ingest/indexer.h"

#include <algorithm>
#include <utility>

namespace pmdex {
namespace {

// Frequencies and token counts of a memtable are 32 bits.
constexpr uint64_t kMaxTokens = uint64_t{1} << 31;

MemtableOptions OptionsOf(const IndexSettings& settings, const MemoryPlan& plan) {
  MemtableOptions options;
  options.analyzer = settings.analyzer;
  options.positions = settings.positions;
  options.store_text = settings.store_text;
  options.limit_bytes = plan.memtable_bytes;
  return options;
}

}  // namespace

Indexer::Indexer(const IngestOptions& options, IngestContext& context, Checkpointer& checkpointer,
                 IndexWriter& writer)
    : checkpoint_interval_(options.checkpoint_interval),
      context_(context),
      checkpointer_(checkpointer),
      writer_(writer),
      memtable_(OptionsOf(options.settings, context.plan)) {}

absl::Status Indexer::Add(const Document& document) {
  Outcome outcome = Index(document);
  if (outcome == Outcome::kNoMemory) {
    // Too large for what is left; a whole memtable may do.
    const bool alone = memtable_.doc_count() == 0;
    PMDEX_RETURN_IF_ERROR(Flush());
    if (!alone) outcome = Index(document);
  }
  if (outcome == Outcome::kNoMemory) {
    memtable_.Clear();
    problems_.Add(ProblemKind::kDocumentTooLarge, document.place.ToString(),
                  "its index does not fit into memory; a larger --memory takes it");
    return absl::OkStatus();
  }
  return Count(document, outcome);
}

Indexer::Outcome Indexer::Index(const Document& document) {
  bool all_fields = true;
  memtable_.BeginDocument(document.id);
  for (const DocumentField& field : document.fields) {
    all_fields = memtable_.AddField(field.name, field.text) && all_fields;
    if (memtable_.over_limit()) {
      memtable_.AbandonDocument();
      return Outcome::kNoMemory;
    }
  }
  memtable_.EndDocument();
  return all_fields ? Outcome::kIndexed : Outcome::kTooManyFields;
}

absl::Status Indexer::Count(const Document& document, Outcome outcome) {
  context_.counters.documents.fetch_add(1, std::memory_order_relaxed);
  if (outcome == Outcome::kTooManyFields) {
    problems_.Add(ProblemKind::kTooManyFields, document.place.ToString(),
                  "fields beyond the limit were left out");
  }
  if (!document.valid_utf8) {
    problems_.Add(ProblemKind::kInvalidUtf8, document.place.ToString(), {});
  }
  const bool full = memtable_.memory_bytes() >= context_.plan.memtable_bytes / 16 * 15 ||
                    memtable_.token_count() >= kMaxTokens ||
                    memtable_.doc_count() >= Memtable::kMaxDocs;
  return full ? Flush() : absl::OkStatus();
}

absl::Status Indexer::EndBlock(DoneWork origin) {
  in_block_ = false;
  work_.Add(std::move(origin));
  MergeProblems(problems_.Take(), work_.problems);
  const bool due = IsNearlyFull() || TimeToCheckpoint().count() == 0;
  return due ? Checkpoint() : absl::OkStatus();
}

// A memtable is flushed between two blocks rather than inside the next one. When a segment waits
// for the rest of its block already, half a memtable is enough.
bool Indexer::IsNearlyFull() const {
  const size_t sixteenths = work_.segment_ids.empty() ? 14 : 8;
  return memtable_.memory_bytes() >= context_.plan.memtable_bytes / 16 * sixteenths;
}

std::chrono::milliseconds Indexer::TimeToCheckpoint() const {
  const auto since =
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - last_checkpoint_);
  return std::max(checkpoint_interval_ - since, std::chrono::milliseconds(0));
}

absl::Status Indexer::Checkpoint() {
  PMDEX_RETURN_IF_ERROR(Flush());
  last_checkpoint_ = Clock::now();
  return checkpointer_.Commit(std::exchange(work_, {}));
}

absl::Status Indexer::Finish() {
  PMDEX_RETURN_IF_ERROR(Flush());
  checkpointer_.Keep(std::exchange(work_, {}));
  return absl::OkStatus();
}

absl::Status Indexer::Flush() {
  const uint32_t documents = memtable_.doc_count();
  if (documents > 0) {
    const uint64_t tokens = memtable_.token_count();
    PMDEX_ASSIGN_OR_RETURN(SegmentInput * input, memtable_.Freeze());
    PMDEX_ASSIGN_OR_RETURN(const SegmentFileInfo info, writer_.WriteSegment(*input));
    work_.documents += documents;
    work_.tokens += tokens;
    work_.segment_ids.push_back(info.segment_id);
  }
  memtable_.Clear();
  return absl::OkStatus();
}

}  // namespace pmdex
