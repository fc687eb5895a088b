// What the manifest keeps of a build: the text that tells builds apart, and the totals of the last
// finished one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/ingest_report.h"
#include "engine/store/manifest.h"

namespace pmdex {

// The inputs, and the flags that the content of the index depends on, as on a command line. Two
// builds with the same text are the same build. Memory and threads are not part of the text. The
// working directory is part of it if an input is a relative path.
std::string DescribeBuild(const IngestOptions& options);

// The property of a manifest that keeps the inputs of format files: the paths at which the entries
// of the index begin.
inline constexpr char kFileRootsProperty[] = "file_roots";
// The roots of `before`, and those that are new. Paths are bytes; a zero ends each.
std::string AddFileRoots(std::string before, const std::vector<std::string>& inputs);
std::vector<std::string> DecodeFileRoots(std::string_view value);

// The property of a manifest that keeps a time, in RFC 3339, before which no file of the index was
// read: when its first build began. Absent where nobody knows.
inline constexpr char kFilesReadSinceProperty[] = "files_read_since";

// The property of a manifest that keeps the totals of its last finished build.
inline constexpr char kBuildTotalsProperty[] = "build_totals";
std::string EncodeBuildTotals(const IngestReport& report);
// A report of the totals that the manifest keeps; zeros if it keeps none.
IngestReport ReportOfFinishedBuild(const Manifest& manifest);

}  // namespace pmdex
