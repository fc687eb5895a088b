#include "tools/existing_index_writer.h"

#include "absl/strings/str_cat.h"

namespace pmdex {

absl::StatusOr<std::unique_ptr<IndexWriter>> OpenWriterOfExistingIndex(Directory& directory) {
  PMDEX_ASSIGN_OR_RETURN(const Manifest manifest, LoadNewestManifest(directory, nullptr));
  PMDEX_ASSIGN_OR_RETURN(auto writer,
                         IndexWriter::Open(directory, OpenMode::kAppend, manifest.settings));
  if (writer->dropped().has_value()) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      absl::StrCat("a build is unfinished in ", directory.path(),
                                   " (hint: its command line with --resume finishes it)"));
  }
  return writer;
}

}  // namespace pmdex
