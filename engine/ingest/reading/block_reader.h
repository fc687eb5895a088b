// Reads the formats with many documents in a file. It cuts a file into blocks at the borders of
// records, so that no record lies in two blocks. One thread reads all bytes in their order; other
// readers may help with a part of a large file (SharedRead).
//
// Of a file that an earlier run has read in part, only the gaps are read. Every block knows which
// bytes of the file are done with it. A record that was skipped belongs to the next block.
//
// A block is handed over when it is full. Of standard input, what has come is handed over after
// IngestContext::longest_wait, too, as far as its records are whole.
//
// A record that fits into no block is handed over alone, in the oversize block. A record beyond the
// limit is reported and skipped; skipping takes bounded memory, however long the record is.
//
// Offsets in a compressed file are offsets in its text. One reader reads such a file, in order. To
// reach a gap it decompresses the text before the gap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "engine/ingest/formats/record_borders.h"
#include "engine/ingest/ingest_options.h"
#include "engine/ingest/pipeline/block_pool.h"
#include "engine/ingest/pipeline/ingest_context.h"
#include "engine/ingest/reading/compressed_input.h"
#include "engine/ingest/reading/file_schedule.h"
#include "engine/ingest/reading/input_file.h"
#include "engine/ingest/reading/reader_work.h"
#include "engine/ingest/resume/watermark.h"

namespace pmdex {

class BlockReader {
 public:
  // `schedule` is where the reader asks others for help. Without one it never does.
  BlockReader(IngestContext& context, ReaderWork& work, FileSchedule* schedule = nullptr)
      : context_(context), work_(work), schedule_(schedule) {}

  // Hands over blocks with all that is still to be read of the file. False if the run stops.
  bool Read(const InputFile& file);

 private:
  enum class Outcome { kMore, kEnd, kStopped };

  bool ReadGaps(const InputFile& file, const OpenedFile& opened, std::span<const Gap> gaps);
  // Reads the beginning of the gap together with others, if that pays. Afterwards the gap is what
  // is left. False if the run stops.
  bool ReadShared(const InputFile& file, const OpenedFile& opened, Gap& gap);
  // Moves the file to the beginning of the gap. kEnd if the file ends before that.
  Outcome SkipTo(const Gap& gap);
  // Reads the gap, or the part before the first border at or behind leave_at_. Afterwards the gap
  // is what is left. False if the run stops.
  bool ReadGap(const InputFile& file, Gap& gap);
  void Leave(Gap& gap);
  bool Start(const Gap& gap);
  // Counts the gaps as done, together with the next block.
  void PassOver(std::span<const Gap> gaps);
  void ReportChange(const InputFile& file, uint64_t size_bytes);
  // Like ReadFully; reads the text if the file is compressed, and reports it if that text ends too
  // early.
  int64_t ReadMore(char* bytes, size_t size_bytes);
  // If reading fails behind bytes of IngestContext::input_begin, returns these and keeps the error
  // in late_error_.
  int64_t ReadStandardInput(char* bytes, size_t size_bytes);
  void ReportReadError(int error);
  void CountRead(uint64_t size_bytes);
  // Reads more into the block. False at the end of the gap or of the file.
  bool Fill(Block& block, size_t most_bytes);
  // Hands over the whole records of the block, and begins the next block with the rest. Leaves a
  // block without a whole record if it is not full.
  Outcome Cut();
  Outcome ReadOversize();
  Outcome SkipRecord(BlockPtr block);
  // Hands over [0, border) of `block`. Then block_ is a new block with the rest.
  bool Split(BlockPtr block, size_t border);
  // Hands over the block, after which the file is done up to `end`.
  bool Push(BlockPtr block, uint64_t end);
  void MarkDone(uint64_t read_end, uint64_t end);
  BlockPtr NewBlock();
  void StampBlock(Block& block) const;
  // Whole lines are behind the reader: goes on with the time of the last one that has one.
  void PassTimes(std::string_view lines);

  IngestContext& context_;
  ReaderWork& work_;
  FileSchedule* const schedule_;
  const RecordBorders* borders_ = nullptr;
  InputFormat format_ = InputFormat::kLines;
  bool is_standard_input_ = false;
  int64_t mtime_ = 0;
  size_t offset_read_ = 0;  // how much of IngestContext::input_begin was read
  int late_error_ = 0;      // that Fill has yet to report; 0: none
  bool is_paused_ = false;  // whether what was read last of standard input is to be handed over
  uint64_t turns_ = 0;      // how many blocks standard input had so far
  std::shared_ptr<const std::string> path_;
  uint64_t input_ = 0;
  uint64_t ordinal_ = 0;
  int fd_ = -1;
  std::optional<CompressedInput> compressed_;
  bool seekable_ = false;
  bool failed_ = false;          // true if the file cannot be read any further
  uint64_t line_ = 1;            // of the first byte of the block
  std::optional<int64_t> time_;  // of the last line before the block that has one
  uint64_t offset_ = 0;          // in the file, of the first byte of the block
  uint64_t done_end_ = 0;        // the end of the blocks that were handed over
  uint64_t left_bytes_ = 0;      // how much of the gap is still to be read
  uint64_t leave_at_ = kToEnd;
  uint64_t alone_bytes_ = 0;  // how much to read alone when reading together has ended
  size_t limit_bytes_ = 0;
  BlockPtr block_;
};

}  // namespace pmdex
