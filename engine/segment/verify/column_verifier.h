// Verifies the section of columns of a segment: computes everything that can be computed again from
// the values, and compares. A part of VerifySegment (verifier.h). Takes 16 bytes of memory for each
// value of a column, for one column at a time. Stateless.
#pragma once

#include "engine/segment/segment.h"
#include "engine/segment/verify/finding_list.h"

namespace pmdex {

// segment: from Segment::WithoutPageChecks.
void VerifyColumns(const Segment& segment, FindingList& findings);

}  // namespace pmdex
