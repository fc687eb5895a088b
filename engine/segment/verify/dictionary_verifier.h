// Verifies the term dictionary of a segment: first each bucket of the hash table, then the terms in
// order with their entries and posting lists. Part of verifier.h. Belongs to one thread.
#pragma once

#include "engine/segment/segment.h"
#include "engine/segment/verify/finding_list.h"

namespace pmdex {

// segment: from Segment::WithoutPageChecks. Stops when `findings` is full.
void VerifyDictionary(const Segment& segment, FindingList& findings);

}  // namespace pmdex
