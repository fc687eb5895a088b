// A range of one large file that several readers read together. The range is cut into pieces of one
// size, aligned for direct reading. Each reader takes the next piece, reads it, counts its lines,
// finds the last border of records in it, and waits for its turn. In its turn it puts the rest of
// the piece before in front of its own text and hands over the block. So blocks come out in the
// order of the file, with the right line numbers; no record lies in two of them, and no byte is
// read twice.
//
// Some cases end the range at the last border: a record that does not fit, the end of the file, an
// error, or a file that has changed. The sequential BlockReader then goes on from there. The
// documents are the same in either case.
//
// Thread-safe, except AwaitRest, which only the owner calls. Borrows the open file until AwaitRest.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"

#include "engine/ingest/formats/record_borders.h"
#include "engine/ingest/ingest_options.h"
#include "engine/ingest/pipeline/block_pool.h"
#include "engine/ingest/pipeline/ingest_context.h"
#include "engine/ingest/reading/direct_file.h"
#include "engine/ingest/reading/input_file.h"
#include "engine/ingest/reading/reader_work.h"
#include "engine/ingest/resume/watermark.h"
#include "pmem/mutex.h"

namespace pmdex {

class SharedRead {
 public:
  // Covers the beginning of `gap`, as far as whole pieces of the open file reach.
  SharedRead(IngestContext& context, const InputFile& file, std::shared_ptr<const std::string> path,
             const OpenedFile& opened, const Gap& gap);

  // True if there are enough pieces for reading together to pay.
  bool Pays() const;
  bool HasPieces() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Reads pieces until there are none left to take. False if the run stops.
  bool Work(ReaderWork& work) ABSL_LOCKS_EXCLUDED(mutex_);

  struct Rest {
    Gap gap;  // what is still to be read; empty (begin == end) if that is nothing
    // Reading together may begin again from the first border at or behind this; kToEnd: never.
    uint64_t shared_again;
  };
  // Waits until all pieces that readers have taken are done.
  Rest AwaitRest() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Piece {
    uint64_t number = 0;
    bool whole = false;  // true if all of the piece could be read
    size_t begin = 0;    // in the block, of its text
    size_t border = 0;   // in the block, behind the last whole record; `begin` if there is none
    uint64_t lines = 0;  // before the border
    uint64_t more_lines = 0;  // behind it
    // Of the last line before the border that begins in the piece and has a time.
    std::optional<int64_t> last_time;
  };

  std::optional<uint64_t> TakePiece() ABSL_LOCKS_EXCLUDED(mutex_);
  Piece ReadPiece(uint64_t number, Block& block);
  uint64_t OffsetOf(uint64_t number) const { return origin_ + number * piece_bytes_; }
  void AwaitTurn(uint64_t number);
  void EndTurn();
  // Hands over the block in the turn of its piece. False if the run stops.
  bool HandOver(const Piece& piece, BlockPtr block, ReaderWork& work);
  // Goes on with the time of the last line of the block that has one.
  void PassTimes(const Piece& piece, const Block& block);
  void Prepend(const Piece& piece, Block& block);
  void KeepRest(const Piece& piece, const Block& block);
  void End(uint64_t shared_again) ABSL_LOCKS_EXCLUDED(mutex_);

  IngestContext& context_;
  const std::shared_ptr<const std::string> path_;
  const InputFormat format_;
  const RecordBorders& borders_;
  const bool walked_;
  const uint64_t input_;
  const uint64_t ordinal_;
  const Gap gap_;
  const int64_t mtime_;
  const size_t front_bytes_;  // the room in a block for the rest of the piece before
  const size_t piece_bytes_;
  const uint64_t origin_;  // where the first piece begins: the beginning of the gap, rounded down
  const uint64_t piece_count_;
  DirectFile file_;

  mutable Mutex mutex_;
  uint64_t taken_ ABSL_GUARDED_BY(mutex_) = 0;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;

  // The piece whose turn it is. Its reader owns the members below; after the last piece the owner
  // of this object does.
  std::atomic<uint64_t> turn_{0};
  bool broken_ = false;  // true if no more blocks are handed over
  uint64_t shared_again_ = kToEnd;
  uint64_t done_end_;            // the end of the blocks that were handed over
  uint64_t line_;                // the number of the line that begins at done_end_
  std::optional<int64_t> time_;  // of the last line before done_end_ that has one
  std::string rest_;             // the text that was read behind done_end_
  uint64_t rest_lines_ = 0;
};

}  // namespace pmdex
