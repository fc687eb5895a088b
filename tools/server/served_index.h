// An index as the server answers from it: one generation, with the name that requests use. A
// request keeps its copy until its answer is made, so that a newer generation can take its place
// meanwhile. Immutable and thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "query/searcher.h"

namespace pmdex {

struct ServedIndex {
  std::string name;       // unique among the indexes of a server
  std::string directory;  // the path that it was opened with
  std::shared_ptr<const Searcher> searcher;
};

}  // namespace pmdex
