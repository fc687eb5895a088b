// How the units of a compressed segment are read past the page cache: through a block cache that
// many segments share, from the segment's file, which is open beside its mapping. Thread-safe.
#pragma once

#include <memory>

#include "pmem/block_io/block_cache.h"
#include "pmem/block_io/uncached_file.h"

namespace pmdex {

struct UncachedUnits {
  std::shared_ptr<BlockCache> cache;
  std::unique_ptr<UncachedFile> file;
};

}  // namespace pmdex
