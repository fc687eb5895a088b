// Tokens on their way to a sink: collected in fixed memory and handed over in batches, so that a
// token costs no virtual call and no allocation. For one thread; between Start and Finish the sink
// is borrowed.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "engine/analysis/analyzer.h"

namespace pmdex {

// Where the next tokens go. Open to the kernels (word_kernel.h), which write many at a time; all
// else goes through TokenBatch.
struct TokenCursor {
  // Of text that a kernel takes at once: its bytes are copied to term as they are, which the terms
  // of its words are views of. A batch that is not full has room for them, and for up to
  // kSpareTokens tokens behind theirs that count for nothing.
  static constexpr size_t kChunkBytes = 64;
  static constexpr size_t kChunkTokens = kChunkBytes / 2;
  static constexpr size_t kSpareTokens = 16;

  Token* token = nullptr;
  char* term = nullptr;
  uint32_t position = 0;
  const Token* last_token = nullptr;  // where a batch is full
  const char* last_term = nullptr;

  bool full() const { return token >= last_token || term > last_term; }
};

class TokenBatch {
 public:
  // Writable bytes at Room(): a token, and what a sixteen-byte store may write beyond it. They are
  // kReadableTermBytes of the shortest term too.
  static constexpr size_t kRoom = kMaxTokenBytes + 17;
  static_assert(kRoom >= kReadableTermBytes);
  static_assert(kRoom >= TokenCursor::kChunkBytes + kReadableTermBytes);

  void Start(TokenSink& sink, uint32_t first_position) {
    sink_ = &sink;
    next_ = {tokens_.data(), terms_.get(), first_position, tokens_.data() + kTokens,
             terms_.get() + kTermBytes - kRoom};
  }

  // Where to write the next term before CommitRoom.
  char* Room() { return next_.term; }

  // The first size bytes at Room() are the next token. Requires: 1 <= size <= kMaxTokenBytes.
  void CommitRoom(size_t size, uint32_t begin, uint32_t end) {
    const std::string_view term(next_.term, size);
    next_.term += size;
    Commit(term, begin, end);
  }

  // term is the next token; it must stay where it is until Finish, readable as Token::term is.
  void Commit(std::string_view term, uint32_t begin, uint32_t end) {
    // One by one: a Token built on the stack and copied would wait for its own stores.
    Token& token = *next_.token++;
    token.term = term;
    token.position = next_.position++;
    token.begin = begin;
    token.end = end;
    FlushIfFull();
  }

  // For kernels, which stop when it is full.
  TokenCursor& cursor() { return next_; }
  bool FlushIfFull() {
    const bool full = next_.full();
    if (full) Flush();
    return full;
  }

  // Hands over what is left; returns the position after the last token.
  uint32_t Finish() {
    Flush();
    return next_.position;
  }

 private:
  static constexpr size_t kTokens = 128;
  static constexpr size_t kTermBytes = 16384;

  void Flush();

  TokenSink* sink_ = nullptr;
  TokenCursor next_;
  std::array<Token, kTokens + TokenCursor::kChunkTokens + TokenCursor::kSpareTokens> tokens_;
  std::unique_ptr<char[]> terms_ = std::make_unique<char[]>(kTermBytes);
};

// Cuts a stream of UTF-8 into tokens of at most kMaxTokenBytes bytes at character borders. A
// piece's offsets are those of the source ranges its characters came from, so where one source
// range folds to several characters two neighbours may share it. Keeps nothing in the batch's room
// before a piece is full, and one piece at most.
class PieceWriter {
 public:
  PieceWriter(TokenBatch& batch, const char* text) : batch_(&batch), text_(text) {}

  // Takes utf8, the valid normal form of the source [begin, end).
  void Append(std::string_view utf8, const char* begin, const char* end);
  // Writes the last piece, if any.
  void Finish();

 private:
  TokenBatch* batch_;
  const char* text_;
  size_t size_ = 0;
  const char* begin_ = nullptr;
  const char* end_ = nullptr;
};

}  // namespace pmdex
