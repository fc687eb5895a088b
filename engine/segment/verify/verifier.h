// Reads a whole segment and says everything that is wrong with it: checksums, padding, and every
// structural invariant of docs/FORMAT.md, each recomputed from the bytes it rests on. For `verify`
// and for tests; never on the way of a query. Uses about 12 B a document of memory. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/segment/segment.h"
#include "engine/segment/verify/finding.h"
#include "pmem/directory.h"

namespace pmdex {

struct VerifyOptions {
  size_t max_findings = 100;  // no more are collected; at least one is, if there is any
};

// Empty when the segment is sound.
std::vector<Finding> VerifySegment(const Segment& segment, const VerifyOptions& options = {});

// The same of a file; that it does not open is a finding too.
std::vector<Finding> VerifySegmentFile(std::unique_ptr<ReadableFile> file, std::string file_name,
                                       std::optional<SegmentExpectation> expected,
                                       const VerifyOptions& options = {});

}  // namespace pmdex
