// An index for tests of algorithms over windows: terms "t0" (in nearly every document) to "t11" (in
// a handful) in the fields body and title, over several windows of documents and all
// representations; some documents are long, some frequencies escape, and many documents are alike,
// so that scores tie.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/store/snapshot.h"
#include "pmem/directory.h"

namespace pmdex {

// A segment for each of the counts; whitespace analyzer, positions. The directory must outlive it.
std::shared_ptr<const Snapshot> WriteWindowedIndex(Directory& directory,
                                                   const std::vector<uint32_t>& doc_counts);

}  // namespace pmdex
