#include "engine/ingest/indexer.h"

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

Indexer::Indexer(const IndexSettings& settings, IngestContext& context, IndexWriter& writer)
    : context_(context), writer_(writer), memtable_(OptionsOf(settings, context.plan)) {}

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
    context_.problems.Add(ProblemKind::kDocumentTooLarge, document.place.ToString(),
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
    context_.problems.Add(ProblemKind::kTooManyFields, document.place.ToString(),
                          "fields beyond the limit were left out");
  }
  if (!document.valid_utf8) {
    context_.problems.Add(ProblemKind::kInvalidUtf8, document.place.ToString(), {});
  }
  const bool full = memtable_.memory_bytes() >= context_.plan.memtable_bytes / 16 * 15 ||
                    memtable_.token_count() >= kMaxTokens ||
                    memtable_.doc_count() >= Memtable::kMaxDocs;
  return full ? Flush() : absl::OkStatus();
}

absl::Status Indexer::Flush() {
  const uint32_t documents = memtable_.doc_count();
  if (documents > 0) {
    context_.counters.tokens.fetch_add(memtable_.token_count(), std::memory_order_relaxed);
    PMDEX_ASSIGN_OR_RETURN(SegmentInput * input, memtable_.Freeze());
    PMDEX_RETURN_IF_ERROR(writer_.WriteSegment(*input).status());
    context_.counters.segments.fetch_add(1, std::memory_order_relaxed);
  }
  memtable_.Clear();
  return absl::OkStatus();
}

}  // namespace pmdex
