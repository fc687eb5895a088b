// The deletions of a live index that snapshots do not show yet, or that are not durable yet.
// Documents have the numbers of added_document.h. `at` is the number of the write that deletes
// (write_condition.h). Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "absl/container/flat_hash_set.h"

#include "engine/segment/live_docs.h"

namespace pmdex {

class DeletionLog {
 public:
  // Requires that `at` is not below that of the last call, and that the document is not deleted.
  void Append(uint64_t at, uint64_t number);
  // True if Append was called for the document and Show did not return it yet.
  bool IsHidden(uint64_t number) const { return hidden_.contains(number); }
  // The documents that writes below `until` delete and that no earlier call returned, ascending.
  std::vector<uint64_t> Show(uint64_t until);
  // All documents that writes below `until` delete and that are not forgotten, ascending.
  std::vector<uint64_t> Before(uint64_t until) const;
  // Forgets writes below `until`. Requires that Show was called for them.
  void ForgetBefore(uint64_t until);

 private:
  struct Entry {
    uint64_t at = 0;
    uint64_t number = 0;
  };
  std::deque<Entry> entries_;  // ascending by at
  size_t shown_ = 0;           // of the first entries
  absl::flat_hash_set<uint64_t> hidden_;
};

// Those of the ascending numbers that are in [begin, begin + doc_count), as docids of a segment
// with these documents.
std::vector<DocId> DocsOf(std::span<const uint64_t> numbers, uint64_t begin, uint32_t doc_count);

// `before` without these documents; `before` itself if there are none.
std::shared_ptr<const LiveDocs> WithoutDocs(std::shared_ptr<const LiveDocs> before,
                                            uint32_t doc_count, std::span<const DocId> docs);

}  // namespace pmdex
