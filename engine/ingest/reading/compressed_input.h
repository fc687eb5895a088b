// A compressed file, read as the text that it holds. Streams that follow one another in the file
// are one text, as the programs that write them read them; zero bytes between and behind them are
// passed over.
//
// Memory: a buffer and the decoder, both reserved from the budget that all readers share
// (IngestContext::decoders) before they are taken. A decoder begins with a small limit; where that
// is refused, the memory is given back, more is reserved, and the file is read again from its
// beginning: a reader that waits for memory never holds any. Who waits for the oversize block gives
// the memory back too (AcquireOversizeFor), so that these two are never waited for in a circle.
//
// One thread. Borrows the open file, whose place it moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/ingest/pipeline/ingest_context.h"
#include "engine/ingest/reading/decoder_memory.h"
#include "engine/ingest/reading/decompressor.h"
#include "engine/ingest/reading/input_file.h"
#include "pmem/status.h"

namespace pmdex {

// How the file is compressed: its name says so, and its first bytes. A file whose first bytes are
// different is read as it is, and so is standard input. An error when this process lacks what it
// needs to look.
absl::StatusOr<Compression> ProbeCompression(const InputFile& file, const OpenedFile& opened);

class CompressedInput {
 public:
  CompressedInput(IngestContext& context, const OpenedFile& opened, Compression compression)
      : context_(context),
        fd_(opened.fd),
        file_bytes_(opened.size_bytes),
        compression_(compression) {}
  // What was not read of the file counts as done.
  ~CompressedInput();
  CompressedInput(const CompressedInput&) = delete;
  CompressedInput& operator=(const CompressedInput&) = delete;

  // Up to size_bytes of the text; fewer only when there is no more.
  size_t Read(char* text, size_t size_bytes);

  // Gives all memory back until the next Read, which decompresses once more what was read before.
  void Suspend();

  // Why there is no more text. kNoMemory: --memory is too small for the file. kExhausted: the
  // system had no memory, which is no fault of the file: it must not count as done.
  enum class End { kNotYet, kWhole, kDamaged, kNoMemory, kUnreadable, kExhausted, kStopped };
  End end() const { return end_; }
  // The error that must end the run. Requires end() == kExhausted.
  absl::Status Exhaustion(std::string_view path) const;
  // Adds the problem that ended the text to the log; nothing where there is none.
  void Report(std::string_view path, ProblemLog& problems) const;

 private:
  size_t Decode(char* text, size_t size_bytes);
  // False when the text has ended.
  bool Begin(size_t limit_bytes);
  bool BeginStream();
  void BeginAgain();
  void AfterRefusal();
  void FillBuffer();
  void EndBy(int error);
  void Release();
  std::string_view input() const { return {buffer_.get() + begin_, filled_ - begin_}; }

  IngestContext& context_;
  const int fd_;
  const uint64_t file_bytes_;
  const Compression compression_;
  End end_ = End::kNotYet;
  std::string reason_;
  int error_ = 0;  // kExhausted: the errno

  size_t reserved_bytes_ = 0;  // of the budget, for what follows
  std::optional<DecoderMemory> memory_;
  std::unique_ptr<Decompressor> decompressor_;
  std::unique_ptr<char[]> buffer_;
  size_t begin_ = 0;  // of what was read and not yet decoded
  size_t filled_ = 0;
  bool file_ended_ = false;
  bool between_streams_ = true;
  size_t again_limit_bytes_ = 0;  // not 0: to be begun again with this limit

  uint64_t text_bytes_ = 0;     // given so far
  uint64_t read_bytes_ = 0;     // of the file
  uint64_t counted_bytes_ = 0;  // of the file, as done
};

// The oversize block of the pool for text of `input`, which may be null: nothing is compressed.
BlockPtr AcquireOversizeFor(CompressedInput* input, BlockPool& pool, size_t capacity);

}  // namespace pmdex
