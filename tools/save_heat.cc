#include "tools/save_heat.h"

#include "absl/strings/str_cat.h"

#include "engine/store/index_writer.h"
#include "tools/command.h"

namespace pmdex {

absl::Status SaveHeat(const std::string& index, const std::map<uint64_t, uint64_t>& queries) {
  if (queries.empty()) return absl::OkStatus();
  PMDEX_ASSIGN_OR_RETURN(const auto directory, OpenIndexDirectory(index));
  PMDEX_ASSIGN_OR_RETURN(const Manifest manifest, LoadNewestManifest(*directory, nullptr));
  PMDEX_ASSIGN_OR_RETURN(const auto writer,
                         IndexWriter::Open(*directory, OpenMode::kAppend, manifest.settings));
  if (writer->dropped().has_value()) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      absl::StrCat("a build is unfinished in ", index));
  }
  writer->AddHeat(queries);
  PMDEX_RETURN_IF_ERROR(writer->Publish());
  WarnMissingCopies(writer->missing_copies());
  return absl::OkStatus();
}

}  // namespace pmdex
