#include "engine/ingest/reading/compressed_input.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/ingest/pipeline/block_pool.h"
#include "engine/ingest/problem_kind.h"
#include "engine/ingest/problem_log.h"
#include "pmem/exhaustion.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

constexpr size_t kBufferBytes = size_t{64} << 10;
// Enough for gzip, and for the first bytes of the others.
constexpr size_t kFirstLimitBytes = size_t{256} << 10;
// Beside the piece that was refused there are a few small ones to come.
constexpr size_t kSparedBytes = size_t{128} << 10;

}  // namespace

absl::StatusOr<Compression> ProbeCompression(const InputFile& file, const OpenedFile& opened) {
  const Compression compression = CompressionOfName(file.path);
  if (compression == Compression::kNone || !opened.owned.valid()) return Compression::kNone;
  std::array<char, kMagicBytes> beginning;
  const ssize_t got = pread(opened.fd, beginning.data(), beginning.size(), 0);
  if (got < 0 && IsExhaustion(errno)) return ExhaustionStatus(errno, file.path);
  // After another error the file is read as it is, which reports the error.
  const std::string_view magic(beginning.data(), static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return BeginsAs(compression, magic) ? compression : Compression::kNone;
}

CompressedInput::~CompressedInput() {
  Release();
  context_.counters.bytes_done += file_bytes_ - std::min(file_bytes_, counted_bytes_);
}

void CompressedInput::Release() {
  decompressor_.reset();
  memory_.reset();
  buffer_.reset();
  if (reserved_bytes_ > 0) context_.decoders.Release(reserved_bytes_);
  reserved_bytes_ = 0;
}

size_t CompressedInput::Read(char* text, size_t size_bytes) {
  if (decompressor_ == nullptr && end_ == End::kNotYet && again_limit_bytes_ == 0) {
    Begin(kFirstLimitBytes);
  }
  size_t done = 0;
  while (done < size_bytes && end_ == End::kNotYet) {
    if (again_limit_bytes_ > 0) {
      BeginAgain();
      continue;
    }
    const size_t given = Decode(text + done, size_bytes - done);
    done += given;
    text_bytes_ += given;
  }
  if (end_ != End::kNotYet) Release();
  return done;
}

bool CompressedInput::Begin(size_t limit_bytes) {
  const size_t most = context_.parameters.memory.decoders_bytes;
  if (limit_bytes + kBufferBytes > most) {
    end_ = End::kNoMemory;
    reason_ =
        absl::StrCat("decompressing it takes at least ", limit_bytes + kBufferBytes,
                     " bytes of memory, of which there are ", most, "; a larger --memory takes it");
    return false;
  }
  if (!context_.decoders.Reserve(limit_bytes + kBufferBytes)) {
    end_ = End::kStopped;
    return false;
  }
  reserved_bytes_ = limit_bytes + kBufferBytes;
  buffer_ = std::make_unique_for_overwrite<char[]>(kBufferBytes);
  memory_.emplace(limit_bytes);
  decompressor_ = Decompressor::New(compression_, *memory_);
  begin_ = filled_ = 0;
  read_bytes_ = 0;
  file_ended_ = false;
  between_streams_ = true;
  if (lseek(fd_, 0, SEEK_SET) == 0) return true;
  EndBy(errno);
  return false;
}

void CompressedInput::EndBy(int error) {
  end_ = IsExhaustion(error) ? End::kExhausted : End::kUnreadable;
  error_ = error;
  reason_ = std::strerror(error);
}

void CompressedInput::Suspend() {
  if (decompressor_ == nullptr) return;
  if (again_limit_bytes_ == 0) again_limit_bytes_ = reserved_bytes_ - kBufferBytes;
  Release();
}

void CompressedInput::AfterRefusal() {
  const size_t needed = memory_->needed_bytes();
  if (needed == 0) {
    EndBy(ENOMEM);  // the system refused it, not the limit
    return;
  }
  const size_t most =
      context_.parameters.memory.decoders_bytes - kBufferBytes;  // it has begun with some of it
  // Twice as much each time, so that a file cannot ask for a little more again and again.
  size_t limit = std::max(needed + kSparedBytes, 2 * (reserved_bytes_ - kBufferBytes));
  if (limit > most) limit = std::max(needed, most);
  again_limit_bytes_ = limit;
}

// On to where the text was.
void CompressedInput::BeginAgain() {
  Release();
  if (!Begin(std::exchange(again_limit_bytes_, 0))) return;
  std::array<char, 4096> again;
  for (uint64_t passed = 0;
       passed < text_bytes_ && again_limit_bytes_ == 0 && end_ == End::kNotYet;) {
    passed += Decode(again.data(), std::min<uint64_t>(again.size(), text_bytes_ - passed));
  }
}

void CompressedInput::FillBuffer() {
  std::memmove(buffer_.get(), buffer_.get() + begin_, filled_ - begin_);
  filled_ -= begin_;
  begin_ = 0;
  const int64_t got =
      ReadFully(fd_, buffer_.get() + filled_, kBufferBytes - filled_, context_.stopped);
  if (got < 0) return EndBy(errno);
  file_ended_ = static_cast<size_t>(got) < kBufferBytes - filled_;
  filled_ += static_cast<size_t>(got);
  read_bytes_ += static_cast<uint64_t>(got);
  if (read_bytes_ <= counted_bytes_) return;  // read again
  context_.counters.bytes_done += read_bytes_ - counted_bytes_;
  counted_bytes_ = read_bytes_;
}

// The next stream, if there is one.
bool CompressedInput::BeginStream() {
  for (;;) {
    while (begin_ < filled_ && buffer_[begin_] == '\0') ++begin_;
    if (file_ended_ || input().size() >= kMagicBytes) break;
    FillBuffer();
    if (end_ != End::kNotYet) return false;
  }
  between_streams_ = false;
  if (BeginsAs(compression_, input())) return true;
  end_ = input().empty() ? End::kWhole : End::kDamaged;
  reason_ = absl::StrCat("what follows ", text_bytes_, " bytes of text is not ",
                         ToAbsl(ToString(compression_)));
  return false;
}

size_t CompressedInput::Decode(char* text, size_t size_bytes) {
  if (context_.stopped.IsSet()) {
    end_ = End::kStopped;
    return 0;
  }
  if (between_streams_ && !BeginStream()) return 0;
  if (input().empty() && !file_ended_) FillBuffer();
  if (end_ != End::kNotYet) return 0;
  const Decompressor::Step step = decompressor_->Run(input(), {text, size_bytes});
  begin_ += step.taken_bytes;
  switch (step.status) {
    case Decompressor::Status::kStreamEnd:
      between_streams_ = true;
      break;
    case Decompressor::Status::kNoMemory:
      AfterRefusal();
      return 0;
    case Decompressor::Status::kDamaged:
      end_ = End::kDamaged;
      reason_ = absl::StrCat("the ", ToAbsl(ToString(compression_)), " stream is damaged after ",
                             text_bytes_ + step.given_bytes, " bytes of text");
      break;
    case Decompressor::Status::kGoesOn:
      if (step.taken_bytes > 0 || step.given_bytes > 0) break;
      if (!file_ended_ && input().size() < kBufferBytes) {
        FillBuffer();
        break;
      }
      end_ = End::kDamaged;
      reason_ = absl::StrCat("the ", ToAbsl(ToString(compression_)), " stream ends early, after ",
                             text_bytes_, " bytes of text");
  }
  return step.given_bytes;
}

void CompressedInput::Report(std::string_view path, ProblemLog& problems) const {
  switch (end_) {
    case End::kDamaged:
      problems.Add(ProblemKind::kDamagedCompression, path, reason_);
      break;
    case End::kNoMemory:
      problems.Add(ProblemKind::kDecoderMemory, path, reason_);
      break;
    case End::kUnreadable:
      problems.Add(ProblemKind::kUnreadableFile, path, reason_);
      break;
    case End::kNotYet:
    case End::kWhole:
    case End::kExhausted:
    case End::kStopped:
      break;
  }
}

absl::Status CompressedInput::Exhaustion(std::string_view path) const {
  return ExhaustionStatus(error_, absl::StrCat("decompress ", ToAbsl(path)));
}

BlockPtr AcquireOversizeFor(CompressedInput* input, BlockPool& pool, size_t capacity) {
  if (input != nullptr) {
    if (BlockPtr block = pool.TryAcquireOversize(capacity); block != nullptr) return block;
    input->Suspend();
  }
  return pool.AcquireOversize(capacity);
}

}  // namespace pmdex
