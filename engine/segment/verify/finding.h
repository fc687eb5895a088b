// What the verifiers of segments and of indexes report.
#pragma once

#include <cstdint>
#include <string>

namespace pmdex {

// One place of a file that is not as docs/FORMAT.md says.
struct Finding {
  std::string file;
  std::string section;  // "header page", or the ToString of the SectionKind
  uint64_t offset = 0;  // from the start of the section
  std::string what;     // what is wrong there
};

}  // namespace pmdex
