// Which characters a regular expression requires. A dictionary may know which characters a term
// has, and then needs to try the expression on few terms. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <vector>

#include "query/language/regexp_tree.h"

namespace pmdex {

// Characters that every match contains, ascending; perhaps not all of them. They are numbered as in
// the tree. If nothing matches, any characters.
std::vector<uint32_t> RequiredCharacters(const RegexpTree& tree);

}  // namespace pmdex
