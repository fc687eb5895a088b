// Writes chosen documents as segments of another index: the second half of set operations. The
// segments become visible when the caller publishes.
#pragma once

#include <cstdint>
#include <functional>

#include "engine/columns/field_spec.h"
#include "engine/store/index_writer.h"
#include "engine/store/sets/chosen_documents.h"
#include "pmem/status.h"

namespace pmdex {

struct WriteDocumentsOptions {
  // Segments are merged into one as long as their files have at most so many bytes together.
  uint64_t most_merged_bytes = uint64_t{5} << 30;
  // Asked often; writing ends with kCancelled once it returns true. May be empty.
  std::function<bool()> stop;
};

// Documents keep their order. Takes the memory of a merge (merge_input.h). Returns kCancelled, the
// errors of IndexWriter::WriteSegment, and kDataLoss if a source is damaged; what was written by
// then is not to be published.
absl::Status WriteDocuments(const ChosenDocuments& documents, const WriteDocumentsOptions& options,
                            IndexWriter& writer);

// The fields of an index with documents of both: those of both, which take arrays where one of them
// does. Returns kInvalidArgument if a field has different types.
absl::StatusOr<FieldSpecs> JoinFields(const FieldSpecs& a, const FieldSpecs& b);

}  // namespace pmdex
