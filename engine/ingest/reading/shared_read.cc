#include "engine/ingest/reading/shared_read.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/cleanup/cleanup.h"

#include "engine/ingest/pipeline/block_pool.h"

namespace pmdex {
namespace {

constexpr uint64_t kLeastPieces = 4;

constexpr size_t RoundDown(size_t bytes) {
  return bytes / DirectFile::kAlignment * DirectFile::kAlignment;
}

// A quarter of the block; few records are larger.
size_t FrontBytes(size_t block_bytes) {
  return RoundDown(block_bytes / 4);
}

uint64_t PieceCount(const Gap& gap, uint64_t origin, uint64_t file_bytes, size_t piece_bytes) {
  const uint64_t end = std::min(gap.end, file_bytes);
  return end <= origin || piece_bytes == 0 ? 0 : (end - origin) / piece_bytes;
}

// One reader alone has one request under way: below this size the kernel's reading ahead is as
// good.
constexpr size_t kLeastDirectBytes = size_t{256} << 10;

DirectIo ModeFor(DirectIo asked, uint64_t pieces, size_t piece_bytes) {
  if (pieces < kLeastPieces) return DirectIo::kOff;
  return asked == DirectIo::kAuto && piece_bytes < kLeastDirectBytes ? DirectIo::kOff : asked;
}

}  // namespace

SharedRead::SharedRead(IngestContext& context, const InputFile& file,
                       std::shared_ptr<const std::string> path, const OpenedFile& opened,
                       const Gap& gap)
    : context_(context),
      path_(std::move(path)),
      format_(file.format),
      borders_(BordersOf(file.format)),
      walked_(file.walked),
      input_(file.input),
      ordinal_(file.ordinal),
      gap_(gap),
      mtime_(opened.mtime),
      front_bytes_(FrontBytes(context.pool.block_bytes())),
      piece_bytes_(RoundDown(context.pool.block_bytes() - front_bytes_)),
      origin_(RoundDown(gap.begin)),
      piece_count_(PieceCount(gap, origin_, opened.size_bytes, piece_bytes_)),
      file_(opened.fd, ModeFor(context.parameters.direct_io, piece_count_, piece_bytes_)),
      done_end_(gap.begin),
      line_(gap.first_line),
      time_(gap.time_before) {}

bool SharedRead::Pays() const {
  return front_bytes_ > 0 && piece_count_ >= kLeastPieces;
}

bool SharedRead::HasPieces() const {
  MutexLock lock(&mutex_);
  return !ended_ && taken_ < piece_count_;
}

std::optional<uint64_t> SharedRead::TakePiece() {
  MutexLock lock(&mutex_);
  if (ended_ || taken_ == piece_count_) return std::nullopt;
  return taken_++;
}

bool SharedRead::Work(ReaderWork& work) {
  while (HasPieces()) {
    // The block is acquired before the piece, so that a reader with a piece waits for nothing but
    // its turn.
    BlockPtr block = context_.pool.Acquire();
    if (block == nullptr) return false;
    const std::optional<uint64_t> number = TakePiece();
    if (!number.has_value()) return true;
    bool handed_over = false;
    // Others wait for the end of this turn, even when memory runs out in it; then nothing that
    // comes behind it may be handed over.
    const absl::Cleanup end_turn = [&] {
      AwaitTurn(*number);
      if (!handed_over) {
        context_.stopped.Set();
        End(kToEnd);
      }
      EndTurn();
    };
    const Piece piece = ReadPiece(*number, *block);
    AwaitTurn(*number);
    const bool going_on = HandOver(piece, std::move(block), work);
    handed_over = true;
    if (!going_on) return false;
  }
  return true;
}

SharedRead::Piece SharedRead::ReadPiece(uint64_t number, Block& block) {
  Piece piece;
  piece.number = number;
  char* const bytes = block.bytes + front_bytes_;
  const int64_t got = file_.Read(bytes, piece_bytes_, OffsetOf(number));
  piece.whole = got == static_cast<int64_t>(piece_bytes_);
  if (!piece.whole) return piece;
  size_t skipped = 0;
  if (number == 0) {
    skipped = static_cast<size_t>(gap_.begin - origin_);
    if (gap_.begin == 0) {
      piece.whole = !walked_ || !LooksBinary({bytes, piece_bytes_});
      skipped = ByteOrderMarkBytes({bytes, piece_bytes_});
    }
  }
  const std::string_view text(bytes + skipped, piece_bytes_ - skipped);
  const size_t border = borders_.last(text);
  if (context_.log_clock != nullptr && format_ == InputFormat::kLines) {
    // The first line of every other piece may have begun in the piece before.
    const size_t begin = number == 0 ? 0 : text.find('\n') + 1;
    if (begin < border) {
      const std::string_view lines = text.substr(begin, border - begin);
      piece.last_time = context_.log_clock->LastTimeIn(lines, mtime_);
    }
  }
  piece.begin = front_bytes_ + skipped;
  piece.border = piece.begin + border;
  piece.lines = CountLines(text.substr(0, border));
  piece.more_lines = CountLines(text.substr(border));
  block.size = front_bytes_ + piece_bytes_;
  return piece;
}

void SharedRead::AwaitTurn(uint64_t number) {
  for (;;) {
    const uint64_t turn = turn_.load(std::memory_order_acquire);
    if (turn == number) return;
    turn_.wait(turn, std::memory_order_acquire);
  }
}

void SharedRead::EndTurn() {
  turn_.fetch_add(1);
  turn_.notify_all();
}

bool SharedRead::HandOver(const Piece& piece, BlockPtr block, ReaderWork& work) {
  if (context_.stopped.IsSet()) return false;
  if (broken_) return true;
  if (!piece.whole || piece.border == piece.begin || rest_.size() > front_bytes_) {
    // Behind a record that is too large readers can go on together; not behind anything else.
    End(piece.whole ? OffsetOf(piece.number + 1) : kToEnd);
    return true;
  }
  const uint64_t end = OffsetOf(piece.number) + piece.border - front_bytes_;
  block->format = format_;
  block->path = path_;
  block->ordinal = ordinal_;
  block->first_line = line_;
  block->mtime = mtime_;
  block->time_before = time_;
  line_ += rest_lines_ + piece.lines;
  Prepend(piece, *block);
  KeepRest(piece, *block);
  block->size = piece.border;
  PassTimes(piece, *block);
  work.done.bytes_in += end - done_end_;
  work.done.bytes.push_back({ordinal_, {input_, *path_}, {done_end_, end, line_, time_}});
  context_.counters.bytes_done += end - done_end_;
  done_end_ = end;
  block->origin = work.Take();
  return context_.blocks.Push(std::move(block));
}

void SharedRead::PassTimes(const Piece& piece, const Block& block) {
  if (context_.log_clock == nullptr || format_ != InputFormat::kLines) return;
  if (piece.last_time.has_value()) {
    time_ = piece.last_time;
    return;
  }
  const std::string_view text = block.text();
  const auto first = context_.log_clock->TimeOf(text.substr(0, text.find('\n')), mtime_);
  if (first.has_value()) time_ = first;
}

void SharedRead::Prepend(const Piece& piece, Block& block) {
  block.begin = piece.begin - rest_.size();
  std::memcpy(block.bytes + block.begin, rest_.data(), rest_.size());
}

void SharedRead::KeepRest(const Piece& piece, const Block& block) {
  rest_.assign(block.bytes + piece.border, block.size - piece.border);
  rest_lines_ = piece.more_lines;
}

void SharedRead::End(uint64_t shared_again) {
  broken_ = true;
  shared_again_ = shared_again;
  MutexLock lock(&mutex_);
  ended_ = true;
}

SharedRead::Rest SharedRead::AwaitRest() {
  uint64_t taken = 0;
  {
    MutexLock lock(&mutex_);
    ended_ = true;
    taken = taken_;
  }
  AwaitTurn(taken);
  return {{done_end_, gap_.end, line_, time_}, shared_again_};
}

}  // namespace pmdex
