#include "engine/store/snapshot.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/segment/segment_writer.h"
#include "engine/store/deletions/live_docs_file.h"
#include "engine/store/placement/places.h"
#include "engine/store/placement/segment_converter.h"
#include "pmem/check.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

// A writer may replace the generation after its manifest was read and before its segments are
// opened. The next manifest exists then. If this happens more often in a row, it is an error.
constexpr int kMaxOpenAttempts = 16;

absl::StatusOr<std::shared_ptr<const Segment>> OpenSegment(const Directory& directory,
                                                           const ManifestSegment& listed,
                                                           const SnapshotOptions& options) {
  UncachedUnits units;
  if (options.unit_cache != nullptr && listed.tier == Tier::kCompressed) {
    units.cache = options.unit_cache;
    PMDEX_ASSIGN_OR_RETURN(units.file, directory.OpenUncached(SegmentFileName(listed.id)));
  }
  return OpenListedSegment(directory, listed, std::move(units));
}

absl::StatusOr<std::shared_ptr<const LiveDocs>> OpenLiveDocs(const Directory& directory,
                                                             const ManifestSegment& listed) {
  if (listed.live_docs_generation == 0) return std::shared_ptr<const LiveDocs>();
  PMDEX_ASSIGN_OR_RETURN(LiveDocs live_docs, ReadLiveDocs(directory, listed));
  return std::make_shared<const LiveDocs>(std::move(live_docs));
}

// True if the error is about this process or this program, and not about the file.
bool IsNotOfTheFile(const absl::Status& status) {
  return absl::IsUnimplemented(status) || absl::IsResourceExhausted(status);
}

// Whether a writer has replaced the generation meanwhile, and with it removed its segments.
absl::StatusOr<bool> IsReplaced(const Directory& directory, const Manifest& manifest) {
  const auto newer = LoadNewestManifest(directory, nullptr);
  if (IsNotOfTheFile(newer.status())) return newer.status();
  return newer.ok() && newer->generation > manifest.generation;
}

absl::Status CheckVisible(const Manifest& manifest, const Directory& directory) {
  if (manifest.IsVisible()) return absl::OkStatus();
  return MakeStatus(absl::StatusCode::kNotFound,
                    absl::StrCat("no finished index in ", directory.path(), ": a build of ",
                                 manifest.pending->doc_count(),
                                 " documents so far is unfinished, or still running (hint: the "
                                 "same command line with --resume finishes it)"));
}

// Documents and queries must go through the same analyzer.
absl::Status CheckAnalyzer(const Manifest& manifest, std::string_view brought,
                           const Directory& directory) {
  std::string_view needed;
  if (manifest.settings.analyzer == AnalyzerKind::kCustom) {
    const auto property = manifest.properties.find(kCustomAnalyzerProperty);
    needed = property == manifest.properties.end() ? "unknown" : std::string_view(property->second);
  }
  if (needed == brought) return absl::OkStatus();
  if (needed.empty()) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      absl::StrCat("the index in ", directory.path(), " was made by the analyzer ",
                                   ToAbsl(ToString(manifest.settings.analyzer)),
                                   ", not by a tokenizer ", ToAbsl(brought)));
  }
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    absl::StrCat("the index in ", directory.path(), " needs the tokenizer ",
                                 ToAbsl(needed), " of the program that made it"));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Snapshot>> Snapshot::Open(const Directory& directory,
                                                               const SnapshotOptions& options) {
  return OpenNewest(nullptr, directory, options);
}

absl::StatusOr<std::shared_ptr<const Snapshot>> Snapshot::OpenAfter(
    const Snapshot& earlier, const Directory& directory, const SnapshotOptions& options) {
  const bool reads_alike = earlier.unit_cache_ == options.unit_cache;
  return OpenNewest(reads_alike ? &earlier : nullptr, directory, options);
}

absl::StatusOr<std::shared_ptr<const Snapshot>> Snapshot::OpenNewest(
    const Snapshot* earlier, const Directory& directory, const SnapshotOptions& options) {
  for (int attempt = 1;; ++attempt) {
    auto snapshot = std::shared_ptr<Snapshot>(new Snapshot());
    PMDEX_ASSIGN_OR_RETURN(snapshot->manifest_,
                           LoadNewestManifest(directory, &snapshot->passed_over_));
    PMDEX_RETURN_IF_ERROR(CheckVisible(snapshot->manifest_, directory));
    if (!options.any_analyzer) {
      PMDEX_RETURN_IF_ERROR(CheckAnalyzer(snapshot->manifest_, options.custom_analyzer, directory));
    }
    snapshot->unit_cache_ = options.unit_cache;
    PMDEX_RETURN_IF_ERROR(snapshot->OpenSegments(earlier, directory, options));
    if (snapshot->IsAnyMissing() && attempt < kMaxOpenAttempts) {
      PMDEX_ASSIGN_OR_RETURN(const bool replaced, IsReplaced(directory, snapshot->manifest_));
      if (replaced) continue;
    }
    snapshot->Finish();
    return std::shared_ptr<const Snapshot>(std::move(snapshot));
  }
}

absl::Status Snapshot::OpenSegments(const Snapshot* earlier, const Directory& directory,
                                    const SnapshotOptions& options) {
  PMDEX_ASSIGN_OR_RETURN(const ReadablePlaces places, ReadablePlaces::Open(directory, manifest_));
  for (const ManifestSegment& listed : manifest_.segments) {
    auto opened = OpenListed(earlier, places, listed, options);
    if (IsNotOfTheFile(opened.status())) return opened.status();
    // Without its live documents a segment would show deleted documents, so it is quarantined, too.
    const bool is_sound = opened.ok();
    Listed& added = listed_.emplace_back(
        is_sound ? *std::move(opened) : Listed{nullptr, nullptr, nullptr, opened.status()});
    const KeptCopy* const kept = manifest_.CopyOf(listed.id);
    if (kept == nullptr) continue;
    auto copy = OpenListed(nullptr, places, kept->file, options);
    if (IsNotOfTheFile(copy.status())) return copy.status();
    // The documents of a segment have the numbers that the manifest gives them.
    if (!copy.ok() || copy->segment->doc_count() != listed.doc_count) continue;
    added.copy = std::move(copy->segment);
    if (!is_sound) added.live_docs = std::move(copy->live_docs);
  }
  return absl::OkStatus();
}

// Segments never change, and the checksum of the header is one of all that is in them. So an entry
// with the same numbers is for the same bytes, even if the index was made anew meanwhile.
std::shared_ptr<const Segment> Snapshot::OpenedFor(const ManifestSegment& listed) const {
  for (size_t i = 0; i < listed_.size(); ++i) {
    const ManifestSegment& own = manifest_.segments[i];
    const bool is_same = own.id == listed.id && own.file_bytes == listed.file_bytes &&
                         own.header_crc == listed.header_crc && own.doc_count == listed.doc_count &&
                         own.tier == listed.tier && own.place == listed.place;
    if (!is_same) continue;
    const std::shared_ptr<const Segment>& segment = listed_[i].segment;
    return segment != nullptr && segment->Health().ok() ? segment : nullptr;
  }
  return nullptr;
}

absl::StatusOr<Snapshot::Listed> Snapshot::OpenListed(const Snapshot* earlier,
                                                      const ReadablePlaces& places,
                                                      const ManifestSegment& listed,
                                                      const SnapshotOptions& options) {
  Listed opened;
  PMDEX_ASSIGN_OR_RETURN(const Directory* directory, places.Find(listed.place));
  if (earlier != nullptr) opened.segment = earlier->OpenedFor(listed);
  if (opened.segment == nullptr) {
    PMDEX_ASSIGN_OR_RETURN(opened.segment, OpenSegment(*directory, listed, options));
  }
  PMDEX_ASSIGN_OR_RETURN(opened.live_docs, OpenLiveDocs(*directory, listed));
  return opened;
}

bool Snapshot::IsAnyMissing() const {
  return std::any_of(listed_.begin(), listed_.end(),
                     [](const Listed& listed) { return absl::IsNotFound(listed.reason); });
}

std::shared_ptr<const Snapshot> Snapshot::WithoutDamaged() const {
  const auto is_sound = [](const auto& segment) { return segment->Health().ok(); };
  if (std::all_of(segments_.begin(), segments_.end(), is_sound)) return nullptr;
  const auto reduced = CopyOpened();
  for (Listed& listed : reduced->listed_) {
    if (listed.copy != nullptr && !listed.copy->Health().ok()) listed.copy.reset();
    if (listed.segment == nullptr) continue;
    listed.reason = listed.segment->Health();
    if (!listed.reason.ok()) listed.segment.reset();
  }
  reduced->Finish();
  return reduced;
}

std::shared_ptr<const Snapshot> Snapshot::WithoutDocs(
    std::span<const std::vector<DocId>> docs) const {
  PMDEX_CHECK(docs.size() == segments_.size());
  const auto reduced = CopyOpened();
  for (size_t i = 0; i < docs.size(); ++i) {
    if (docs[i].empty()) continue;
    reduced->listed_[manifest_indices_[i]].live_docs = std::make_shared<const LiveDocs>(
        LiveDocs::Without(live_docs(i), segments_[i]->doc_count(), docs[i]));
  }
  reduced->Finish();
  return reduced;
}

std::shared_ptr<Snapshot> Snapshot::CopyOpened() const {
  auto copy = std::shared_ptr<Snapshot>(new Snapshot());
  copy->listed_ = listed_;
  copy->manifest_ = manifest_;
  copy->unit_cache_ = unit_cache_;
  copy->passed_over_ = passed_over_;
  return copy;
}

std::shared_ptr<const Snapshot> Snapshot::Of(
    IndexSettings settings, std::vector<std::shared_ptr<const Segment>> segments,
    std::vector<std::shared_ptr<const LiveDocs>> live_docs) {
  live_docs.resize(segments.size());
  auto snapshot = std::shared_ptr<Snapshot>(new Snapshot());
  snapshot->manifest_.settings = settings;
  for (const auto& segment : segments) {
    ManifestSegment listed;
    listed.id = segment->segment_id();
    listed.file_bytes = segment->file_bytes();
    listed.doc_count = segment->doc_count();
    snapshot->manifest_.segments.push_back(listed);
  }
  for (size_t i = 0; i < segments.size(); ++i) {
    PMDEX_CHECK(live_docs[i] == nullptr || live_docs[i]->doc_count() == segments[i]->doc_count());
    snapshot->listed_.push_back({std::move(segments[i]), nullptr, std::move(live_docs[i]), {}});
  }
  snapshot->Finish();
  return snapshot;
}

absl::StatusOr<const DocumentIds*> Snapshot::Ids() const {
  MutexLock lock(&ids_mutex_);
  if (ids_ == nullptr) {
    std::vector<DocumentIds::Part> parts;
    for (size_t i = 0; i < segments_.size(); ++i) {
      parts.push_back({segments_[i].get(), doc_bases_[i], live_docs(i)});
    }
    PMDEX_ASSIGN_OR_RETURN(DocumentIds built, DocumentIds::Build(std::move(parts)));
    ids_ = std::make_unique<const DocumentIds>(std::move(built));
    has_ids_.store(true, std::memory_order_release);
  }
  return ids_.get();
}

absl::StatusOr<std::optional<uint64_t>> Snapshot::FindDocument(std::string_view id) const {
  PMDEX_ASSIGN_OR_RETURN(const DocumentIds* const ids, Ids());
  return ids->Find(id);
}

absl::StatusOr<std::vector<uint64_t>> Snapshot::FindDocuments(std::string_view id) const {
  PMDEX_ASSIGN_OR_RETURN(const DocumentIds* const ids, Ids());
  return ids->FindAll(id);
}

size_t Snapshot::FieldIndex(std::string_view field) const {
  const auto found = std::lower_bound(field_names_.begin(), field_names_.end(), field);
  if (found == field_names_.end() || *found != field) return field_names_.size();
  return static_cast<size_t>(found - field_names_.begin());
}

std::span<const FieldId> Snapshot::field_ids(std::string_view field) const {
  const size_t index = FieldIndex(field);
  if (index == field_names_.size()) return {};
  return std::span(field_ids_).subspan(index * segments_.size(), segments_.size());
}

FieldStatistics Snapshot::field_statistics(std::string_view field) const {
  const size_t index = FieldIndex(field);
  return index == field_names_.size() ? FieldStatistics() : field_statistics_[index];
}

std::string_view Snapshot::PlaceOf(const ManifestSegment& listed) const {
  const ManifestPlace* place = FindPlace(manifest_.places, listed.place);
  return place == nullptr ? std::string_view() : std::string_view(place->path);
}

void Snapshot::Finish() {
  struct Field {
    FieldStatistics total;
    size_t index = 0;  // among the names
  };
  struct SeenField {
    Field* field;
    size_t segment;
    FieldId id;
  };
  std::map<std::string, Field, std::less<>> fields;
  std::vector<SeenField> seen;
  uint64_t doc_base = 0;
  for (size_t i = 0; i < listed_.size(); ++i) {
    const ManifestSegment& entry = manifest_.segments[i];
    const uint64_t begin = doc_base;
    doc_base += entry.doc_count;
    if (listed_[i].segment == nullptr) {
      const bool is_replaced = listed_[i].copy != nullptr;
      (is_replaced ? replaced_ : quarantined_)
          .push_back({entry.id, SegmentFileName(entry.id), entry.live_count(), listed_[i].reason,
                      entry.tier, std::string(PlaceOf(entry))});
      if (!is_replaced) continue;
    }
    manifest_indices_.push_back(i);
    const Segment& segment = *segments_.emplace_back(listed_[i].Answering());
    doc_bases_.push_back(begin);
    doc_count_ += segment.doc_count();
    const LiveDocs* live = listed_[i].live_docs.get();
    live_doc_count_ += live == nullptr ? segment.doc_count() : live->live_count();
    for (const FieldInfo& info : segment.fields()) {
      Field& field = fields[std::string(info.name)];
      field.total.doc_count += info.doc_count;
      field.total.token_count += info.token_count;
      field.total.posting_count += info.posting_count;
      const auto id = static_cast<FieldId>(&info - segment.fields().data());
      seen.push_back({&field, segments_.size() - 1, id});
    }
  }
  for (auto& [name, field] : fields) {
    field.index = field_names_.size();
    field_names_.push_back(name);
    field_statistics_.push_back(field.total);
  }
  field_ids_.assign(field_names_.size() * segments_.size(), kNoField);
  for (const SeenField& of : seen) {
    field_ids_[of.field->index * segments_.size() + of.segment] = of.id;
  }
}

}  // namespace pmdex
