// Notes for the memtable of one indexer thread where its documents come from (input_order.h). Not
// thread-safe.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/ingest/pipeline/block_pool.h"
#include "engine/ingest/resume/input_order.h"

namespace pmdex {

class InputRuns {
 public:
  // The documents that follow are those of this block, which must outlive them.
  void BeginBlock(const Block& block);
  // Goes on to the next document of the block, whether it is indexed or not.
  void NextDocument() { ++document_; }
  // The document gets this docid of the memtable. May be called again for the same document, after
  // Take or with the same docid.
  void Note(uint32_t doc);
  // The runs of the memtable that ends here.
  std::vector<InputRun> Take();

 private:
  const Block* block_ = nullptr;
  uint64_t document_ = 0;  // of the block, counted from 1
  bool noted_ = false;     // the memtable has a run of this block
  std::vector<InputRun> runs_;
};

}  // namespace pmdex
