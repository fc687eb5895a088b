// The persister of mappings that go through the page cache: plain copies, one msync of the range
// that was touched. libpmem2's own PAGE functions msync at every call and abort the process when it
// fails.
#pragma once

#include <memory>

#include "pmem/persister.h"

namespace pmdex {

// durable == false: Drain writes nothing through (the kernel will, some time).
std::unique_ptr<Persister> NewPagePersister(bool durable);

}  // namespace pmdex
