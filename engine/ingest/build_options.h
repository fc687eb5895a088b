// How a build is remembered in the manifest: what it is made of, and what came of it.
#pragma once

#include <map>
#include <string>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/ingest_report.h"
#include "engine/store/manifest.h"

namespace pmdex {

// Inputs, and the flags that the content of the index depends on, as on a command line: two builds
// with the same text are one. Neither memory nor threads are part of it. Where an input is a
// relative path the working directory is.
std::string DescribeBuild(const IngestOptions& options);

// The property of a manifest that keeps the totals of its last finished build.
inline constexpr char kBuildTotalsProperty[] = "build_totals";
std::string EncodeBuildTotals(const IngestReport& report);
// Zeros where the manifest does not say.
IngestReport ReportOfFinishedBuild(const Manifest& manifest);

}  // namespace pmdex
