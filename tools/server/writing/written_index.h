// What the answers of the server ask of an index that it writes itself, besides its searcher: the
// newest documents, and the versions of documents. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/live/live_index.h"
#include "pmem/status.h"

namespace pmdex {

struct NewestDocument {
  FoundDocument found;
  uint64_t version = 1;
};

class WrittenIndex {
 public:
  virtual ~WrittenIndex() = default;
  // The latest document with this id, whether searches find it yet or not. Does not wait for
  // merges. IndexNotFound (api_error.h) once the index is closed.
  virtual absl::StatusOr<std::optional<NewestDocument>> FindNewest(std::string_view id) = 0;
};

}  // namespace pmdex
