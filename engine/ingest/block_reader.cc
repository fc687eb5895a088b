#include "engine/ingest/block_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/ingest/trec.h"
#include "pmem/check.h"

namespace pmdex {
namespace {

constexpr size_t kOversizeReadBytes = size_t{256} << 10;

size_t LastLineBorder(std::string_view text) {
  const size_t newline = text.rfind('\n');
  return newline == std::string_view::npos ? 0 : newline + 1;
}

size_t FirstLineBorder(std::string_view text, size_t from) {
  const size_t newline = text.find('\n', from);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

constexpr RecordBorders kLineBorders = {LastLineBorder, FirstLineBorder, ProblemKind::kLineTooLong};
constexpr RecordBorders kTrecBorders = {LastTrecBorder, FirstTrecBorder,
                                        ProblemKind::kDocumentTooLarge};

uint64_t CountLines(std::string_view text) {
  return static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

const RecordBorders& BordersOf(InputFormat format) {
  PMDEX_CHECK(format != InputFormat::kAuto && format != InputFormat::kFiles);
  return format == InputFormat::kTrec ? kTrecBorders : kLineBorders;
}

bool BlockReader::Read(const InputFile& file) {
  const auto opened = OpenInput(file, context_.problems);
  if (!opened.has_value()) {
    context_.counters.bytes_done += file.size_bytes;
    return true;
  }
  fd_ = opened->fd;
  if (!Start(file)) return false;
  const bool more = Fill(*block_, block_->room());
  if (file.walked && LooksBinary(block_->text())) {
    context_.problems.Add(ProblemKind::kBinaryFile, file.path, {});
    context_.counters.bytes_done += opened->size_bytes - std::min(opened->size_bytes, block_->size);
    block_.reset();
    return true;
  }
  block_->begin = ByteOrderMarkBytes(block_->text());
  for (Outcome outcome = more ? Outcome::kMore : Outcome::kEnd; outcome != Outcome::kEnd;) {
    outcome = Cut();
    if (outcome == Outcome::kStopped) return false;
    if (outcome == Outcome::kMore && !Fill(*block_, block_->room())) outcome = Outcome::kEnd;
  }
  if (block_ == nullptr || block_->text().empty()) {
    block_.reset();
    return !context_.stopped.IsSet();
  }
  return Push(std::move(block_));
}

bool BlockReader::Start(const InputFile& file) {
  format_ = file.format;
  borders_ = &BordersOf(format_);
  path_ = std::make_shared<const std::string>(file.path);
  line_ = 1;
  limit_bytes_ = format_ == InputFormat::kJsonl ? context_.plan.json_limit_bytes
                                                : context_.plan.document_limit_bytes;
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
  block.first_line = line_;
}

bool BlockReader::Fill(Block& block, size_t most_bytes) {
  const size_t wanted = std::min(most_bytes, block.room());
  const int64_t got = ReadFully(fd_, block.bytes + block.size, wanted, context_.stopped);
  if (got < 0) {
    context_.problems.Add(ProblemKind::kUnreadableFile, *path_, std::strerror(errno));
    return false;
  }
  block.size += static_cast<size_t>(got);
  context_.counters.bytes_in += static_cast<uint64_t>(got);
  context_.counters.bytes_done += static_cast<uint64_t>(got);
  return static_cast<size_t>(got) == wanted;
}

bool BlockReader::Push(BlockPtr block) {
  return context_.blocks.Push(std::move(block));
}

bool BlockReader::Split(BlockPtr block, size_t border) {
  line_ = block->first_line + CountLines({block->bytes, border});
  block_ = NewBlock();
  if (block_ == nullptr) return false;
  block_->size = block->size - border;
  PMDEX_CHECK(block_->size <= block_->capacity);
  std::memcpy(block_->bytes, block->bytes + border, block_->size);
  block->size = border;
  return Push(std::move(block));
}

BlockReader::Outcome BlockReader::Cut() {
  const size_t border = borders_->last(block_->text());
  if (border == 0) return ReadOversize();
  const size_t cut = block_->begin + border;
  return Split(std::move(block_), cut) ? Outcome::kMore : Outcome::kStopped;
}

BlockReader::Outcome BlockReader::ReadOversize() {
  // The rest behind the record must fit into an ordinary block.
  const size_t step = std::min(kOversizeReadBytes, context_.pool.block_bytes() / 2);
  BlockPtr big = context_.pool.AcquireOversize(std::max(limit_bytes_, block_->capacity) + step);
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
      return Push(std::move(big)) ? Outcome::kEnd : Outcome::kStopped;
    }
    if (!more || border != 0) break;
  }
  return SkipRecord(std::move(big));
}

// Reads on to the end of the record, keeping no more than a border may need.
BlockReader::Outcome BlockReader::SkipRecord(BlockPtr block) {
  context_.problems.Add(
      borders_->too_large, absl::StrCat(*path_, ":", line_),
      absl::StrCat("more than ", limit_bytes_, " bytes; a larger --memory takes it"));
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
      next->size = block->size - cut;
      std::memcpy(next->bytes, block->bytes + cut, next->size);
      block_ = std::move(next);
      return more ? Outcome::kMore : Outcome::kEnd;
    }
    if (!more) return context_.stopped.IsSet() ? Outcome::kStopped : Outcome::kEnd;
    const size_t kept = std::min({kLongestTagBytes, block->size, block->capacity / 2});
    block->first_line += CountLines({block->bytes, block->size - kept});
    std::memmove(block->bytes, block->bytes + block->size - kept, kept);
    block->size = kept;
    block->begin = 0;
    from = kept;
    more = Fill(*block, step);
  }
}

}  // namespace pmdex
