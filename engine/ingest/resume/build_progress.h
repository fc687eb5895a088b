// What a build has done and made durable, in all its runs: the progress that the manifest keeps of
// a pending build (PendingBuild::progress). docs/FORMAT.md describes the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/ingest/fields/known_fields.h"
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
  std::map<std::string, uint64_t> bad_values;  // by field
  KnownFields fields;  // empty until the first checkpoint of a build with typed fields
  // True if the build has settled names and types by a pass over all input (field_registry.h).
  bool fields_are_settled = false;
  // Where the documents of the segments come from, if later documents replace earlier ones.
  std::vector<SegmentOrder> orders;
  uint64_t updated = 0;  // documents that were replaced in the parts that readers see
};

std::vector<std::byte> EncodeBuildProgress(const BuildProgress& progress);
// No bytes mean that nothing is done. kDataLoss if the bytes are damaged; kUnimplemented if a newer
// version of the program wrote them.
absl::StatusOr<BuildProgress> DecodeBuildProgress(std::span<const std::byte> bytes);

}  // namespace pmdex
