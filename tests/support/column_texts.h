// The values of a document's columns as text, for tests that compare documents.
#pragma once

#include <map>
#include <string>

#include "engine/segment/segment.h"

namespace pmdex {

// By the name of the field. Numbers and dates are their 64 bits in decimal, signed where the type
// is; several values are separated by a comma. Fails the test if the segment is damaged.
std::map<std::string, std::string> ColumnTexts(const Segment& segment, DocId doc);

}  // namespace pmdex
