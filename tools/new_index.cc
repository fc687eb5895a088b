#include "tools/new_index.h"

#include <utility>

#include "engine/store/own_files.h"
#include "tools/command.h"

namespace pmdex {

absl::StatusOr<std::unique_ptr<Directory>> OpenDirectoryForIndex(
    const std::string& path, const FileDirectoryOptions& options) {
  PMDEX_ASSIGN_OR_RETURN(auto directory, OpenFileDirectory(path, options));
  PMDEX_ASSIGN_OR_RETURN(const DirectoryContent content, ReadDirectoryContent(*directory));
  PMDEX_RETURN_IF_ERROR(CheckPlaceForIndex(content, *directory));
  return directory;
}

absl::StatusOr<NewIndex> CreateIndex(const std::string& path, const IndexSettings& settings,
                                     std::string origin) {
  NewIndex index;
  FileDirectoryOptions options;
  options.create = true;
  PMDEX_ASSIGN_OR_RETURN(index.directory, OpenDirectoryForIndex(path, options));
  auto writer = IndexWriter::Open(*index.directory, OpenMode::kCreate, settings);
  if (absl::IsAlreadyExists(writer.status())) {
    return WithHint(writer.status(), "name a new directory");
  }
  PMDEX_ASSIGN_OR_RETURN(index.writer, std::move(writer));
  index.writer->SetProperty("inputs", std::move(origin));
  index.writer->SetProperty("version", PMDEX_VERSION);
  return index;
}

}  // namespace pmdex
