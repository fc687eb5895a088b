// The files of a report: the directory that --out names, and the files in it. Thread-safe: no
// state.
#pragma once

#include <string>
#include <string_view>

#include "pmem/status.h"

namespace pmdex {

// Makes the directory and its parents if they are missing.
absl::Status MakeReportDirectory(const std::string& path);

// Writes the file whole: a reader sees the old content or the new one. A file of this name is
// replaced. The file is not flushed to the medium. Requires a name without a slash.
absl::Status WriteReportFile(const std::string& directory, std::string_view name,
                             std::string_view content);

// The whole content of a file, of at most `most_bytes`.
absl::StatusOr<std::string> ReadReportFile(const std::string& path,
                                           size_t most_bytes = size_t{256} << 20);

}  // namespace pmdex
