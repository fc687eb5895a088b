// A stretch of one large file that any number of readers read together, so that one huge file keeps
// all of them busy. It is cut into pieces of a size, aligned for direct reading; a reader takes the
// next piece, reads it, counts its lines, finds its last border of records, and waits for its turn.
// In its turn it puts what was left of the piece before in front of its own, knows by then the
// number of its first line, and hands over the block: blocks come out in the order of the file, no
// record lies in two of them, and no byte is read twice.
//
// What a turn cannot do ends the shared part at the last border, and the sequential BlockReader
// goes on from there: records that do not fit, the end of the file, errors, files that have
// changed. Where they are done depends on the reader; what they become does not.
//
// Thread-safe, but for AwaitRest, which is the owner's. Borrows the open file until AwaitRest.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"

#include "engine/ingest/formats/record_borders.h"
#include "engine/ingest/ingest_options.h"
#include "engine/ingest/pipeline/ingest_context.h"
#include "engine/ingest/reading/direct_file.h"
#include "engine/ingest/reading/input_file.h"
#include "engine/ingest/reading/reader_work.h"
#include "engine/ingest/resume/watermark.h"
#include "pmem/mutex.h"

namespace pmdex {

class SharedRead {
 public:
  // The beginning of `gap`, as far as whole pieces of the open file reach.
  SharedRead(IngestContext& context, const InputFile& file, std::shared_ptr<const std::string> path,
             const OpenedFile& opened, const Gap& gap);

  // Whether there are enough pieces in it to be worth it.
  bool Pays() const;
  bool HasPieces() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Reads pieces until there are none to take. False when the run stops.
  bool Work(ReaderWork& work) ABSL_LOCKS_EXCLUDED(mutex_);

  struct Rest {
    Gap gap;                // still to be read; empty (begin == end) when nothing is left
    uint64_t shared_again;  // from the first border at or behind this; kToEnd: not any more
  };
  // Waits for all pieces that somebody has taken.
  Rest AwaitRest() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Piece {
    uint64_t number = 0;
    bool whole = false;  // read as it should be
    size_t begin = 0;    // in the block, of its text
    size_t border = 0;   // in the block, behind the last whole record; `begin` when there is none
    uint64_t lines = 0;  // before the border
    uint64_t more_lines = 0;  // behind it
  };

  std::optional<uint64_t> TakePiece() ABSL_LOCKS_EXCLUDED(mutex_);
  Piece ReadPiece(uint64_t number, Block& block);
  uint64_t OffsetOf(uint64_t number) const { return origin_ + number * piece_bytes_; }
  void AwaitTurn(uint64_t number);
  void EndTurn();
  // The rest, in the turn of the piece. False when the run stops.
  bool HandOver(const Piece& piece, BlockPtr block, ReaderWork& work);
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
  const size_t front_bytes_;  // of a block, for what is left of the piece before
  const size_t piece_bytes_;
  const uint64_t origin_;  // of the first piece: the beginning of the gap, rounded down
  const uint64_t piece_count_;
  DirectFile file_;

  mutable Mutex mutex_;
  uint64_t taken_ ABSL_GUARDED_BY(mutex_) = 0;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;

  // The piece whose turn it is. Its reader owns everything below; after the last one the owner
  // does.
  std::atomic<uint64_t> turn_{0};
  bool broken_ = false;  // nothing is handed over any more
  uint64_t shared_again_ = kToEnd;
  uint64_t done_end_;  // up to here blocks were handed over
  uint64_t line_;      // that begins there
  std::string rest_;   // read behind it
  uint64_t rest_lines_ = 0;
};

}  // namespace pmdex
