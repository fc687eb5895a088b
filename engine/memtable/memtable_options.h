// What a memtable is made with, and its limits. Plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "engine/analysis/analyzer.h"
#include "engine/memtable/chunk_pool.h"
#include "engine/memtable/field_names.h"
#include "pmem/cpu_features.h"

namespace pmdex {

// Lucene's gap between two values of a field, so that no phrase spans both.
inline constexpr uint32_t kPositionGap = 100;

struct MemtableLimits {
  static constexpr size_t kMaxIdBytes = 32766;  // Lucene's longest term
  static constexpr uint32_t kMaxDocs = uint32_t{1} << 30;
  // Tokens of one document, removed stop words included: postings have no room for larger
  // positions.
  static constexpr uint32_t kMaxDocTokens = uint32_t{1} << 30;
};

struct MemtableOptions {
  static constexpr uint32_t kDefaultIndexDepth = 8;
  static constexpr uint32_t kMinIndexDepth = 2;
  static constexpr uint32_t kMaxIndexDepth = 1024;
  static constexpr uint32_t kDefaultSplitFactor = 1;
  static constexpr uint32_t kMaxSplitFactor = 256;

  AnalyzerKind analyzer = AnalyzerKind::kStandard;
  // The analyzer to use; it outlives the last AddField, and nobody else uses it meanwhile. nullptr:
  // the memtable makes one of the kind `analyzer`, which must not be kCustom then.
  Analyzer* shared_analyzer = nullptr;
  bool positions = true;
  bool store_text = false;
  // Once memory_bytes() is above this limit, the memtable drops the tokens that follow and sets
  // over_limit(). The reason: a document of nothing but new words takes up to a hundred times its
  // size.
  size_t limit_bytes = std::numeric_limits<size_t>::max();
  // How many postings of four bytes the first slice of a term holds. The memtable rounds the number
  // up to a power of two. From kMinIndexDepth to kMaxIndexDepth.
  uint32_t index_depth = kDefaultIndexDepth;
  // How many parts the hash table of terms has; each part grows by itself. A power of two, at most
  // kMaxSplitFactor.
  uint32_t split_factor = kDefaultSplitFactor;
  // So many terms of each kind (term_entry.h) find room in each part before its hash table grows.
  // Takes 12 to 24 bytes for each in each part, at once.
  size_t expected_terms = 0;
  // The kernels that find words and decode postings; the content does not depend on it. Requires
  // IsUsable(simd).
  SimdLevel simd = BestSimdLevel();
  // Where arenas take their chunks from, and the group whose chunks they take. The pool outlives
  // the memtable. nullptr: the system.
  ChunkPool* chunks = nullptr;
  size_t chunk_group = 0;
  // Decides which names have a field of their own; outlives the last AddField. nullptr: the first
  // kMaxFields names of the memtable.
  FieldNames* field_names = nullptr;
};

}  // namespace pmdex
