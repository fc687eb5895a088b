#include "engine/ingest/reading/block_reader.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

#include "engine/ingest/formats/trec.h"
#include "engine/ingest/pipeline/block_pool.h"
#include "engine/ingest/problem_kind.h"
#include "engine/ingest/reading/shared_read.h"
#include "engine/ingest/resume/watermark.h"
#include "pmem/check.h"
#include "pmem/exhaustion.h"

namespace pmdex {
namespace {

constexpr size_t kOversizeReadBytes = size_t{256} << 10;

// The size that a file must still have when these ranges of it were read.
uint64_t BytesNeeded(std::span<const DoneRange> done) {
  if (done.empty()) return 0;
  return done.back().end == kToEnd ? done.back().begin : done.back().end;
}

}  // namespace

bool BlockReader::Read(const InputFile& file) {
  format_ = file.format;
  is_standard_input_ = file.path == kStandardInput && !file.walked;
  borders_ = &BordersOf(format_);
  path_ = std::make_shared<const std::string>(file.path);
  input_ = file.input;
  ordinal_ = file.ordinal;
  offset_ = 0;
  is_paused_ = false;
  limit_bytes_ = format_ == InputFormat::kJsonl ? context_.parameters.memory.json_limit_bytes
                                                : context_.parameters.memory.document_limit_bytes;
  const std::vector<Gap> gaps = GapsBetween(file.done);
  const auto opening = OpenInput(file, work_.problems);
  if (!opening.ok()) {
    work_.error = opening.status();
    return false;
  }
  const std::optional<OpenedFile>& opened = *opening;
  if (!opened.has_value()) {
    context_.counters.bytes_done += file.size_bytes;
    PassOver(gaps);
    return true;
  }
  fd_ = opened->fd;
  mtime_ = opened->mtime;
  const auto compression = ProbeCompression(file, *opened);
  if (!compression.ok()) {
    work_.error = compression.status();
    return false;
  }
  seekable_ = opened->owned.valid() && *compression == Compression::kNone;
  failed_ = false;
  if (!file.done.empty() && seekable_ && opened->size_bytes < BytesNeeded(file.done)) {
    ReportChange(file, opened->size_bytes);
    PassOver(gaps);
    return true;
  }
  if (*compression != Compression::kNone) compressed_.emplace(context_, *opened, *compression);
  const bool going_on = ReadGaps(file, *opened, gaps);
  compressed_.reset();
  return going_on;
}

bool BlockReader::ReadGaps(const InputFile& file, const OpenedFile& opened,
                           std::span<const Gap> gaps) {
  alone_bytes_ = 0;
  for (size_t i = 0; i < gaps.size(); ++i) {
    for (Gap gap = gaps[i]; gap.begin < gap.end;) {
      if (!ReadShared(file, opened, gap)) return false;
      if (gap.begin == gap.end) break;
      const Outcome found = SkipTo(gap);
      if (found == Outcome::kStopped) return false;
      if (found == Outcome::kEnd && !failed_) ReportChange(file, offset_);
      if (found == Outcome::kEnd || failed_) {
        PassOver({&gap, 1});
        PassOver(gaps.subspan(i + 1));
        return true;
      }
      if (!ReadGap(file, gap)) return false;
    }
  }
  return true;
}

bool BlockReader::ReadShared(const InputFile& file, const OpenedFile& opened, Gap& gap) {
  leave_at_ = kToEnd;
  if (schedule_ == nullptr || !seekable_ || failed_) return true;
  const auto shared = std::make_shared<SharedRead>(context_, file, path_, opened, gap);
  if (!shared->Pays()) return true;
  // Even when memory runs out, others must be done with the open file before it is closed.
  const absl::Cleanup await_others = [&shared] { shared->AwaitRest(); };
  schedule_->Offer(shared);
  const bool going_on = shared->Work(work_);
  schedule_->Withdraw(shared.get());
  const SharedRead::Rest rest = shared->AwaitRest();
  if (rest.shared_again != kToEnd) {
    // Where one record did not fit the next may not: then more is read alone each time.
    const bool worth_it = rest.gap.begin - gap.begin > alone_bytes_;
    leave_at_ = rest.shared_again + alone_bytes_;
    alone_bytes_ = worth_it ? 0 : 2 * alone_bytes_ + context_.pool.block_bytes();
  }
  gap = rest.gap;
  return going_on && !context_.stopped.IsSet();
}

void BlockReader::ReportChange(const InputFile& file, uint64_t size_bytes) {
  work_.problems.Add(ProblemKind::kFileChanged, file.path,
                     absl::StrCat(BytesNeeded(file.done), " bytes when a part was indexed, now ",
                                  size_bytes, "; the rest is left out"));
}

void BlockReader::PassOver(std::span<const Gap> gaps) {
  for (const Gap& gap : gaps) {
    done_end_ = gap.begin;
    MarkDone(gap.begin, gap.end);
  }
}

BlockReader::Outcome BlockReader::SkipTo(const Gap& gap) {
  if (failed_ || (gap.begin == offset_ && (gap.begin == 0 || !seekable_))) return Outcome::kMore;
  if (seekable_) {  // from wherever it is: more may have been read than was taken
    offset_ = gap.begin;
    if (lseek(fd_, static_cast<off_t>(gap.begin), SEEK_SET) >= 0) return Outcome::kMore;
    work_.problems.Add(ProblemKind::kUnreadableFile, *path_, std::strerror(errno));
    failed_ = true;
    return Outcome::kEnd;
  }
  const BlockPtr rubbish = context_.pool.Acquire();
  if (rubbish == nullptr) return Outcome::kStopped;
  while (offset_ < gap.begin) {
    const auto wanted =
        static_cast<size_t>(std::min<uint64_t>(rubbish->capacity, gap.begin - offset_));
    const int64_t got = ReadMore(rubbish->bytes, wanted);
    if (context_.stopped.IsSet()) return Outcome::kStopped;
    if (got > 0) offset_ += static_cast<uint64_t>(got);
    if (got != static_cast<int64_t>(wanted) && !is_paused_) return Outcome::kEnd;
  }
  return Outcome::kMore;
}

bool BlockReader::ReadGap(const InputFile& file, Gap& gap) {
  if (!Start(gap)) return false;
  const bool more = Fill(*block_, block_->room());
  if (gap.begin == 0 && file.walked && LooksBinary(block_->text())) {
    work_.problems.Add(ProblemKind::kBinaryFile, file.path, {});
    CountRead(file.size_bytes - std::min(file.size_bytes, block_->size));
    MarkDone(block_->size, gap.end);
    block_.reset();
    gap.begin = gap.end;
    failed_ = true;
    return true;
  }
  if (gap.begin == 0) block_->begin = ByteOrderMarkBytes(block_->text());
  for (Outcome outcome = more ? Outcome::kMore : Outcome::kEnd; outcome != Outcome::kEnd;) {
    outcome = Cut();
    if (outcome == Outcome::kStopped) return false;
    if (outcome == Outcome::kMore && offset_ >= leave_at_) {
      Leave(gap);
      return true;
    }
    if (outcome == Outcome::kMore && !Fill(*block_, block_->room())) outcome = Outcome::kEnd;
  }
  gap.begin = gap.end;
  if (block_ != nullptr && !block_->text().empty()) return Push(std::move(block_), gap.end);
  if (block_ != nullptr) offset_ += block_->size;
  block_.reset();
  MarkDone(offset_, gap.end);
  return !context_.stopped.IsSet();
}

// What was read behind the border is read again, by all readers.
void BlockReader::Leave(Gap& gap) {
  context_.counters.bytes_done -= block_->size;
  block_.reset();
  MarkDone(offset_, offset_);  // of a record that was skipped
  gap.begin = offset_;
  gap.first_line = line_;
  gap.time_before = time_;
}

bool BlockReader::Start(const Gap& gap) {
  line_ = gap.first_line;
  time_ = gap.time_before;
  offset_ = done_end_ = gap.begin;
  left_bytes_ = gap.end == kToEnd ? kToEnd : gap.end - gap.begin;
  block_ = NewBlock();
  return block_ != nullptr;
}

BlockPtr BlockReader::NewBlock() {
  BlockPtr block = context_.pool.Acquire();
  if (block != nullptr) StampBlock(*block);
  return block;
}

void BlockReader::StampBlock(Block& block) const {
  block.format = format_;
  block.path = path_;
  block.ordinal = ordinal_;
  block.first_line = line_;
  block.mtime = mtime_;
  block.time_before = time_;
}

void BlockReader::PassTimes(std::string_view lines) {
  if (context_.log_clock == nullptr || format_ != InputFormat::kLines) return;
  const auto last = context_.log_clock->LastTimeIn(lines, mtime_);
  if (last.has_value()) time_ = last;
}

int64_t BlockReader::ReadMore(char* bytes, size_t size_bytes) {
  if (is_standard_input_) return ReadStandardInput(bytes, size_bytes);
  if (!compressed_.has_value()) return ReadFully(fd_, bytes, size_bytes, context_.stopped);
  const size_t got = compressed_->Read(bytes, size_bytes);
  if (got < size_bytes && compressed_->end() != CompressedInput::End::kWhole && !failed_) {
    compressed_->Report(*path_, work_.problems);
    failed_ = true;
    if (compressed_->end() == CompressedInput::End::kExhausted) {
      work_.error = compressed_->Exhaustion(*path_);
      context_.stopped.Set();  // nothing that follows counts as done
    }
  }
  return static_cast<int64_t>(got);
}

// What was read of it before the build comes first.
int64_t BlockReader::ReadStandardInput(char* bytes, size_t size_bytes) {
  const std::string_view before = std::string_view(context_.input_begin).substr(offset_read_);
  const size_t taken = before.copy(bytes, size_bytes);
  offset_read_ += taken;
  if (offset_read_ == context_.input_begin.size()) {
    context_.input_begin = std::string();
    offset_read_ = 0;
  }
  const int64_t got =
      ReadUntilPause(bytes, taken, size_bytes, context_.stopped, context_.longest_wait, is_paused_);
  if (got >= 0 || taken == 0) return got;
  late_error_ = errno;
  return static_cast<int64_t>(taken);
}

// A compressed file counts itself.
void BlockReader::CountRead(uint64_t size_bytes) {
  if (!compressed_.has_value()) context_.counters.bytes_done += size_bytes;
}

bool BlockReader::Fill(Block& block, size_t most_bytes) {
  const auto wanted =
      static_cast<size_t>(std::min<uint64_t>({most_bytes, block.room(), left_bytes_}));
  const int64_t got = ReadMore(block.bytes + block.size, wanted);
  if (got < 0) {
    ReportReadError(errno);
    return false;
  }
  block.size += static_cast<size_t>(got);
  left_bytes_ -= static_cast<uint64_t>(got);
  CountRead(static_cast<uint64_t>(got));
  if (late_error_ != 0) ReportReadError(std::exchange(late_error_, 0));
  return (static_cast<size_t>(got) == wanted || is_paused_) && left_bytes_ > 0;
}

void BlockReader::ReportReadError(int error) {
  failed_ = true;
  if (IsExhaustion(error)) {
    work_.error = ExhaustionStatus(error, *path_);
    context_.stopped.Set();  // nothing that follows counts as done
  } else {
    work_.problems.Add(ProblemKind::kUnreadableFile, *path_, std::strerror(error));
  }
}

void BlockReader::MarkDone(uint64_t read_end, uint64_t end) {
  if (end == done_end_) return;  // the gap ended with the block before
  work_.done.bytes_in += read_end - done_end_;
  work_.done.bytes.push_back({ordinal_, {input_, *path_}, {done_end_, end, line_, time_}});
  done_end_ = end;
}

bool BlockReader::Push(BlockPtr block, uint64_t end) {
  if (context_.stopped.IsSet()) return false;  // what was read last may be cut short
  MarkDone(offset_ + block->size, end);
  offset_ += block->size;
  block->origin = work_.Take();
  if (is_standard_input_) block->turn = turns_++;
  return context_.blocks.Push(std::move(block));
}

bool BlockReader::Split(BlockPtr block, size_t border) {
  line_ = block->first_line + CountLines({block->bytes, border});
  PassTimes(block->text().substr(0, border - block->begin));
  block_ = NewBlock();
  if (block_ == nullptr) return false;
  block_->size = block->size - border;
  PMDEX_CHECK(block_->size <= block_->capacity);
  std::memcpy(block_->bytes, block->bytes + border, block_->size);
  block->size = border;
  return Push(std::move(block), offset_ + border);
}

BlockReader::Outcome BlockReader::Cut() {
  const size_t border = borders_->last(block_->text());
  if (border == 0) return is_paused_ ? Outcome::kMore : ReadOversize();
  const size_t cut = block_->begin + border;
  return Split(std::move(block_), cut) ? Outcome::kMore : Outcome::kStopped;
}

BlockReader::Outcome BlockReader::ReadOversize() {
  // The rest behind the record must fit into an ordinary block.
  const size_t step = std::min(kOversizeReadBytes, context_.pool.block_bytes() / 2);
  BlockPtr big = AcquireOversizeFor(compressed_.has_value() ? &*compressed_ : nullptr,
                                    context_.pool, std::max(limit_bytes_, block_->capacity) + step);
  if (big == nullptr) return Outcome::kStopped;
  StampBlock(*big);
  big->begin = block_->begin;
  big->size = block_->size;
  std::memcpy(big->bytes, block_->bytes, block_->size);
  block_.reset();
  while (big->text().size() <= limit_bytes_) {
    const size_t before = big->text().size();
    const bool more = Fill(*big, step);
    const size_t border = borders_->first(big->text(), before);
    if (border != 0 && border <= limit_bytes_) {
      const size_t cut = big->begin + border;
      if (!Split(std::move(big), cut)) return Outcome::kStopped;
      return more ? Outcome::kMore : Outcome::kEnd;
    }
    if (!more && border == 0 && big->text().size() <= limit_bytes_) {
      line_ += CountLines({big->bytes, big->size});
      const uint64_t end = offset_ + big->size;
      return Push(std::move(big), end) ? Outcome::kEnd : Outcome::kStopped;
    }
    if (!more || border != 0) break;
  }
  return SkipRecord(std::move(big));
}

// Reads on to the end of the record, keeping no more than a border may need.
BlockReader::Outcome BlockReader::SkipRecord(BlockPtr block) {
  work_.problems.Add(
      borders_->too_large, absl::StrCat(*path_, ":", line_),
      absl::StrCat("more than ", limit_bytes_, " bytes; a larger --memory takes it"));
  PassTimes(block->text().substr(0, block->text().find('\n')));
  const size_t step = std::min(kOversizeReadBytes, context_.pool.block_bytes() / 2);
  // The border may already be there, behind the limit.
  size_t from = 0;
  for (bool more = true;;) {
    const size_t border = borders_->first(block->text(), from);
    if (border != 0) {
      const size_t cut = block->begin + border;
      line_ = block->first_line + CountLines({block->bytes, cut});
      BlockPtr next = NewBlock();
      if (next == nullptr) return Outcome::kStopped;
      offset_ += cut;
      next->size = block->size - cut;
      std::memcpy(next->bytes, block->bytes + cut, next->size);
      block_ = std::move(next);
      return more ? Outcome::kMore : Outcome::kEnd;
    }
    if (!more) {
      offset_ += block->size;
      return context_.stopped.IsSet() ? Outcome::kStopped : Outcome::kEnd;
    }
    const size_t kept = std::min({kLongestTagBytes, block->size, block->capacity / 2});
    block->first_line += CountLines({block->bytes, block->size - kept});
    offset_ += block->size - kept;
    std::memmove(block->bytes, block->bytes + block->size - kept, kept);
    block->size = kept;
    block->begin = 0;
    from = kept;
    if (context_.stopped.IsSet()) return Outcome::kStopped;  // the record may be endless
    more = Fill(*block, step);
  }
}

}  // namespace pmdex
