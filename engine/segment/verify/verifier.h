// Reads a whole segment and reports everything that is not as docs/FORMAT.md says: checksums,
// padding and all invariants, which it computes again from the bytes. For `pmdex verify` and for
// tests. Takes about 12 bytes of memory for each document. Thread-safe.
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
  size_t max_findings = 100;  // more findings are dropped; 0 counts as 1
};

// The findings in the segment; none if it is sound.
std::vector<Finding> VerifySegment(const Segment& segment, const VerifyOptions& options = {});

// The same for a file. If the file cannot be opened as a segment, that is the finding.
std::vector<Finding> VerifySegmentFile(std::unique_ptr<ReadableFile> file, std::string file_name,
                                       std::optional<SegmentExpectation> expected,
                                       const VerifyOptions& options = {});

}  // namespace pmdex
