#include "engine/memtable/memtable.h"

#include <algorithm>
#include <bit>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "engine/columns/column_set_builder.h"
#include "engine/memtable/arena.h"
#include "engine/memtable/doc_records.h"
#include "engine/memtable/flush_estimate.h"
#include "engine/memtable/inverter.h"
#include "engine/memtable/memtable_fields.h"
#include "engine/memtable/memtable_postings.h"
#include "engine/memtable/memtable_terms.h"
#include "engine/memtable/posting_kernels.h"
#include "engine/memtable/posting_slices.h"
#include "engine/memtable/terms/term_sort.h"
#include "engine/memtable/terms/term_table.h"
#include "engine/segment/documents/doc_store.h"
#include "pmem/check.h"

namespace pmdex {
namespace {

static_assert(MemtableOptions::kDefaultIndexDepth * 4 == PostingSlices::kDefaultFirstSliceBytes &&
              MemtableOptions::kMaxIndexDepth * 4 == PostingSlices::kMaxSliceBytes &&
              MemtableOptions::kMaxSplitFactor == TermTable::kMaxParts);

uint16_t FirstSliceBytes(uint32_t index_depth) {
  constexpr uint32_t kBytesPerPosting = 4;
  PMDEX_CHECK(index_depth <= MemtableOptions::kMaxIndexDepth);
  return static_cast<uint16_t>(
      std::bit_ceil(std::max(index_depth, MemtableOptions::kMinIndexDepth)) * kBytesPerPosting);
}

}  // namespace

class Memtable::Impl final : public SegmentInput, public TokenSink {
 public:
  explicit Impl(const MemtableOptions& options)
      : options_(options),
        own_analyzer_(options.shared_analyzer == nullptr
                          ? NewAnalyzer(options.analyzer, options.simd)
                          : nullptr),
        analyzer_(options.shared_analyzer == nullptr ? *own_analyzer_ : *options.shared_analyzer),
        arena_(options.chunks, options.chunk_group),
        docs_(arena_),
        slices_(arena_, FirstSliceBytes(options.index_depth)),
        terms_(arena_, options.split_factor, options.chunks, options.chunk_group),
        inverter_(terms_, slices_, options.positions),
        flush_(docs_, terms_, inverter_, options.positions),
        fields_(options.field_names) {
    if (options.expected_terms > 0) terms_.Reserve(options.expected_terms);
  }

  void BeginDocument(std::string_view id);
  bool AddField(std::string_view name, std::string_view text);
  bool AddValue(std::string_view name, const FieldValue& value);
  void StoreRecord(std::string_view record);
  void EndDocument();
  void AbandonDocument();
  absl::StatusOr<SegmentInput*> Freeze();

  bool over_limit() const { return over_limit_; }
  uint64_t token_count() const { return token_count_; }
  size_t memory_bytes() const;
  size_t flush_bytes() const { return flush_.Bytes() + columns_.flush_bytes(); }

  // TokenSink
  void Accept(std::span<const Token> tokens) override;

  // SegmentInput
  AnalyzerKind analyzer() const override { return options_.analyzer; }
  bool has_positions() const override { return options_.positions; }
  bool has_stored_text() const override { return options_.store_text; }
  uint32_t doc_count() const override { return docs_.size(); }
  uint64_t most_terms() const override { return terms_.size(); }
  std::span<const SegmentField> fields() const override { return frozen_fields_; }
  std::string_view doc_id(DocId doc) const override { return docs_.id(doc); }
  const void* AddressOf(DocId doc) const { return docs_.AddressOf(doc); }
  uint32_t doc_token_count(DocId doc) const override { return docs_.token_count(doc); }
  size_t stored_chunk_count() const override { return doc_store_.chunk_count(); }
  StoredChunk stored_chunk(size_t index) const override { return doc_store_.chunk(index); }
  std::span<const std::byte> stored_chunk_bytes(size_t index) const override {
    return doc_store_.chunk_bytes(index);
  }
  ColumnSetBuilder* columns() override { return &columns_; }
  std::unique_ptr<TermStream> OpenTerms() override;
  std::unique_ptr<TermStream> OpenSomeTerms(std::span<const uint32_t> numbers) override;

 private:
  void CheckLimit();
  void KeepText(FieldId field, std::string_view text);
  void StoreText();

  const MemtableOptions options_;
  const std::unique_ptr<Analyzer> own_analyzer_;
  Analyzer& analyzer_;

  Arena arena_;  // posting slices, long terms, document records
  DocRecords docs_;
  PostingSlices slices_;
  TermTable terms_;
  Inverter inverter_;
  mutable FlushEstimate flush_;  // remembers what it said last
  MemtableFields fields_;
  ColumnSetBuilder columns_;
  DocStoreBuilder doc_store_;
  uint64_t token_count_ = 0;

  // The open document.
  DocId doc_ = 0;
  FieldId field_ = 0;
  std::string text_;  // of all values, kept until the document is stored
  std::vector<std::pair<FieldId, size_t>> text_ends_;
  bool over_limit_ = false;
  uint32_t value_count_ = 0;  // of the open document

  // Frozen.
  std::vector<TermHandle> order_;  // terms of the stream that was opened last
  bool order_is_whole_ = false;
  std::vector<SegmentField> frozen_fields_;
};

void Memtable::Impl::BeginDocument(std::string_view id) {
  PMDEX_CHECK(id.size() <= MemtableLimits::kMaxIdBytes && docs_.size() < MemtableLimits::kMaxDocs);
  doc_ = docs_.size();
  over_limit_ = false;
  value_count_ = 0;
  docs_.Add(id);
}

bool Memtable::Impl::AddField(std::string_view name, std::string_view text) {
  const MemtableFields::Found field = fields_.FindOrAdd(name);
  field_ = field.id;
  fields_.EndValue(field_, analyzer_.Analyze(text, fields_.BeginValue(field_), *this));
  if (options_.store_text) KeepText(field_, text);
  return field.is_own;
}

bool Memtable::Impl::AddValue(std::string_view name, const FieldValue& value) {
  // Most documents have fewer values, and callers look at the memory after each document.
  constexpr uint32_t kValuesBetweenChecks = 64;
  if (++value_count_ % kValuesBetweenChecks == 0) CheckLimit();
  return !over_limit_ && columns_.Add(name, doc_, value);
}

void Memtable::Impl::CheckLimit() {
  over_limit_ = over_limit_ || memory_bytes() > options_.limit_bytes;
}

void Memtable::Impl::StoreRecord(std::string_view record) {
  if (!options_.store_text) return;
  KeepText(kOriginalRecordField, record);
  CheckLimit();
}

void Memtable::Impl::Accept(std::span<const Token> tokens) {
  CheckLimit();
  if (over_limit_) return;
  const uint32_t length_before = fields_.AddTokens(field_, tokens.size());
  flush_.Count(tokens.size(), length_before, tokens.empty() ? 0 : tokens.back().position);
  inverter_.Add(tokens, field_, doc_);
}

void Memtable::Impl::KeepText(FieldId field, std::string_view text) {
  text_.append(text);
  text_ends_.emplace_back(field, text_.size());
}

void Memtable::Impl::StoreText() {
  std::vector<std::pair<FieldId, std::string_view>> values;
  values.reserve(text_ends_.size());
  const bool fits = text_.size() + text_ends_.size() * kStoredValueBytes <= kMaxStoredDocumentBytes;
  size_t begin = 0;
  for (const auto& [field, end] : text_ends_) {
    if (fits || field != kOriginalRecordField) {
      values.emplace_back(field, std::string_view(text_).substr(begin, end - begin));
    }
    begin = end;
  }
  doc_store_.AddDocument(values);
  text_.clear();
  text_ends_.clear();
}

void Memtable::Impl::EndDocument() {
  const uint64_t tokens = fields_.EndDocument(doc_);
  docs_.SetLastTokenCount(static_cast<uint32_t>(std::min<uint64_t>(tokens, 0xffffffff)));
  token_count_ += tokens;
  if (options_.store_text) StoreText();
}

void Memtable::Impl::AbandonDocument() {
  docs_.RemoveLast();
  fields_.AbandonDocument();
  if (value_count_ != 0) columns_.RemoveFrom(doc_);
  text_.clear();
  text_ends_.clear();
  inverter_.Finish();
  // The bytes of removed postings stay in the slices, where no reader comes.
  terms_.ForEach([this](TermHandle term) {
    if (TermTable::IsHapax(term)) {
      Occurrence& occurrence = terms_.HapaxAt(term).occurrence;
      if (occurrence.doc == doc_) occurrence.doc = kNoOccurrence;
    } else {
      TermEntry& entry = terms_.EntryAt(term);
      if (entry.next_doc == doc_ + 1) RemoveLastPosting(entry);
    }
  });
}

size_t Memtable::Impl::memory_bytes() const {
  const size_t documents = docs_.memory_bytes() + fields_.memory_bytes(docs_.size());
  const size_t text =
      options_.store_text ? doc_store_.memory_bytes() + text_.capacity() : size_t{0};
  const size_t entries = arena_.used_bytes() + terms_.entry_bytes();
  // The hash table is freed before the flush takes its memory, so the greater of both counts. While
  // the table doubles, it takes no more than the flush of so many terms.
  const size_t flush = flush_.RecentBytes(entries) + columns_.flush_bytes();
  return entries + documents + text + columns_.memory_bytes() +
         std::max(terms_.bucket_bytes(), flush);
}

absl::StatusOr<SegmentInput*> Memtable::Impl::Freeze() {
  inverter_.Finish();
  if (options_.store_text) PMDEX_RETURN_IF_ERROR(doc_store_.Finish());
  terms_.DropBuckets();
  order_ = SortTerms(terms_);
  order_is_whole_ = true;
  frozen_fields_ = fields_.Freeze(docs_.size());
  return this;
}

// Ends the streams opened before, which view order_.
std::unique_ptr<TermStream> Memtable::Impl::OpenTerms() {
  if (!order_is_whole_) order_ = SortTerms(terms_);
  order_is_whole_ = true;
  return NewMemtableTermStream(terms_, slices_, order_, frozen_fields_, options_.positions,
                               PostingKernelsOf(options_.simd));
}

// Ends the streams opened before, which view order_. What the others took is free for the rest of
// the flush.
std::unique_ptr<TermStream> Memtable::Impl::OpenSomeTerms(std::span<const uint32_t> numbers) {
  if (!order_is_whole_) order_ = SortTerms(terms_);
  order_is_whole_ = false;
  for (size_t i = 0; i < numbers.size(); ++i) order_[i] = order_[numbers[i]];
  order_.resize(numbers.size());
  order_.shrink_to_fit();
  return NewMemtableTermStream(terms_, slices_, order_, frozen_fields_, options_.positions,
                               PostingKernelsOf(options_.simd));
}

Memtable::Memtable(const MemtableOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Memtable::~Memtable() = default;
void Memtable::BeginDocument(std::string_view id) {
  impl_->BeginDocument(id);
}
bool Memtable::AddField(std::string_view field, std::string_view text) {
  return impl_->AddField(field, text);
}
bool Memtable::AddValue(std::string_view field, const FieldValue& value) {
  return impl_->AddValue(field, value);
}
void Memtable::StoreRecord(std::string_view record) {
  impl_->StoreRecord(record);
}
void Memtable::EndDocument() {
  impl_->EndDocument();
}
void Memtable::AbandonDocument() {
  impl_->AbandonDocument();
}
bool Memtable::over_limit() const {
  return impl_->over_limit();
}
uint32_t Memtable::doc_count() const {
  return impl_->doc_count();
}
uint64_t Memtable::token_count() const {
  return impl_->token_count();
}
size_t Memtable::term_count() const {
  return static_cast<size_t>(impl_->most_terms());
}
size_t Memtable::memory_bytes() const {
  return impl_->memory_bytes();
}
size_t Memtable::flush_bytes() const {
  return impl_->flush_bytes();
}
std::vector<const void*> Memtable::SamplePages(size_t most) const {
  std::vector<const void*> pages;
  const size_t documents = doc_count();
  for (size_t i = 0; i < std::min(most, documents); ++i) {
    const size_t doc = i * documents / std::min(most, documents);
    pages.push_back(impl_->AddressOf(static_cast<DocId>(doc)));
  }
  return pages;
}
absl::StatusOr<SegmentInput*> Memtable::Freeze() {
  return impl_->Freeze();
}

}  // namespace pmdex
