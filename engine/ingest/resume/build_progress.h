// What a build has done so far and made durable, all runs together: the progress that a manifest
// keeps of a pending build (PendingBuild::progress; docs/FORMAT.md has the bytes).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/ingest/problem_log.h"
#include "engine/ingest/resume/watermark.h"
#include "pmem/status.h"

namespace pmdex {

struct BuildProgress {
  uint64_t documents = 0;
  uint64_t tokens = 0;
  uint64_t bytes_in = 0;
  uint64_t segments = 0;
  ProblemSummaries problems;
  Watermark watermark;
  // The names that have a field of their own, once the input turned out to have more than may be.
  std::vector<std::string> fields;
};

std::vector<std::byte> EncodeBuildProgress(const BuildProgress& progress);
// No bytes: nothing done. kDataLoss when they make no sense, kUnimplemented for a newer form.
absl::StatusOr<BuildProgress> DecodeBuildProgress(std::span<const std::byte> bytes);

}  // namespace pmdex
