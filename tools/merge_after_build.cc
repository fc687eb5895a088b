#include "tools/merge_after_build.h"

#include "engine/store/index_writer.h"
#include "engine/store/manifest.h"
#include "tools/command.h"

namespace pmdex {

absl::StatusOr<MergeReport> MergeAfterBuild(Directory& directory, const StopFlag& stop) {
  PMDEX_ASSIGN_OR_RETURN(const Manifest manifest, LoadNewestManifest(directory, nullptr));
  PMDEX_ASSIGN_OR_RETURN(const auto writer,
                         IndexWriter::Open(directory, OpenMode::kAppend, manifest.settings));
  writer->KeepPendingBuild();
  MergeIndexOptions options;
  options.request.stop = [&stop] { return stop.IsSet(); };
  // Places have space of their own; there a merge that does not fit ends with an error.
  const auto free_bytes = directory.FreeBytes();
  if (free_bytes.ok() && manifest.places.empty()) options.policy.free_bytes = *free_bytes;
  PMDEX_ASSIGN_OR_RETURN(const MergeReport report, MergeIndex(directory, *writer, options));
  WarnMissingCopies(writer->missing_copies());
  return report;
}

}  // namespace pmdex
