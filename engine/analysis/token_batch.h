// Collects tokens in memory of fixed size and hands them to a sink in batches, so that a token
// costs no virtual call and no allocation. For one thread. The sink must stay valid from Start to
// Finish.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "engine/analysis/token.h"

namespace pmdex {

// Where the next tokens go. The kernels (word_kernel.h) use it directly, because they write many
// tokens at a time; other code uses TokenBatch.
struct TokenCursor {
  // A kernel takes so many bytes of text at a time. It copies them to `term` with the gaps between
  // words; the terms of the words view the copy. A batch that is not full has room for these bytes,
  // for their tokens, and for kSpareTokens more tokens that the kernel may write but does not
  // count.
  static constexpr size_t kChunkBytes = 64;
  static constexpr size_t kChunkTokens = kChunkBytes / 2;
  static constexpr size_t kSpareTokens = 16;

  Token* token = nullptr;
  char* term = nullptr;
  uint32_t position = 0;
  const Token* last_token = nullptr;  // a batch is full beyond these two
  const char* last_term = nullptr;

  bool full() const { return token >= last_token || term > last_term; }
};

class TokenBatch {
 public:
  // How many bytes may be written at Room(): the longest token, and what a store of sixteen bytes
  // may write beyond it. It also provides the kReadableTermBytes of the shortest term.
  static constexpr size_t kRoom = kMaxTokenBytes + 17;
  static_assert(kRoom >= kReadableTermBytes);
  static_assert(kRoom >= TokenCursor::kChunkBytes + kReadableTermBytes);

  void Start(TokenSink& sink, uint32_t first_position) {
    sink_ = &sink;
    next_ = {tokens_.data(), terms_.get(), first_position, tokens_.data() + kTokens,
             terms_.get() + kTermBytes - kRoom};
  }

  // Where the caller writes the next term before CommitRoom.
  char* Room() { return next_.term; }

  // Makes the first `size` bytes at Room() the next token. Requires 1 <= size <= kMaxTokenBytes.
  void CommitRoom(size_t size, uint32_t begin, uint32_t end) {
    const std::string_view term(next_.term, size);
    next_.term += size;
    Commit(term, begin, end);
  }

  // Makes `term` the next token. It must be readable as Token::term says, until Finish.
  void Commit(std::string_view term, uint32_t begin, uint32_t end) {
    // Field by field, because copying a Token that was just built would wait for its stores.
    Token& token = *next_.token++;
    token.term = term;
    token.position = next_.position++;
    token.begin = begin;
    token.end = end;
    FlushIfFull();
  }

  // For kernels, which stop when the batch is full.
  TokenCursor& cursor() { return next_; }
  bool FlushIfFull() {
    const bool full = next_.full();
    if (full) Flush();
    return full;
  }

  // Hands over the last tokens. Returns the position after the last token.
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

// Cuts a stream of UTF-8 at character borders into tokens of at most kMaxTokenBytes bytes. The
// offsets of a piece are those of the source ranges that its characters came from. If a source
// range folds to several characters, two pieces may share its offsets. The writer keeps at most one
// piece in the room of the batch.
class PieceWriter {
 public:
  PieceWriter(TokenBatch& batch, const char* text) : batch_(&batch), text_(text) {}

  // Appends utf8, which is valid and the normal form of the source [begin, end).
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
