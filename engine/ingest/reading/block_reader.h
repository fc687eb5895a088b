// The reading half of the formats with many documents in a file: cuts a file into blocks at the
// borders of records, so that no record lies in two blocks. One thread, which takes all bytes in
// their order; of a large file it lets other readers have a part (SharedRead) when it may.
//
// Of a file that an earlier run has done in part only the gaps are read. Every block knows which
// bytes of the file are done with it; a record that was skipped belongs to the next one.
//
// A record that fits into no block travels alone in the oversize block; one beyond the limit is
// reported and skipped, with bounded memory however long it is.
//
// Of a compressed file all of this is about its text, which is read in order and by one reader;
// gaps in it are reached by decompressing what comes before them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/ingest/formats/record_borders.h"
#include "engine/ingest/ingest_options.h"
#include "engine/ingest/pipeline/ingest_context.h"
#include "engine/ingest/reading/compressed_input.h"
#include "engine/ingest/reading/file_schedule.h"
#include "engine/ingest/reading/input_file.h"
#include "engine/ingest/reading/reader_work.h"

namespace pmdex {

class BlockReader {
 public:
  // `schedule`: where help is asked for. Without, files are never read together.
  BlockReader(IngestContext& context, ReaderWork& work, FileSchedule* schedule = nullptr)
      : context_(context), work_(work), schedule_(schedule) {}

  // Hands over all blocks of what is still to be done of the file. False when the run stops.
  bool Read(const InputFile& file);

 private:
  enum class Outcome { kMore, kEnd, kStopped };

  bool ReadGaps(const InputFile& file, const OpenedFile& opened, std::span<const Gap> gaps);
  // Reads the beginning of the gap together with others, if that pays; afterwards the gap is what
  // is left. False when the run stops.
  bool ReadShared(const InputFile& file, const OpenedFile& opened, Gap& gap);
  // Brings the file to the beginning of the gap; kEnd: it ends before that.
  Outcome SkipTo(const Gap& gap);
  // Reads the gap, or of it what comes before the first border at or behind leave_at_. Afterwards
  // the gap is what is left. False when the run stops.
  bool ReadGap(const InputFile& file, Gap& gap);
  void Leave(Gap& gap);
  bool Start(const Gap& gap);
  // What is left of the file counts as done, from this gap on; it comes with the next block.
  void PassOver(std::span<const Gap> gaps);
  void ReportChange(const InputFile& file, uint64_t size_bytes);
  // As ReadFully, of the text where the file is compressed. What ends that before its end is
  // reported.
  int64_t ReadMore(char* bytes, size_t size_bytes);
  void CountRead(uint64_t size_bytes);
  // Reads more into the block; false at the end of the gap, or of the file.
  bool Fill(Block& block, size_t most_bytes);
  // The block is full: hands over its whole records, and starts the next block with the rest.
  Outcome Cut();
  Outcome ReadOversize();
  Outcome SkipRecord(BlockPtr block);
  // Hands over [0, border) of `block`; block_ becomes a new block with the rest.
  bool Split(BlockPtr block, size_t border);
  // Hands over the block; the file is then done up to `end`.
  bool Push(BlockPtr block, uint64_t end);
  void MarkDone(uint64_t read_end, uint64_t end);
  BlockPtr NewBlock();
  void StampBlock(Block& block) const;

  IngestContext& context_;
  ReaderWork& work_;
  FileSchedule* const schedule_;
  const RecordBorders* borders_ = nullptr;
  InputFormat format_ = InputFormat::kLines;
  bool is_standard_input_ = false;
  uint64_t turns_ = 0;  // of its blocks so far: only one reader ever reads it
  std::shared_ptr<const std::string> path_;
  uint64_t input_ = 0;
  uint64_t ordinal_ = 0;
  int fd_ = -1;
  std::optional<CompressedInput> compressed_;
  bool seekable_ = false;
  bool failed_ = false;      // the file cannot be read any further
  uint64_t line_ = 1;        // of the first byte of the block
  uint64_t offset_ = 0;      // in the file, of the first byte of the block
  uint64_t done_end_ = 0;    // up to here the blocks that were handed over reach
  uint64_t left_bytes_ = 0;  // of the gap, still to be read
  uint64_t leave_at_ = kToEnd;
  uint64_t alone_bytes_ = 0;  // to be read alone where reading together comes to an end
  size_t limit_bytes_ = 0;
  BlockPtr block_;
};

}  // namespace pmdex
