#include "engine/store/deletions/pending_deletions.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "engine/store/deletions/live_docs_file.h"

namespace pmdex {
namespace {

// Writes the file and lists it in the entry.
absl::Status WriteListedLiveDocs(const WritablePlaces& places, const TakenNames& taken,
                                 const LiveDocs& live_docs, ManifestSegment& entry) {
  Directory* directory = places.Find(entry.place);
  if (directory == nullptr) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      absl::StrCat("place ", entry.place, " of the index is absent"));
  }
  LiveDocsKey key = {entry.id, entry.live_docs_generation + 1};
  while (taken.live_docs.contains(key)) ++key.generation;
  if (key.generation > kMaxLiveDocsGeneration) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      absl::StrCat("no generation of live documents is left for segment ", entry.id,
                                   " (hint: merge the index, or convert the segment)"));
  }
  PMDEX_ASSIGN_OR_RETURN(entry.live_docs_check, WriteLiveDocs(*directory, key, live_docs));
  entry.live_docs_generation = key.generation;
  entry.deleted_count = live_docs.deleted_count();
  return absl::OkStatus();
}

void RemoveWrittenLiveDocs(const WritablePlaces& places, std::span<const ManifestSegment> written) {
  for (const ManifestSegment& entry : written) {
    const std::string name = LiveDocsFileName({entry.id, entry.live_docs_generation});
    places.Find(entry.place)->Remove(name).IgnoreError();  // the next writer tries again
  }
}

}  // namespace

absl::StatusOr<std::shared_ptr<const LiveDocs>> PendingDeletions::Find(
    const Directory& directory, const ManifestSegment& listed) const {
  const auto changed = changed_.find(listed.id);
  if (changed != changed_.end()) return changed->second;
  if (listed.live_docs_generation == 0) return std::shared_ptr<const LiveDocs>();
  PMDEX_ASSIGN_OR_RETURN(LiveDocs read, ReadLiveDocs(directory, listed));
  return std::make_shared<const LiveDocs>(std::move(read));
}

absl::StatusOr<uint64_t> PendingDeletions::Add(const Directory& directory,
                                               const ManifestSegment& listed,
                                               std::span<const DocId> docs) {
  PMDEX_ASSIGN_OR_RETURN(const auto before, Find(directory, listed));
  const auto after =
      std::make_shared<const LiveDocs>(LiveDocs::Without(before.get(), listed.doc_count, docs));
  const uint64_t live_before = before == nullptr ? listed.doc_count : before->live_count();
  const uint64_t deleted = live_before - after->live_count();
  if (deleted > 0) changed_[listed.id] = after;
  return deleted;
}

std::shared_ptr<const LiveDocs> PendingDeletions::Changed(uint64_t segment_id) const {
  const auto changed = changed_.find(segment_id);
  return changed == changed_.end() ? nullptr : changed->second;
}

void PendingDeletions::Give(ManifestSegment& to, std::shared_ptr<const LiveDocs> live_docs) {
  to.live_docs_generation = 0;
  to.live_docs_check = 0;
  to.deleted_count = 0;
  if (live_docs != nullptr) changed_[to.id] = std::move(live_docs);
}

void PendingDeletions::Move(uint64_t from, ManifestSegment& to,
                            std::shared_ptr<const LiveDocs> live_docs) {
  changed_.erase(from);
  Give(to, std::move(live_docs));
}

absl::Status PendingDeletions::Write(const WritablePlaces& places, const TakenNames& taken,
                                     Manifest& manifest) const {
  if (changed_.empty()) return absl::OkStatus();
  std::set<uint64_t> dropped;
  for (const auto& [id, live_docs] : changed_) {
    if (live_docs->live_count() == 0) dropped.insert(id);
  }
  std::erase_if(manifest.segments,
                [&](const ManifestSegment& segment) { return dropped.contains(segment.id); });
  std::erase_if(manifest.copies, [&](const KeptCopy& copy) { return dropped.contains(copy.of); });
  std::vector<ManifestSegment> written;
  for (ManifestSegment& segment : manifest.segments) {
    const auto live_docs = Changed(segment.id);
    if (live_docs == nullptr) continue;
    absl::Status status = WriteListedLiveDocs(places, taken, *live_docs, segment);
    if (!status.ok()) {
      RemoveWrittenLiveDocs(places, written);
      return status;
    }
    written.push_back(segment);
  }
  std::vector<KeptCopy> copies;
  for (KeptCopy& copy : manifest.copies) {
    if (WriteOfCopy(places, taken, copy).ok()) copies.push_back(copy);
  }
  manifest.copies = std::move(copies);
  return absl::OkStatus();
}

absl::Status PendingDeletions::WriteOfCopy(const WritablePlaces& places, const TakenNames& taken,
                                           KeptCopy& copy) const {
  auto live_docs = Changed(copy.file.id);  // of a new copy
  if (auto of_segment = Changed(copy.of); of_segment != nullptr) live_docs = std::move(of_segment);
  // A segment that was converted or rebuilt has the live documents that its copy has already.
  if (live_docs == nullptr || copy.file.deleted_count == live_docs->deleted_count()) {
    return absl::OkStatus();
  }
  return WriteListedLiveDocs(places, taken, *live_docs, copy.file);
}

}  // namespace pmdex
