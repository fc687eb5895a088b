// An index as the server answers from it: one generation, with the name that requests use. A
// request keeps its copy until its answer is made, so that a newer generation can take its place
// meanwhile. Immutable and thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/store/placement/segment_nodes.h"
#include "query/searcher.h"

namespace pmdex {

class IndexDefinition;
class WrittenIndex;

struct ServedIndex {
  std::string name;       // unique among the indexes of a server
  std::string directory;  // the path that it was opened with
  std::shared_ptr<const Searcher> searcher;
  // Where its segments lie; nullptr on a machine with one NUMA node, and for an index that the
  // server itself writes.
  std::shared_ptr<const SegmentNodes> nodes = nullptr;
  // Of an index that the server itself writes (writing/written_index.h); else nullptr.
  std::shared_ptr<WrittenIndex> written = nullptr;
  std::shared_ptr<const IndexDefinition> definition = nullptr;
  // The searcher has the writes whose numbers are below this one.
  uint64_t writes_end = 0;
  uint64_t edition = 0;  // differs between any two states of indexes that the server writes
  // True if the searcher shows only what one user may see, which may change at any time.
  bool is_of_a_user = false;
};

}  // namespace pmdex
