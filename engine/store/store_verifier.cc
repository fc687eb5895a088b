#include "engine/store/store_verifier.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/segment/segment_writer.h"
#include "engine/store/manifest.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

Finding ManifestFinding(std::string file, std::string_view what) {
  return {std::move(file), "manifest", 0, std::string(what)};
}

// What the manifest says of a segment against the file itself.
void CompareWithManifest(const Segment& segment, const ManifestSegment& listed,
                         std::vector<Finding>& findings) {
  if (segment.segment_id() != listed.id) {
    findings.push_back(ManifestFinding(
        segment.file_name(), absl::StrCat("the manifest lists segment ", listed.id,
                                          ", the file says it is ", segment.segment_id())));
  }
  if (segment.doc_count() != listed.doc_count) {
    findings.push_back(ManifestFinding(
        segment.file_name(), absl::StrCat("the manifest lists ", listed.doc_count,
                                          " documents, the file has ", segment.doc_count())));
  }
}

void VerifyListedSegment(const Directory& directory, const ManifestSegment& listed,
                         VerifyReport& report) {
  const std::string name = SegmentFileName(listed.id);
  auto file = directory.Open(name);
  if (!file.ok()) {
    report.findings.push_back({name, "file", 0, std::string(Message(file.status()))});
    return;
  }
  report.bytes += (*file)->bytes().size();
  auto segment = Segment::Open(std::move(*file), name,
                               SegmentExpectation{listed.file_bytes, listed.header_crc});
  if (!segment.ok()) {
    report.findings.push_back({name, "header", 0, std::string(Message(segment.status()))});
    return;
  }
  CompareWithManifest(**segment, listed, report.findings);
  std::vector<Finding> findings = VerifySegment(**segment, {});
  report.findings.insert(report.findings.end(), findings.begin(), findings.end());
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
    if (absl::IsDataLoss(manifest.status())) return report;
    return manifest.status();
  }
  report.generation = manifest->generation;
  for (const ManifestSegment& listed : manifest->segments) {
    ++report.segments;
    VerifyListedSegment(directory, listed, report);
  }
  return report;
}

}  // namespace pmdex
