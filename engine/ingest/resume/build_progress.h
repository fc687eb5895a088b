// What a build has done and made durable, in all its runs: the progress that the manifest keeps of
// a pending build (PendingBuild::progress). docs/FORMAT.md describes the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/ingest/problem_log.h"
#include "engine/ingest/resume/input_order.h"
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
  // The names that have a field of their own, if the build has settled them because the input has
  // too many; otherwise empty.
  std::vector<std::string> fields;
  // Where the documents of the segments come from, if later documents replace earlier ones.
  std::vector<SegmentOrder> orders;
};

std::vector<std::byte> EncodeBuildProgress(const BuildProgress& progress);
// No bytes mean that nothing is done. kDataLoss if the bytes are damaged; kUnimplemented if a newer
// version of the program wrote them.
absl::StatusOr<BuildProgress> DecodeBuildProgress(std::span<const std::byte> bytes);

}  // namespace pmdex
