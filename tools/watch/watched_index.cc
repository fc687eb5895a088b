#include "tools/watch/watched_index.h"

#include <time.h>

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "engine/ingest/build_options.h"
#include "engine/ingest/input_directories.h"
#include "engine/store/known_files/known_files_format.h"
#include "engine/store/known_files/known_files_store.h"
#include "engine/store/merging/merge_index.h"
#include "tools/command.h"
#include "tools/watch/document_facts.h"

namespace pmdex {
namespace {

int64_t NowNanoseconds() {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

// True if a change at this time may have left the time of the file as it is.
bool IsRacy(const FileFacts& facts, int64_t now_ns) {
  const auto is_now = [now_ns](int64_t time_ns) {
    return time_ns > now_ns - kRacyNanoseconds && time_ns < now_ns + kRacyNanoseconds;
  };
  return is_now(facts.mtime_ns) || is_now(facts.ctime_ns);
}

void WaitOutTick(const std::vector<FileToRead>& files) {
  const int64_t now_ns = NowNanoseconds();
  const bool is_any_racy = std::any_of(files.begin(), files.end(), [now_ns](const auto& file) {
    return IsRacy(file.facts, now_ns);
  });
  if (!is_any_racy) return;
  const timespec rest = {0, kRacyNanoseconds};
  nanosleep(&rest, nullptr);
}

}  // namespace

void AppliedChanges::Add(const AppliedChanges& other) {
  added += other.added;
  updated += other.updated;
  renamed += other.renamed;
  removed += other.removed;
  bytes_in += other.bytes_in;
  generations += other.generations;
}

WatchedIndex::WatchedIndex(Directory& directory, const IngestOptions& options,
                           std::function<absl::Status(IndexWriter&)> prepare)
    : directory_(directory),
      options_(options),
      prepare_(std::move(prepare)),
      indexer_(options, directory.granularity()) {}

absl::StatusOr<std::unique_ptr<WatchedIndex>> WatchedIndex::Open(
    Directory& directory, const IngestOptions& options,
    std::function<absl::Status(IndexWriter&)> prepare) {
  std::unique_ptr<WatchedIndex> index(new WatchedIndex(directory, options, std::move(prepare)));
  const auto manifest = LoadNewestManifest(directory, nullptr);
  if (absl::IsNotFound(manifest.status())) return index;
  PMDEX_RETURN_IF_ERROR(manifest.status());
  index->exists_ = manifest->IsVisible();
  index->property_ = KnownFilesPropertyOf(*manifest);
  auto known = LoadKnownFiles(directory, *manifest);
  if (absl::IsResourceExhausted(known.status()) || absl::IsUnimplemented(known.status())) {
    return known.status();
  }
  // Damaged files are as good as none: the index is taken over as if no watch had made it.
  index->damage_ = known.status();
  if (known.ok()) index->known_ = *std::move(known);
  const bool knows_files = !index->property_.empty() && index->damage_.ok();
  index->has_unknown_documents_ = !knows_files && !manifest->segments.empty();
  return index;
}

absl::StatusOr<std::unique_ptr<IndexWriter>> WatchedIndex::OpenWriter() {
  const OpenMode mode = exists_ ? OpenMode::kAppend : OpenMode::kCreate;
  PMDEX_ASSIGN_OR_RETURN(auto writer, IndexWriter::Open(directory_, mode, options_.settings));
  if (writer->dropped().has_value()) {
    return MakeStatus(
        absl::StatusCode::kFailedPrecondition,
        absl::StrCat("a build is unfinished in ", directory_.path(), ": ",
                     writer->dropped()->options, " (hint: pmdex index --resume finishes it)"));
  }
  if (exists_ && KnownFilesPropertyOf(writer->published()) != property_) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      absl::StrCat(directory_.path(),
                                   " was replaced, or another watch writes to it "
                                   "(hint: start the watch again)"));
  }
  if (prepare_) PMDEX_RETURN_IF_ERROR(prepare_(*writer));
  return writer;
}

absl::Status WatchedIndex::AdoptDocuments() {
  PMDEX_ASSIGN_OR_RETURN(const auto writer, OpenWriter());
  PMDEX_RETURN_IF_ERROR(locator_.Follow(*writer));
  std::optional<DocumentFacts> facts(writer->published());
  return locator_.ForEachId([&](std::string_view id, const DocumentPlace* place) -> absl::Status {
    KnownFile known;  // no file has inode 0
    const bool is_only = place != nullptr && known_.Find(id) == nullptr;
    if (is_only) {
      absl::StatusOr<KnownFile> found = facts->Find(id, *place);
      if (found.ok()) {
        known = *std::move(found);
      } else if (absl::IsDataLoss(found.status())) {
        facts.emplace(writer->published());  // the file is read again
      } else {
        return found.status();
      }
    }
    known_.Set(id, known);
    return absl::OkStatus();
  });
}

absl::Status WatchedIndex::PublishKnownFiles() {
  PMDEX_ASSIGN_OR_RETURN(const auto writer, OpenWriter());
  return Publish(*writer);
}

absl::Status WatchedIndex::Publish(IndexWriter& writer) {
  PMDEX_ASSIGN_OR_RETURN(std::string property,
                         WriteKnownFiles(directory_, known_, damage_.ok() ? property_ : ""));
  writer.SetProperty(kKnownFilesProperty, property);
  const auto& before = writer.next_properties();
  const auto value_of = [&before](const char* name) {
    const auto found = before.find(name);
    return found == before.end() ? std::string() : found->second;
  };
  writer.SetProperty(kFileRootsProperty,
                     AddFileRoots(value_of(kFileRootsProperty), options_.inputs));
  writer.SetProperty(kInputDirectoriesProperty,
                     AddWorkingDirectory(value_of(kInputDirectoriesProperty), options_.inputs));
  if (!exists_) {
    writer.SetProperty("inputs", absl::StrJoin(options_.inputs, ", "));
    writer.SetProperty("format", std::string(ToString(InputFormat::kFiles)));
    writer.SetProperty("version", PMDEX_VERSION);
  }
  PMDEX_RETURN_IF_ERROR(writer.Publish());
  WarnMissingCopies(writer.missing_copies());
  known_.ClearChanges();
  property_ = std::move(property);
  damage_ = absl::OkStatus();
  exists_ = true;
  has_unknown_documents_ = false;
  return absl::OkStatus();
}

absl::Status WatchedIndex::PublishIfNew() {
  if (exists_) return absl::OkStatus();
  PMDEX_ASSIGN_OR_RETURN(const auto writer, OpenWriter());
  return Publish(*writer);
}

absl::StatusOr<AppliedChanges> WatchedIndex::Apply(const TreeDifference& batch) {
  PMDEX_ASSIGN_OR_RETURN(const auto writer, OpenWriter());
  // Before anything is written: the documents of this batch are not to be deleted.
  PMDEX_RETURN_IF_ERROR(locator_.Follow(*writer));
  AppliedChanges applied;
  PMDEX_RETURN_IF_ERROR(ApplyRead(batch, *writer, applied));
  ApplyRemoved(batch, applied);
  PMDEX_RETURN_IF_ERROR(DeleteOld(batch, *writer));
  PMDEX_RETURN_IF_ERROR(Publish(*writer));
  applied.generations = 1;
  return applied;
}

absl::Status WatchedIndex::MergeSmallSegments(const std::function<void()>& rest) {
  const auto writer = OpenWriter();
  if (!writer.ok()) return absl::OkStatus();  // if something is wrong, the next batch says so
  const Manifest& manifest = (*writer)->published();
  const size_t segments = manifest.segments.size();
  if (failed_at_segments_ == segments) return absl::OkStatus();
  MergeIndexOptions merging;
  merging.request.stop = [this, &rest] {
    if (rest) rest();
    return stop_merges_ != nullptr && stop_merges_->IsSet();
  };
  // Places have space of their own; there a merge that does not fit ends with an error.
  const auto free_bytes = directory_.FreeBytes();
  if (free_bytes.ok() && manifest.places.empty()) merging.policy.free_bytes = *free_bytes;
  absl::Status status = MergeIndex(directory_, **writer, merging).status();
  failed_at_segments_ = status.ok() ? std::nullopt : std::optional<size_t>(segments);
  return status;
}

absl::Status WatchedIndex::ApplyRead(const TreeDifference& batch, IndexWriter& writer,
                                     AppliedChanges& applied) {
  if (waits_out_ticks_) WaitOutTick(batch.to_read);
  const int64_t read_at_ns = NowNanoseconds();
  Outcomes outcomes(batch.to_read.size());
  PMDEX_RETURN_IF_ERROR(Move(batch, writer, outcomes));
  PMDEX_RETURN_IF_ERROR(Read(batch, writer, outcomes, applied));
  for (size_t i = 0; i < batch.to_read.size(); ++i) {
    const FileToRead& file = batch.to_read[i];
    const bool was_there = HasDocument(file.path);
    const bool is_there =
        *outcomes[i] == FileOutcome::kIndexed || *outcomes[i] == FileOutcome::kIndexedWithoutText;
    if (is_there && !file.renamed_from.empty()) {
      ++applied.renamed;
    } else if (is_there) {
      ++(was_there ? applied.updated : applied.added);
    } else if (was_there) {
      ++applied.removed;
    }
    Learn(file, *outcomes[i], read_at_ns);
  }
  return absl::OkStatus();
}

absl::Status WatchedIndex::Move(const TreeDifference& batch, IndexWriter& writer,
                                Outcomes& outcomes) {
  std::vector<MovedFile> files;
  std::vector<size_t> numbers;  // of these in the batch
  for (size_t i = 0; i < batch.to_read.size(); ++i) {
    const FileToRead& file = batch.to_read[i];
    const KnownFile* const known = known_.Find(file.same_as);
    // An earlier batch may have read another file at that path.
    if (known == nullptr || !IsSameContent(known->facts, file.facts)) continue;
    if (known->state == KnownState::kPassedOver) outcomes[i] = FileOutcome::kPassedOver;
    if (known->state != KnownState::kIndexed) continue;
    PMDEX_ASSIGN_OR_RETURN(auto document, locator_.FindOnly(file.same_as));
    if (!document.has_value()) continue;
    files.push_back({file.path, file.facts, *std::move(document)});
    numbers.push_back(i);
  }
  if (files.empty()) return absl::OkStatus();
  PMDEX_ASSIGN_OR_RETURN(const std::vector<bool> is_moved, indexer_.Move(files, writer));
  for (size_t i = 0; i < files.size(); ++i) {
    if (is_moved[i]) outcomes[numbers[i]] = FileOutcome::kIndexed;
  }
  return absl::OkStatus();
}

absl::Status WatchedIndex::Read(const TreeDifference& batch, IndexWriter& writer,
                                Outcomes& outcomes, AppliedChanges& applied) {
  std::vector<std::string> paths;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].has_value()) paths.push_back(batch.to_read[i].path);
  }
  PMDEX_ASSIGN_OR_RETURN(const IndexedFiles indexed, indexer_.Index(paths, writer));
  applied.bytes_in = indexed.bytes_in;
  auto read = indexed.outcomes.begin();
  for (std::optional<FileOutcome>& outcome : outcomes) {
    if (!outcome.has_value()) outcome = *read++;
  }
  return absl::OkStatus();
}

void WatchedIndex::ApplyRemoved(const TreeDifference& batch, AppliedChanges& applied) {
  for (const RemovedFile& file : batch.removed) {
    if (HasDocument(file.path) && !file.is_renamed) ++applied.removed;
    known_.Remove(file.path);
  }
}

bool WatchedIndex::HasDocument(const std::string& path) const {
  const KnownFile* const known = known_.Find(path);
  if (known == nullptr) return false;
  return known->state == KnownState::kIndexed ||
         (options_.attributes && known->state == KnownState::kUnreadable);
}

absl::Status WatchedIndex::DeleteOld(const TreeDifference& batch, IndexWriter& writer) {
  std::map<uint64_t, std::vector<DocId>> deleted;  // by segment
  const auto take = [&deleted](uint64_t segment_id, DocId doc) {
    deleted[segment_id].push_back(doc);
  };
  for (const FileToRead& file : batch.to_read) {
    PMDEX_RETURN_IF_ERROR(locator_.Take(file.path, take));
  }
  for (const RemovedFile& file : batch.removed) {
    PMDEX_RETURN_IF_ERROR(locator_.Take(file.path, take));
  }
  for (const auto& [segment_id, docs] : deleted) {
    PMDEX_RETURN_IF_ERROR(writer.Delete(segment_id, docs).status());
  }
  return absl::OkStatus();
}

void WatchedIndex::Learn(const FileToRead& file, FileOutcome outcome, int64_t read_at_ns) {
  if (outcome == FileOutcome::kVanished) return known_.Remove(file.path);
  KnownFile known;
  known.facts = file.facts;
  known.is_racy = IsRacy(file.facts, read_at_ns);
  known.state = outcome == FileOutcome::kIndexed      ? KnownState::kIndexed
                : outcome == FileOutcome::kPassedOver ? KnownState::kPassedOver
                                                      : KnownState::kUnreadable;
  known_.Set(file.path, known);
}

}  // namespace pmdex
