#include "engine/store/store_verifier.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/segment/live_docs_format.h"
#include "engine/segment/segment_writer.h"
#include "engine/store/deletions/live_docs_file.h"
#include "engine/store/known_files/known_files_store.h"
#include "engine/store/manifest.h"
#include "engine/store/placement/places.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

Finding ManifestFinding(std::string file, std::string_view what) {
  return {std::move(file), "manifest", 0, std::string(what)};
}

// Compares what the manifest says of a segment with the file.
void CompareWithManifest(const Segment& segment, const ManifestSegment& listed,
                         std::vector<Finding>& findings) {
  if (segment.doc_count() != listed.doc_count) {
    findings.push_back(ManifestFinding(
        segment.file_name(), absl::StrCat("the manifest lists ", listed.doc_count,
                                          " documents, the file has ", segment.doc_count())));
  }
}

// A finding at an offset of the file, as section and offset in the section.
Finding FindingAt(const SegmentView& view, uint64_t offset, std::string_view what) {
  for (const SectionEntry& entry : view.sections()) {
    if (offset >= entry.offset && offset - entry.offset < entry.size_bytes) {
      return {view.file_name(), std::string(ToString(entry.kind)), offset - entry.offset,
              std::string(what)};
    }
  }
  return {view.file_name(), offset < kHeaderPageBytes ? "header page" : "padding", offset,
          std::string(what)};
}

// The known bad blocks of the file, and the first load that failed.
std::vector<Finding> MediumFindings(const Segment& segment) {
  std::vector<Finding> findings;
  const SegmentView& view = segment.view();
  for (const BadBlock& block : view.file().known_bad_blocks()) {
    findings.push_back(
        FindingAt(view, block.offset,
                  absl::StrCat("a block of ", block.size_bytes, " bytes known to be bad")));
  }
  if (const auto offset = view.file().failed_offset()) {
    findings.push_back(FindingAt(view, *offset, Message(view.file().Health())));
  }
  return findings;
}

// An error when this process lacks what it needs to look at a file, which is no finding. The same
// holds below.
absl::Status VerifyListedLiveDocs(const Directory& directory, const ReadablePlaces& places,
                                  const ManifestSegment& listed, VerifyReport& report) {
  if (listed.live_docs_generation == 0) return absl::OkStatus();
  const auto live_docs = ReadLiveDocs(directory, listed);
  if (absl::IsResourceExhausted(live_docs.status())) return live_docs.status();
  if (live_docs.ok()) {
    report.bytes += sizeof(LiveDocsHeader) + live_docs->words().size_bytes();
  } else {
    const std::string name = LiveDocsFileName({listed.id, listed.live_docs_generation});
    report.findings.push_back({places.NameOf(listed.place, name), "live docs", 0,
                               std::string(Message(live_docs.status()))});
  }
  return absl::OkStatus();
}

absl::Status VerifyListedSegment(const ReadablePlaces& places, const ManifestSegment& listed,
                                 VerifyReport& report) {
  const std::string name = places.NameOf(listed.place, SegmentFileName(listed.id));
  const auto directory = places.Find(listed.place);
  if (!directory.ok()) {
    report.findings.push_back({name, "file", 0, std::string(Message(directory.status()))});
    return absl::OkStatus();
  }
  PMDEX_RETURN_IF_ERROR(VerifyListedLiveDocs(**directory, places, listed, report));
  auto file = (*directory)->Open(SegmentFileName(listed.id));
  if (absl::IsResourceExhausted(file.status())) return file.status();
  if (!file.ok()) {
    report.findings.push_back({name, "file", 0, std::string(Message(file.status()))});
    return absl::OkStatus();
  }
  report.bytes += (*file)->bytes().size();
  auto segment = Segment::Open(std::move(*file), name,
                               SegmentExpectation{listed.file_bytes, listed.header_crc, listed.id});
  if (absl::IsResourceExhausted(segment.status())) return segment.status();
  if (!segment.ok()) {
    report.findings.push_back({name, "header", 0, std::string(Message(segment.status()))});
    return absl::OkStatus();
  }
  CompareWithManifest(**segment, listed, report.findings);
  std::vector<Finding> findings = VerifySegment(**segment, {});
  // These findings come first. Bytes that could not be read are zeros and cause other findings.
  const std::vector<Finding> medium = MediumFindings(**segment);
  findings.insert(findings.begin(), medium.begin(), medium.end());
  report.findings.insert(report.findings.end(), findings.begin(), findings.end());
  return absl::OkStatus();
}

// The messages of the errors name the file.
absl::Status VerifyKnownFiles(const Directory& directory, const Manifest& manifest,
                              VerifyReport& report) {
  absl::Status loaded = LoadKnownFiles(directory, manifest).status();
  if (loaded.ok() || absl::IsResourceExhausted(loaded)) return loaded;
  report.findings.push_back({directory.path(), "known files", 0, std::string(Message(loaded))});
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<VerifyReport> VerifyStore(const Directory& directory) {
  VerifyReport report;
  std::vector<absl::Status> damage;
  auto manifest = LoadNewestManifest(directory, &damage);
  for (const absl::Status& status : damage) {
    report.findings.push_back(ManifestFinding(directory.path(), Message(status)));
  }
  if (!manifest.ok()) {
    // Damage is reported already. A manifest that could not be opened is not.
    if (absl::IsDataLoss(manifest.status()) && !damage.empty()) return report;
    return manifest.status();
  }
  report.generation = manifest->generation;
  PMDEX_ASSIGN_OR_RETURN(const ReadablePlaces places, ReadablePlaces::Open(directory, *manifest));
  for (const ManifestSegment& listed : manifest->segments) {
    ++report.segments;
    PMDEX_RETURN_IF_ERROR(VerifyListedSegment(places, listed, report));
  }
  PMDEX_RETURN_IF_ERROR(VerifyKnownFiles(directory, *manifest, report));
  for (const KeptCopy& copy : manifest->copies) {
    ++report.copies;
    PMDEX_RETURN_IF_ERROR(VerifyListedSegment(places, copy.file, report));
  }
  if (!manifest->pending.has_value()) return report;
  for (const ManifestSegment& listed : manifest->pending->segments) {
    ++report.pending_segments;
    PMDEX_RETURN_IF_ERROR(VerifyListedSegment(places, listed, report));
  }
  return report;
}

absl::StatusOr<DamagedPairs> FindDamagedPairs(const Directory& directory,
                                              const Manifest& manifest) {
  DamagedPairs damaged;
  PMDEX_ASSIGN_OR_RETURN(const ReadablePlaces places, ReadablePlaces::Open(directory, manifest));
  const auto is_damaged = [&](const ManifestSegment& file) -> absl::StatusOr<bool> {
    VerifyReport report;
    PMDEX_RETURN_IF_ERROR(VerifyListedSegment(places, file, report));
    return !report.findings.empty();
  };
  for (const ManifestSegment& segment : manifest.segments) {
    const KeptCopy* const copy = manifest.CopyOf(segment.id);
    if (copy == nullptr) continue;
    PMDEX_ASSIGN_OR_RETURN(const bool segment_is, is_damaged(segment));
    if (segment_is) damaged.segments.push_back(segment.id);
    PMDEX_ASSIGN_OR_RETURN(const bool copy_is, is_damaged(copy->file));
    if (copy_is) damaged.copies.insert(segment.id);
  }
  return damaged;
}

}  // namespace pmdex
