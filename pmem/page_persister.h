// The persister of mappings behind a page cache. It copies by write(2) into the page cache, and
// Drain makes one msync of the range that was touched. libpmem2 is not used, because its functions
// for pages call msync every time and abort the process if it fails.
//
// Bytes that were copied or flushed are durable once Drain has returned OK. Drain returns the error
// of a write or msync that failed (ErrnoStatus).
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "pmem/persister.h"

namespace pmdex {

// mapping: the shared mapping of all of fd. Both must outlive the persister. fd: may be -1; then
// nothing is written to the medium before Drain. durable: if false, Drain writes nothing to
// the medium, and the kernel writes the bytes later.
std::unique_ptr<Persister> NewPagePersister(std::span<std::byte> mapping, int fd, bool durable);

}  // namespace pmdex
