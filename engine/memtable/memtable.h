// An inverted index in DRAM, owned by one indexer thread and shared with nobody. Documents go in;
// at flush it is the SegmentInput of one segment. Not thread-safe.
//
// One document: BeginDocument, AddField any number of times (a repeated field continues it, a gap
// of kPositionGap between the values), EndDocument or AbandonDocument. A document's length is the
// number of its tokens, whatever their positions.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/analysis/analyzer.h"
#include "engine/memtable/chunk_pool.h"
#include "engine/memtable/field_names.h"
#include "engine/segment/segment_input.h"
#include "pmem/status.h"

namespace pmdex {

inline constexpr uint32_t kPositionGap =
    100;  // Lucene's gap between values, so that no phrase spans two

struct MemtableOptions {
  AnalyzerKind analyzer = AnalyzerKind::kStandard;
  bool positions = true;
  bool store_text = false;
  // Tokens that come when memory_bytes() is beyond this are dropped, and over_limit() says so: one
  // document of nothing but new words takes up to a hundred times its size.
  size_t limit_bytes = std::numeric_limits<size_t>::max();
  // How many postings of four bytes a term's first slice takes when they outgrow its entry: rounded
  // up to a power of two, at most kMaxIndexDepth.
  uint32_t index_depth = kDefaultIndexDepth;
  // Parts of the vocabulary, each of which grows for itself: a power of two, at most
  // kMaxSplitFactor.
  uint32_t split_factor = kDefaultSplitFactor;
  // Where arenas take their chunks from, and which lane of it; outlives the memtable. nullptr: from
  // the system.
  ChunkPool* chunks = nullptr;
  // Which names have a field of their own; outlives the last AddField. nullptr: the first
  // kMaxFields of the memtable.
  FieldNames* field_names = nullptr;
  size_t chunk_lane = 0;

  static constexpr uint32_t kDefaultIndexDepth = 8;
  static constexpr uint32_t kMaxIndexDepth = 1024;
  static constexpr uint32_t kDefaultSplitFactor = 1;
  static constexpr uint32_t kMaxSplitFactor = 256;
};

class Memtable {
 public:
  explicit Memtable(const MemtableOptions& options);
  ~Memtable();

  // Requires at most kMaxIdBytes, and fewer than kMaxDocs documents so far.
  void BeginDocument(std::string_view id);
  // text need not outlive the call. Requires fewer than kMaxDocTokens tokens in a document, removed
  // stop words included: postings have room for no larger positions. False when the name has no
  // field of its own: the text is then another value of kOtherField (field_names.h).
  bool AddField(std::string_view field, std::string_view text);
  void EndDocument();
  // Instead of EndDocument: the document was never there. The memtable then takes no other.
  void AbandonDocument();
  // Whether tokens of the open document were dropped.
  bool over_limit() const;

  uint32_t doc_count() const;
  uint64_t token_count() const;
  // The bytes held, exactly, plus the greater of what the table's slots take now and what Freeze
  // and WriteSegment will need when they are gone: the most that is held at a time until the
  // segment is written. The latter is as of when the bytes of arena and entries, and postings, were
  // at most a 256th fewer.
  size_t memory_bytes() const;
  size_t flush_bytes() const;  // what the flush needs, as of now; for tests alone
  // Addresses in the arena, of up to `most` documents evenly spread: to ask where its memory lies.
  std::vector<const void*> SamplePages(size_t most) const;

  // Sorts the terms and closes the stored text; afterwards the memtable is only read, through the
  // input, which it owns. OpenTerms and OpenSomeTerms of the input end the streams opened before.
  absl::StatusOr<SegmentInput*> Freeze();

  static constexpr size_t kMaxIdBytes = 32766;  // Lucene's longest term
  static constexpr uint32_t kMaxDocs = uint32_t{1} << 30;
  static constexpr uint32_t kMaxDocTokens = uint32_t{1} << 30;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pmdex
