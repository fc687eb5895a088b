#include "engine/store/writer_checks.h"

#include "absl/strings/str_cat.h"

#include "engine/segment/segment.h"
#include "engine/segment/segment_writer.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

std::string DescribePending(const Manifest& manifest) {
  return absl::StrCat("an unfinished build (", ToAbsl(ToString(manifest.pending->mode)), ", ",
                      manifest.PendingDocuments(), " documents so far, of ",
                      manifest.pending->options, ")");
}

}  // namespace

absl::Status CheckSettings(const IndexSettings& have, const IndexSettings& settings,
                           const std::string& path) {
  if (have.analyzer == settings.analyzer && have.positions == settings.positions &&
      have.store_text == settings.store_text) {
    return absl::OkStatus();
  }
  return MakeStatus(
      absl::StatusCode::kFailedPrecondition,
      absl::StrCat("the index in ", path, " was built with --analyzer ",
                   ToAbsl(ToString(have.analyzer)), " --positions ", have.positions ? "on" : "off",
                   " --store ", have.store_text ? "on" : "off",
                   "; what is appended must be built the same way"));
}

absl::Status CheckMode(OpenMode mode, const Manifest& manifest, const IndexSettings& settings,
                       const std::string& path) {
  const bool pending = manifest.HasPendingWork();
  if (mode == OpenMode::kCreate && manifest.IsVisible()) {
    return MakeStatus(absl::StatusCode::kAlreadyExists,
                      absl::StrCat("there is already an index in ", path));
  }
  if (mode == OpenMode::kCreate && pending) {
    return MakeStatus(absl::StatusCode::kAlreadyExists,
                      absl::StrCat("there is already ", DescribePending(manifest), " in ", path));
  }
  if (mode != OpenMode::kAppend) return absl::OkStatus();
  if (!manifest.IsVisible()) {
    return MakeStatus(
        absl::StatusCode::kNotFound,
        absl::StrCat("no index in ", path, pending ? ", only " + DescribePending(manifest) : ""));
  }
  return CheckSettings(manifest.settings, settings, path);
}

absl::Status CheckPendingSegments(const WritablePlaces& places,
                                  const std::vector<ManifestSegment>& segments) {
  for (const ManifestSegment& listed : segments) {
    const std::string name = SegmentFileName(listed.id);
    const Directory* directory = places.Find(listed.place);
    if (directory == nullptr) {
      return DataLoss(absl::StrCat("a segment of the unfinished build cannot be opened: ", name,
                                   " is at place ", listed.place, ", which is absent"));
    }
    auto file = directory->Open(name);
    if (absl::IsResourceExhausted(file.status())) return file.status();
    if (!file.ok()) {
      return DataLoss(absl::StrCat("a segment of the unfinished build cannot be opened: ",
                                   ToAbsl(Message(file.status()))));
    }
    PMDEX_RETURN_IF_ERROR(
        Segment::Open(*std::move(file), name,
                      SegmentExpectation{listed.file_bytes, listed.header_crc, listed.id})
            .status());
  }
  return absl::OkStatus();
}

}  // namespace pmdex
