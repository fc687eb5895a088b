// The terms of each document of a merge, for the bisection of documents by the terms that they
// share. Made of the posting lists of the sources, so the text of the documents is not needed.
// Deleted documents have none. Plain values.
//
// Terms of few documents tell little, and terms of very many documents tell little, too, and take
// most of the memory. So the terms of a middle document frequency are taken: as many as the memory
// allows, those of more documents first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/segment/merge/merge_source.h"
#include "pmem/status.h"

namespace pmdex {

struct ForwardIndex {
  // The terms of document d are terms[starts[d], starts[d + 1]), ascending. Documents are numbered
  // as in MergedDocs::Concatenate, terms from 0 on.
  std::vector<uint64_t> starts;
  std::vector<uint32_t> terms;
  uint32_t term_count = 0;

  size_t doc_count() const { return starts.size() - 1; }
  std::span<const uint32_t> TermsOf(DocId doc) const {
    return std::span(terms).subspan(starts[doc], starts[doc + 1] - starts[doc]);
  }
};

struct ForwardIndexOptions {
  // Terms of fewer documents are left out.
  uint32_t least_df = 8;
  // Terms of more than one in so many documents are left out.
  uint32_t most_df_divisor = 2;
  // For the postings and for what the caller keeps of each term. The eight bytes a document of
  // `starts` come on top.
  uint64_t memory_bytes = uint64_t{1} << 30;
  // The caller's share of that for each term.
  uint64_t bytes_per_term = 0;
  // Asked often; may be empty.
  std::function<bool()> stop = {};
};

// Reads the dictionaries of all sources three times and the lists of the terms twice. Returns
// kCancelled once stop returns true, and kDataLoss if a source is damaged. A lower memory_bytes
// leaves terms out, and at last all of them. Requires at least one source.
absl::StatusOr<ForwardIndex> BuildForwardIndex(std::span<const MergeSource> sources,
                                               const ForwardIndexOptions& options);

}  // namespace pmdex
