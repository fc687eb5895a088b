// The reading half of the formats with many documents in a file: cuts a file into blocks at the
// borders of records, so that no record lies in two blocks. One thread.
//
// A record that fits into no block travels alone in the oversize block; one beyond the limit is
// reported and skipped, with bounded memory however long it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/ingest/ingest_context.h"
#include "engine/ingest/input_file.h"

namespace pmdex {

// Where records of a format end. Both return an offset behind a record (0 < border <= size), or 0
// when there is none.
struct RecordBorders {
  size_t (*last)(std::string_view text);
  // The first border that needs bytes at or behind `from`.
  size_t (*first)(std::string_view text, size_t from);
  ProblemKind too_large;
};
const RecordBorders& BordersOf(InputFormat format);  // kLines, kJsonl, kTrec

class BlockReader {
 public:
  explicit BlockReader(IngestContext& context) : context_(context) {}

  // Hands over all blocks of the file. False when the run stops.
  bool Read(const InputFile& file);

 private:
  enum class Outcome { kMore, kEnd, kStopped };

  bool Start(const InputFile& file);
  // Reads more into the block; false at the end of the file.
  bool Fill(Block& block, size_t most_bytes);
  // The block is full: hands over its whole records, and starts the next block with the rest.
  Outcome Cut();
  Outcome ReadOversize();
  Outcome SkipRecord(BlockPtr block);
  // Hands over [0, border) of `block`; block_ becomes a new block with the rest.
  bool Split(BlockPtr block, size_t border);
  bool Push(BlockPtr block);
  BlockPtr NewBlock();
  void StampBlock(Block& block) const;

  IngestContext& context_;
  const RecordBorders* borders_ = nullptr;
  InputFormat format_ = InputFormat::kLines;
  std::shared_ptr<const std::string> path_;
  int fd_ = -1;
  uint64_t line_ = 1;  // of the first byte of the block
  size_t limit_bytes_ = 0;
  BlockPtr block_;
};

}  // namespace pmdex
