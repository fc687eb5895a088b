// Reads a compressed file as the text that it holds. Several streams in one file are one text, as
// the programs that wrote them read it. Zero bytes between and behind streams are passed over.
//
// Memory: a buffer and the decoder. Both are reserved from IngestContext::decoders, which all
// readers share, before they are taken. A decoder begins with a small limit. If it needs more, the
// input gives its memory back, reserves more, and reads the file again from its beginning: a reader
// that waits for memory never holds any. A reader that waits for the oversize block gives this
// memory back too (AcquireOversizeFor), so two readers never wait for each other.
//
// For one thread. Borrows the open file and moves its position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/ingest/pipeline/block_pool.h"
#include "engine/ingest/pipeline/ingest_context.h"
#include "engine/ingest/problem_log.h"
#include "engine/ingest/reading/decoder_memory.h"
#include "engine/ingest/reading/decompressor.h"
#include "engine/ingest/reading/input_file.h"
#include "pmem/status.h"

namespace pmdex {

// The compression that both the name and the first bytes of the file show. kNone for standard
// input, and if the first bytes do not match the name: such a file is read as it is. Returns an
// error only if this process lacks the descriptor or the memory to look.
absl::StatusOr<Compression> ProbeCompression(const InputFile& file, const OpenedFile& opened);

class CompressedInput {
 public:
  CompressedInput(IngestContext& context, const OpenedFile& opened, Compression compression)
      : context_(context),
        fd_(opened.fd),
        file_bytes_(opened.size_bytes),
        compression_(compression) {}
  // Counts the rest of the file as done.
  ~CompressedInput();
  CompressedInput(const CompressedInput&) = delete;
  CompressedInput& operator=(const CompressedInput&) = delete;

  // Reads up to size_bytes of the text; fewer only at its end.
  size_t Read(char* text, size_t size_bytes);

  // Gives all memory back until the next Read, which decompresses again what was read before.
  void Suspend();

  // Why there is no more text. kNoMemory: --memory is too small for the file. kExhausted: the
  // system had no memory, which is no fault of the file: it must not count as done.
  enum class End { kNotYet, kWhole, kDamaged, kNoMemory, kUnreadable, kExhausted, kStopped };
  End end() const { return end_; }
  // The error that must end the run. Requires end() == kExhausted.
  absl::Status Exhaustion(std::string_view path) const;
  // Adds the problem that ended the text to the log, if there is one.
  void Report(std::string_view path, ProblemLog& problems) const;

 private:
  size_t Decode(char* text, size_t size_bytes);
  // False if the text has ended.
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

  size_t reserved_bytes_ = 0;  // of the budget, for the three members below
  std::optional<DecoderMemory> memory_;
  std::unique_ptr<Decompressor> decompressor_;
  std::unique_ptr<char[]> buffer_;
  size_t begin_ = 0;  // of what was read and not yet decoded
  size_t filled_ = 0;
  bool file_ended_ = false;
  bool between_streams_ = true;
  size_t again_limit_bytes_ = 0;  // if not 0: begin again with this limit

  uint64_t text_bytes_ = 0;     // given so far
  uint64_t read_bytes_ = 0;     // of the file
  uint64_t counted_bytes_ = 0;  // of the file, as done
};

// Acquires the oversize block for text of `input`; null if the text is not compressed.
BlockPtr AcquireOversizeFor(CompressedInput* input, BlockPool& pool, size_t capacity);

}  // namespace pmdex
