// The persister of mappings behind a page cache. It copies by write(2) into the page cache. The
// fsync of the file, which follows all writes (WritableFile::Seal), makes the bytes durable; an
// msync before it would only wait once more. libpmem2 is not used, because its functions for pages
// call msync every time and abort the process if it fails.
//
// Bytes that were copied or stored are durable once fsync has returned OK. Drain returns the error
// of a write that failed (ErrnoStatus).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "pmem/persister.h"
#include "pmem/status.h"

namespace pmdex {

// mapping: the shared mapping of all of fd. Both must outlive the persister. fd: may be -1; then
// bytes are copied through the mapping. durable: if true, the kernel begins to write to the medium
// before fsync is called.
std::unique_ptr<Persister> NewPagePersister(std::span<std::byte> mapping, int fd, bool durable);

// Puts the bytes into the page cache of a file without its mapping. No page is then zeroed, faulted
// in or counted as memory of this process, and a full medium gives an error instead of a signal.
// Returns the error of write(2).
absl::Status WriteThroughFile(int fd, uint64_t offset, std::span<const std::byte> bytes);

}  // namespace pmdex
