#include "engine/live/dram_segment_builder.h"

#include <algorithm>
#include <utility>

#include "engine/ingest/formats/document.h"
#include "engine/memtable/memtable_options.h"
#include "engine/segment/segment_writer.h"
#include "engine/store/manifest_segment.h"

namespace pmdex {
namespace {

// Segments in DRAM have ids that no index on a medium comes to.
constexpr uint64_t kFirstDramSegmentId = kSegmentIdLimit / 2;

// The fields that count towards the limit.
KnownFields CountedFields(const std::vector<std::string>& names) {
  KnownFields counted;
  for (const std::string& name : names) {
    if (name != kOtherField && !IsFixedField(name)) {
      counted.emplace(name, KnownField::Of({FieldType::kText, Multiplicity::kOpen}));
    }
  }
  return counted;
}

// Chunks of dead memtables that are kept for the next ones.
constexpr size_t kMostKeptBytes = 16 * ChunkPool::kChunkBytes;

// A memtable that has as many terms of each kind as the one before needs no more room in its hash
// tables. Most have about two thirds of their terms in the larger one. For so many, each table
// takes 512 KiB of a chunk.
constexpr size_t kMostExpectedTerms = size_t{1} << 15;

MemtableOptions OptionsOf(const IndexSettings& settings, Analyzer* analyzer, FieldNames* names,
                          ChunkPool* chunks, size_t expected_terms) {
  MemtableOptions options;
  options.analyzer = settings.analyzer;
  options.shared_analyzer = analyzer;
  options.positions = settings.positions;
  options.store_text = settings.store_text;
  options.field_names = names;
  options.chunks = chunks;
  options.expected_terms = expected_terms;
  return options;
}

}  // namespace

DramMemtable::DramMemtable(DramSegmentBuilder& builder, std::unique_ptr<Analyzer> analyzer)
    : builder_(builder),
      analyzer_(std::move(analyzer)),
      memtable_(OptionsOf(builder.settings_, analyzer_.get(), &builder.names_, &builder.chunks_,
                          builder.expected_terms_)) {}

DramMemtable::~DramMemtable() {
  builder_.expected_terms_ = std::min(memtable_.term_count() * 2 / 3, kMostExpectedTerms);
  builder_.Return(std::move(analyzer_));
}

DramSegmentBuilder::DramSegmentBuilder(const IndexSettings& settings,
                                       const std::vector<std::string>& field_names,
                                       AnalyzerFactory make_custom)
    : settings_(settings),
      make_custom_(std::move(make_custom)),
      dram_(NewDramDirectory("live", DramAllocation::kExact)),
      names_(CountedFields(field_names)),
      next_id_(kFirstDramSegmentId) {}

bool DramSegmentBuilder::Names::HasOwnField(std::string_view name) {
  return IsFixedField(name) || registry.Admit(name, FieldSighting()).has_value();
}

std::unique_ptr<Analyzer> DramSegmentBuilder::TakeAnalyzer() {
  {
    MutexLock lock(&mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Analyzer> analyzer = std::move(idle_.back());
      idle_.pop_back();
      return analyzer;
    }
  }
  return settings_.analyzer == AnalyzerKind::kCustom ? make_custom_()
                                                     : NewAnalyzer(settings_.analyzer);
}

void DramSegmentBuilder::Return(std::unique_ptr<Analyzer> analyzer) {
  MutexLock lock(&mutex_);
  idle_.push_back(std::move(analyzer));
}

std::unique_ptr<DramMemtable> DramSegmentBuilder::NewMemtable() {
  chunks_.TrimTo(kMostKeptBytes);
  return std::make_unique<DramMemtable>(*this, TakeAnalyzer());
}

std::unique_ptr<DramMemtable> DramSegmentBuilder::NewMemtableOf(
    std::span<const AddedDocumentPointer> documents) {
  auto memtable = NewMemtable();
  for (const AddedDocumentPointer& document : documents) AddToMemtable(*document, **memtable);
  return memtable;
}

absl::StatusOr<std::shared_ptr<const Segment>> DramSegmentBuilder::Build(
    std::span<const AddedDocumentPointer> documents) {
  const auto memtable = NewMemtableOf(documents);
  PMDEX_ASSIGN_OR_RETURN(SegmentInput * input, (*memtable)->Freeze());
  PMDEX_ASSIGN_OR_RETURN(
      const SegmentFileInfo info,
      WriteSegment(*dram_, next_id_.fetch_add(1, std::memory_order_relaxed), *input));
  PMDEX_ASSIGN_OR_RETURN(auto file, dram_->Open(info.file_name));
  // The open file keeps the bytes, for as long as the segment lives.
  PMDEX_RETURN_IF_ERROR(dram_->Remove(info.file_name));
  return Segment::Open(std::move(file), info.file_name, std::nullopt);
}

}  // namespace pmdex
