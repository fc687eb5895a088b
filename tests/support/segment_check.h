// Compares a segment with the vectors from which it was written, by its public functions.
#pragma once

#include "engine/segment/segment.h"
#include "tests/support/vector_segment_input.h"

namespace pmdex {

// True if all bytes of the two are the same.
bool IsSame(const DictionaryEntry& a, const DictionaryEntry& b);

// Fails the current test for the first difference of each kind.
void ExpectSegmentHolds(const Segment& segment, const VectorSegmentInput& input);

// Writes the input to the directory as segment_id and opens it. If that fails, it fails the test
// and returns nullptr.
std::shared_ptr<const Segment> WriteAndOpen(Directory& directory, uint64_t segment_id,
                                            SegmentInput& input);

}  // namespace pmdex
