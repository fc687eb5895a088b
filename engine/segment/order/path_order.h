// The order of documents by their ids, for merges: with paths or URLs as ids, the documents of a
// directory become neighbours. What this function returns is an order as MergeInputOptions takes
// it. Pure; thread-safe.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/segment/merge/merge_source.h"
#include "pmem/status.h"

namespace pmdex {

// True if one path comes before the other in the order of a walk. The slash is before every other
// byte, so a directory's files come before those of directories whose names go on. Digits that
// follow one another compare as a number: line 9 is before line 10. A strict weak order.
bool IsPathBefore(std::string_view a, std::string_view b);

// The live documents in the order of their ids by IsPathBefore. Documents with the same id keep
// their order. Takes 24 bytes of memory for each document. stop: asked often; may be empty. Returns
// kCancelled once it returns true, and kDataLoss if a source is damaged.
absl::StatusOr<std::vector<DocId>> OrderByPath(std::span<const MergeSource> sources,
                                               const std::function<bool()>& stop);

}  // namespace pmdex
