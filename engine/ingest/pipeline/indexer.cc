#include "engine/ingest/pipeline/indexer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/ingest/memory_plan.h"
#include "engine/ingest/pipeline/node_groups.h"
#include "engine/ingest/pipeline/portion.h"
#include "engine/ingest/problem_kind.h"
#include "engine/ingest/problem_log.h"
#include "engine/ingest/resume/done_work.h"
#include "engine/memtable/chunk_pool.h"
#include "engine/memtable/field_names.h"
#include "engine/memtable/memtable_options.h"

namespace pmdex {
namespace {

// Frequencies and token counts of a memtable are 32 bits.
constexpr uint64_t kMaxTokens = uint64_t{1} << 31;
// What a byte of text takes at most, when every word is a new one: an entry, a bucket, two slices
// and what writing them needs, for two bytes.
constexpr size_t kMaxGrowthPerByte = 128;
// Memory is reserved in steps, so that few documents have to reserve some.
constexpr size_t kSmallestStep = size_t{64} << 10;

// Those of this thread's memtables.
MemtableOptions WithOwn(MemtableOptions options, ChunkPool& chunks, FieldNames* names) {
  options.chunks = &chunks;
  options.chunk_group = NodeGroups::Current();
  options.field_names = names;
  return options;
}

// A word must come often before it outgrows its entry: its first slice is that of 12 bytes of text.
size_t GrowthPerByte(const MemtableOptions& options) {
  return kMaxGrowthPerByte + options.index_depth * 4 / 12;
}

// How many times the memtable may hold a stored record: in its text, in the open chunk, in the
// compressor's output twice.
constexpr size_t kCopiesOfRecord = 4;

// A value of a column in a table that has just doubled, and what sorting it takes; the text of a
// keyword besides.
constexpr size_t kMaxBytesOfValue = 128;

// What the index of the document takes at most, without its stored record.
size_t IndexBytes(const Document& document, const MemtableOptions& options) {
  const size_t growth = GrowthPerByte(options);
  size_t size_bytes = document.id.size() * growth;
  for (const DocumentField& field : document.fields) {
    const size_t keyword_bytes = field.value == nullptr ? 0 : field.value->keyword.size();
    size_bytes += std::max(field.text.size() * growth, kMaxBytesOfValue + keyword_bytes);
  }
  return size_bytes;
}

size_t RecordBytes(const Document& document, const MemtableOptions& options) {
  return options.store_text ? document.record.size() * kCopiesOfRecord : 0;
}

absl::Status Stopped() {
  return absl::CancelledError("the run stops");
}

}  // namespace

Indexer::Indexer(const CheckpointLimits& limits, IngestContext& context, Checkpointer& checkpointer,
                 Flusher& flusher)
    : limits_(limits),
      registry_(context.fields),
      resolver_(context.fields),
      memtable_options_(WithOwn(context.parameters.memtable, flusher.chunks(),
                                context.fields == nullptr ? nullptr : &names_)),
      context_(context),
      checkpointer_(checkpointer),
      flusher_(flusher),
      portion_(std::make_shared<Portion>()) {}

void Indexer::BeginBlock(const Block& block) {
  turn_ = block.turn;
  resolver_.BeginBlock(block.turn, block.ordinal);
  runs_.BeginBlock(block);
}

absl::Status Indexer::Add(const Document& document) {
  runs_.NextDocument();
  PMDEX_RETURN_IF_ERROR(MakeRoom(document));
  Outcome outcome = Index(document);
  if (outcome == Outcome::kNoMemory && memtable_->doc_count() > 0) {
    // Too large for what is left; a whole memtable may do.
    PMDEX_RETURN_IF_ERROR(Flush());
    PMDEX_RETURN_IF_ERROR(MakeRoom(document));
    outcome = Index(document);
  }
  if (outcome == Outcome::kNoMemory) {
    DropMemtable();
    problems_.Add(ProblemKind::kDocumentTooLarge, document.place.ToString(),
                  "its index does not fit into memory; a larger --memory takes it");
    return absl::OkStatus();
  }
  return Count(document, outcome);
}

absl::Status Indexer::MakeRoom(const Document& document) {
  const MemoryPlan& plan = context_.parameters.memory;
  // An eighth for tables that double.
  const size_t needed =
      std::min(plan.memtable_bytes, used_bytes_ + used_bytes_ / 8 +
                                        IndexBytes(document, memtable_options_) +
                                        RecordBytes(document, memtable_options_)) +
      plan.memtable_overhead_bytes;
  if (needed > reserved_bytes_) {
    const size_t step = std::max(kSmallestStep, plan.memtable_bytes / 64);
    const size_t wanted =
        std::min(needed + step, plan.memtable_bytes + plan.memtable_overhead_bytes);
    if (!flusher_.Reserve(wanted - reserved_bytes_)) return Stopped();
    reserved_bytes_ = wanted;
  }
  if (memtable_ == nullptr) memtable_ = std::make_unique<Memtable>(memtable_options_);
  return absl::OkStatus();
}

Indexer::Outcome Indexer::Index(const Document& document) {
  bool all_fields = true;
  if (context_.keeps_input_order) runs_.Note(memtable_->doc_count());
  bad_values_.clear();
  resolver_.BeginDocument(document.place.line);
  memtable_->BeginDocument(document.id);
  if (!document.record.empty()) memtable_->StoreRecord(document.record);
  for (const DocumentField& field : document.fields) {
    all_fields = AddValue(field) && all_fields;
    if (memtable_->over_limit()) {
      memtable_->AbandonDocument();
      return Outcome::kNoMemory;
    }
  }
  if (memtable_->over_limit()) {
    memtable_->AbandonDocument();
    return Outcome::kNoMemory;
  }
  memtable_->EndDocument();
  used_bytes_ = memtable_->memory_bytes();
  return all_fields ? Outcome::kIndexed : Outcome::kTooManyFields;
}

bool Indexer::AddValue(const DocumentField& field) {
  ResolvedValue resolved = resolver_.Resolve(field);
  switch (resolved.kind) {
    case ResolvedValue::Kind::kText:
      return memtable_->AddField(field.name, field.text);
    case ResolvedValue::Kind::kNoField:
      // Numbers and truth values are no text that a query without a field would look for.
      if (field.kind == InputValueKind::kString) memtable_->AddField(kOtherField, field.text);
      return field.name == kOtherField;
    case ResolvedValue::Kind::kColumn:
      memtable_->AddValue(field.name, resolved.value);
      break;
    case ResolvedValue::Kind::kBad:
      bad_values_.emplace_back(field.name, std::move(resolved.why));
      break;
    case ResolvedValue::Kind::kNothing:
      break;
  }
  return true;
}

absl::Status Indexer::Count(const Document& document, Outcome outcome) {
  ++counted_documents_;
  if (registry_ != nullptr && registry_->overflowed()) {
    return absl::AbortedError("the fields are chosen anew");  // nothing of this memtable stays
  }
  if (outcome == Outcome::kTooManyFields) {
    problems_.Add(ProblemKind::kTooManyFields, document.place.ToString(),
                  "fields beyond the limit are found without their names");
  }
  for (const auto& [field, why] : bad_values_) {
    problems_.Add(ProblemKind::kBadValue, document.place.ToString(), why);
    ++work_.bad_values[field];
  }
  if (!document.valid_utf8) {
    problems_.Add(ProblemKind::kInvalidUtf8, document.place.ToString(), {});
  }
  const bool full = IsFull(15) || memtable_->token_count() >= kMaxTokens ||
                    memtable_->doc_count() >= MemtableLimits::kMaxDocs;
  return full ? Flush() : absl::OkStatus();
}

absl::Status Indexer::EndBlock(DoneWork origin) {
  if (registry_ != nullptr && turn_.has_value()) {
    registry_->FinishTurn(*turn_);
    turn_.reset();
  }
  // Once a block: all threads share the counter.
  context_.counters.documents.fetch_add(std::exchange(counted_documents_, 0),
                                        std::memory_order_relaxed);
  work_.Add(std::move(origin));
  MergeProblems(problems_.Take(), work_.problems);
  // A memtable is handed over between two blocks rather than inside the next one. When a segment
  // waits for the rest of its block already, half a memtable is enough.
  const bool due = IsFull(has_segments_ ? 8 : 14) || work_.bytes_in >= limits_.bytes_in ||
                   TimeToCheckpoint().count() == 0;
  return due ? Checkpoint() : absl::OkStatus();
}

std::chrono::milliseconds Indexer::TimeToCheckpoint() const {
  const auto since =
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - last_checkpoint_);
  return std::max(limits_.interval - since, std::chrono::milliseconds(0));
}

void Indexer::AddSegment(Portion& portion) {
  work_.documents += memtable_->doc_count();
  work_.tokens += memtable_->token_count();
  portion.AddSegment();
}

absl::Status Indexer::HandOver(std::shared_ptr<Portion> portion, bool commit) {
  CountPages();
  used_bytes_ = 0;
  FullMemtable full{std::move(memtable_),  std::exchange(reserved_bytes_, 0),
                    std::move(portion),    commit,
                    NodeGroups::Current(), runs_.Take()};
  return flusher_.Push(std::move(full)) ? absl::OkStatus() : Stopped();
}

void Indexer::CountPages() {
  constexpr size_t kSampledPages = 64;
  if (context_.groups.count() > 1)
    context_.groups.CountPages(memtable_->SamplePages(kSampledPages));
}

absl::Status Indexer::Flush() {
  AddSegment(*portion_);
  has_segments_ = true;
  return HandOver(portion_, /*commit=*/true);
}

absl::Status Indexer::EndPortion(bool commit) {
  last_checkpoint_ = Clock::now();
  has_segments_ = false;
  std::shared_ptr<Portion> portion = std::exchange(portion_, std::make_shared<Portion>());
  // Closed before its last segment is handed over: then it is a writer that commits it.
  const bool flushes = has_documents();
  if (flushes) AddSegment(*portion);
  std::optional<DoneWork> whole = portion->Close(std::exchange(work_, {}));
  if (flushes) return HandOver(std::move(portion), commit);
  if (!whole.has_value()) return absl::OkStatus();
  if (commit) return checkpointer_.Commit(*std::move(whole));
  checkpointer_.Keep(*std::move(whole));
  return absl::OkStatus();
}

void Indexer::DropMemtable() {
  memtable_.reset();
  runs_.Take();
  used_bytes_ = 0;
  flusher_.Release(std::exchange(reserved_bytes_, 0));
}

}  // namespace pmdex
