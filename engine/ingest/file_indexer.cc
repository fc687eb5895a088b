#include "engine/ingest/file_indexer.h"

#include <sys/stat.h>

#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include "engine/columns/field_spec.h"
#include "engine/ingest/entries/access_text.h"
#include "engine/ingest/entries/attribute_names.h"
#include "engine/ingest/entries/entry_facts.h"
#include "engine/ingest/entries/path_parts.h"
#include "engine/ingest/formats/build_fields.h"
#include "engine/ingest/formats/document.h"
#include "engine/ingest/formats/field_registry.h"
#include "engine/ingest/formats/files.h"
#include "engine/ingest/moved_documents.h"
#include "engine/ingest/pipeline/field_resolver.h"
#include "engine/ingest/pipeline/ingest_context.h"
#include "engine/ingest/problem_kind.h"
#include "engine/ingest/reading/file_reader.h"
#include "engine/ingest/reading/reader_work.h"
#include "engine/ingest/tuning/tuning.h"
#include "engine/memtable/memtable.h"
#include "engine/segment/segment_input.h"
#include "pmem/exhaustion.h"

namespace pmdex {
namespace {

FileOutcome FileOutcomeOf(const ProblemSummaries& problems) {
  if (problems.contains(ProblemKind::kVanishedFile)) return FileOutcome::kVanished;
  if (problems.contains(ProblemKind::kSpecialFile)) return FileOutcome::kVanished;
  for (const ProblemKind kind :
       {ProblemKind::kUnreadableFile, ProblemKind::kSymlinkLoop, ProblemKind::kDecoderMemory}) {
    if (problems.contains(kind)) return FileOutcome::kUnreadable;
  }
  return FileOutcome::kPassedOver;
}

// True if the entry is a file with these facts.
bool IsFile(const EntryFacts& entry, const FileFacts& facts) {
  const FileFacts found = {entry.size_bytes, entry.mtime_ns, entry.inode, entry.device,
                           entry.ctime_ns};
  return S_ISREG(entry.mode) && found == facts;
}

// True if there is an entry that is no regular file, such as a directory or a link.
bool IsOtherThanFile(const std::string& path) {
  struct stat facts;
  return lstat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode);
}

IngestOptions OfOneThread(IngestOptions options) {
  options.indexer_threads = 1;
  options.reader_threads = 1;
  options.writer_threads = 1;
  return options;
}

}  // namespace

// Takes the documents of one file after the other.
class FileIndexer::Impl final : public DocumentSink {
 public:
  Impl(const IngestOptions& options, StoreGranularity medium)
      : keeps_entries_(options.attributes),
        context_(ResolveParameters(OfOneThread(options), medium), {}, options.stop),
        reader_(context_, work_),
        parser_(NewFilesParser()) {}

  absl::StatusOr<IndexedFiles> Index(std::span<const std::string> paths, IndexWriter& writer);
  absl::StatusOr<std::vector<bool>> Move(std::span<const MovedFile> files, IndexWriter& writer);
  ProblemSummaries TakeProblems() { return std::exchange(problems_, {}); }

 private:
  absl::StatusOr<FileOutcome> IndexFile(const std::string& path);
  // Takes the types of the fields from the index, and gives them back with those of attributes.
  void BeginFields(IndexWriter& writer);
  std::shared_ptr<const std::string> ParentsOf(const std::string& path);
  // The blocks that the reader has filled. One at most waits, because each file is read alone.
  absl::Status ParseBlocks();
  absl::Status Add(const Document& document) override;
  bool AddToMemtable(const Document& document);
  void AddValue(const DocumentField& field);
  absl::Status WriteSegment();

  const bool keeps_entries_;
  IngestContext context_;
  ReaderWork work_;
  FileReader reader_;
  const std::unique_ptr<BlockParser> parser_;
  std::unique_ptr<FieldRegistry> registry_;
  std::optional<FieldResolver> resolver_;
  FieldSpecs published_fields_;  // of which the registry was made
  // Who may reach the files of a directory: during Index, because directories change, too.
  std::map<std::string, std::shared_ptr<const std::string>, std::less<>> parents_;
  std::unique_ptr<Memtable> memtable_;
  IndexWriter* writer_ = nullptr;  // during Index
  bool is_added_ = false;          // the file gave a document
  bool lacks_text_ = false;        // which has attributes alone, though not because it is binary
  uint64_t bytes_in_ = 0;
  ProblemLog file_problems_;   // of the documents of one file
  ProblemSummaries problems_;  // of all files
};

absl::StatusOr<IndexedFiles> FileIndexer::Impl::Index(std::span<const std::string> paths,
                                                      IndexWriter& writer) {
  writer_ = &writer;
  bytes_in_ = 0;
  memtable_.reset();  // of a call that failed
  parents_.clear();
  BeginFields(writer);
  IndexedFiles indexed;
  for (const std::string& path : paths) {
    PMDEX_ASSIGN_OR_RETURN(const FileOutcome outcome, IndexFile(path));
    indexed.outcomes.push_back(outcome);
  }
  PMDEX_RETURN_IF_ERROR(WriteSegment());
  indexed.bytes_in = bytes_in_;
  return indexed;
}

absl::StatusOr<std::vector<bool>> FileIndexer::Impl::Move(std::span<const MovedFile> files,
                                                          IndexWriter& writer) {
  parents_.clear();
  BeginFields(writer);
  MovedDocuments documents(*resolver_);
  std::vector<bool> is_moved;
  for (const MovedFile& file : files) {
    EntryLookup found = LookAtEntry(file.path);
    if (IsExhaustion(found.error)) return ExhaustionStatus(found.error, file.path);
    is_moved.push_back(false);
    if (found.error != 0 || !IsFile(found.entry.facts, file.facts)) continue;
    found.entry.parents = ParentsOf(file.path);
    is_moved.back() = documents.Add({file.document, file.path, std::move(found.entry)});
  }
  const absl::Status status = documents.Write(writer);
  if (absl::IsDataLoss(status)) return std::vector<bool>(files.size(), false);
  PMDEX_RETURN_IF_ERROR(status);
  return is_moved;
}

void FileIndexer::Impl::BeginFields(IndexWriter& writer) {
  if (registry_ == nullptr || writer.published().fields != published_fields_) {
    KnownFields fields = FieldsOfIndex(writer);
    for (const auto& [name, spec] : AttributeSpecs()) fields.emplace(name, KnownField::Of(spec));
    fields.emplace(std::string(kBodyField), KnownField::Of(FieldSpec()));
    resolver_.reset();
    registry_ = std::make_unique<FieldRegistry>(fields, fields.size(), FieldAdmission::kSettled);
    resolver_.emplace(registry_.get());
  }
  FieldSpecs specs;
  for (const auto& [name, field] : registry_->fields()) specs.emplace(name, *field.spec);
  published_fields_ = specs;
  writer.SetFields(std::move(specs));
  resolver_->BeginBlock(std::nullopt, 0);
}

std::shared_ptr<const std::string> FileIndexer::Impl::ParentsOf(const std::string& path) {
  const std::string directory(DirectoryOfPath(path));
  const auto known = parents_.find(directory);
  return known != parents_.end() ? known->second
                                 : parents_.emplace(directory, ParentsOfPath(path)).first->second;
}

absl::StatusOr<FileOutcome> FileIndexer::Impl::IndexFile(const std::string& path) {
  InputFile file;
  file.path = path;
  file.walked = true;
  file.parents = ParentsOf(path);
  file.keeps_entry = keeps_entries_;
  file.is_entry_only = keeps_entries_ && IsOtherThanFile(path);
  is_added_ = false;
  lacks_text_ = false;
  const bool is_read = reader_.Read(std::move(file)) && reader_.Finish();
  PMDEX_RETURN_IF_ERROR(work_.error);
  if (!is_read) return absl::CancelledError("the run stops");
  PMDEX_RETURN_IF_ERROR(ParseBlocks());
  const DoneWork done = work_.Take();  // of a file that gave no block
  ProblemSummaries problems = file_problems_.Take();
  MergeProblems(done.problems, problems);
  MergeProblems(problems, problems_);
  lacks_text_ = lacks_text_ || problems.contains(ProblemKind::kKeptWithoutText);
  if (is_added_) return lacks_text_ ? FileOutcome::kIndexedWithoutText : FileOutcome::kIndexed;
  return FileOutcomeOf(problems);
}

absl::Status FileIndexer::Impl::ParseBlocks() {
  for (;;) {
    const auto popped = context_.blocks.PopFor(std::chrono::milliseconds(0));
    if (!popped.value.has_value()) return absl::OkStatus();
    const Block& block = **popped.value;
    bytes_in_ += block.origin.bytes_in;
    lacks_text_ = lacks_text_ || block.origin.problems.contains(ProblemKind::kKeptWithoutText);
    MergeProblems(block.origin.problems, problems_);
    PMDEX_RETURN_IF_ERROR(parser_->Parse(block, *this));
  }
}

absl::Status FileIndexer::Impl::Add(const Document& document) {
  if (!AddToMemtable(document)) {
    // Too large for what is left of the memtable; a whole one may do.
    memtable_->AbandonDocument();
    const bool had_others = memtable_->doc_count() > 0;
    PMDEX_RETURN_IF_ERROR(WriteSegment());
    if (!had_others || !AddToMemtable(document)) {
      memtable_.reset();
      file_problems_.Add(ProblemKind::kDocumentTooLarge, document.place.ToString(),
                         "its index does not fit into memory; a larger --memory takes it");
      return absl::OkStatus();
    }
  }
  memtable_->EndDocument();
  is_added_ = true;
  if (!document.valid_utf8) {
    file_problems_.Add(ProblemKind::kInvalidUtf8, document.place.ToString(), {});
  }
  const size_t enough = context_.parameters.memory.memtable_bytes / 16 * 14;
  return memtable_->memory_bytes() >= enough ? WriteSegment() : absl::OkStatus();
}

// Leaves the document open. False if the memtable has no memory for it.
bool FileIndexer::Impl::AddToMemtable(const Document& document) {
  if (memtable_ == nullptr) memtable_ = std::make_unique<Memtable>(context_.parameters.memtable);
  memtable_->BeginDocument(document.id);
  resolver_->BeginDocument(0);
  for (const DocumentField& field : document.fields) {
    AddValue(field);
    if (memtable_->over_limit()) return false;
  }
  return true;
}

// As Indexer::AddValue. A value that the index cannot take is left out.
void FileIndexer::Impl::AddValue(const DocumentField& field) {
  const ResolvedValue resolved = resolver_->Resolve(field);
  switch (resolved.kind) {
    case ResolvedValue::Kind::kText:
      memtable_->AddField(field.name, field.text);
      break;
    case ResolvedValue::Kind::kColumn:
      memtable_->AddValue(field.name, resolved.value);
      break;
    case ResolvedValue::Kind::kNoField:
    case ResolvedValue::Kind::kBad:
    case ResolvedValue::Kind::kNothing:
      break;
  }
}

absl::Status FileIndexer::Impl::WriteSegment() {
  const std::unique_ptr<Memtable> memtable = std::move(memtable_);
  if (memtable == nullptr || memtable->doc_count() == 0) return absl::OkStatus();
  PMDEX_ASSIGN_OR_RETURN(SegmentInput * input, memtable->Freeze());
  return writer_->WriteSegment(*input).status();
}

FileIndexer::FileIndexer(const IngestOptions& options, StoreGranularity medium)
    : impl_(std::make_unique<Impl>(options, medium)) {}

FileIndexer::~FileIndexer() = default;

absl::StatusOr<IndexedFiles> FileIndexer::Index(std::span<const std::string> paths,
                                                IndexWriter& writer) {
  return impl_->Index(paths, writer);
}

absl::StatusOr<std::vector<bool>> FileIndexer::Move(std::span<const MovedFile> files,
                                                    IndexWriter& writer) {
  return impl_->Move(files, writer);
}

ProblemSummaries FileIndexer::TakeProblems() {
  return impl_->TakeProblems();
}

}  // namespace pmdex
