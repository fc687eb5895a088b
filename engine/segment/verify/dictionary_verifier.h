// The part of the verifier that walks the dictionary: the entries by themselves, then the terms in
// order, each against its entry and its posting list. Belongs to one thread.
#pragma once

#include "engine/segment/segment.h"
#include "engine/segment/verify/finding_list.h"

namespace pmdex {

// segment: without page checks (Segment::WithoutPageChecks). Stops when the findings are full.
void VerifyDictionary(const Segment& segment, FindingList& findings);

}  // namespace pmdex
