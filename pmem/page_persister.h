// The persister of mappings that go through the page cache: copies by write(2) into the cache that
// the mapping shows, one msync of the range that was touched. libpmem2's own PAGE functions msync
// at every call and abort the process when it fails.
//
// What was copied or flushed is durable when Drain returns OK, as far as the file system keeps its
// word; a write or msync that failed is Drain's answer (status.h: by errno).
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "pmem/persister.h"

namespace pmdex {

// mapping: the whole shared mapping of fd from its offset 0; both outlive the persister. fd may be
// -1: nothing starts on its way to the medium before Drain. durable == false: Drain writes nothing
// through (the kernel will, some time).
std::unique_ptr<Persister> NewPagePersister(std::span<std::byte> mapping, int fd, bool durable);

}  // namespace pmdex
