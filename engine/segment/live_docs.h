// Which documents of a segment are not deleted, as a bitmap beside the segment. A segment whose
// documents are all live has none. Deleting further documents makes another bitmap; a bitmap itself
// never changes. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/segment/format.h"
#include "engine/segment/live_counts.h"

namespace pmdex {

class LiveDocs {
 public:
  // The number of words() for so many documents: whole groups of 512 documents.
  static constexpr size_t WordCount(uint32_t doc_count) {
    return (static_cast<size_t>(doc_count) + 511) / 512 * 8;
  }
  // All documents but `deleted`, which may have any order and repetitions. Requires that they are
  // below doc_count.
  static LiveDocs Without(uint32_t doc_count, std::span<const DocId> deleted);
  // The documents of `before` (of all doc_count documents if it is nullptr) but `deleted`.
  static LiveDocs Without(const LiveDocs* before, uint32_t doc_count,
                          std::span<const DocId> deleted);
  // A bitmap in memory that `owner` keeps, such as a mapped file. Requires WordCount(doc_count)
  // words in which the bits from doc_count on are 0, and live_count bits.
  LiveDocs(uint32_t doc_count, uint32_t live_count, std::span<const uint64_t> words,
           std::shared_ptr<const void> owner);

  uint32_t doc_count() const { return doc_count_; }  // of the segment, deleted ones included
  uint32_t live_count() const { return live_count_; }
  uint32_t deleted_count() const { return doc_count_ - live_count_; }
  bool IsLive(DocId doc) const { return (words_[doc / 64] >> (doc % 64) & 1) != 0; }
  // Bit d % 64 of word d / 64 is 1 if document d is live. The bits from doc_count on are 0.
  std::span<const uint64_t> words() const { return words_; }
  // What is known of posting lists under this bitmap. A copy of the bitmap has the same.
  LiveCounts& counts() const { return *counts_; }

 private:
  uint32_t doc_count_;
  uint32_t live_count_;
  std::span<const uint64_t> words_;
  std::shared_ptr<const void> owner_;
  std::shared_ptr<LiveCounts> counts_;
};

// True if the document is not deleted. live_docs: nullptr if all documents are live.
inline bool IsLive(const LiveDocs* live_docs, DocId doc) {
  return live_docs == nullptr || live_docs->IsLive(doc);
}

}  // namespace pmdex
