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

class TokenBatch {
 public:
  // Writable bytes at Room(): a token, and what a sixteen-byte store may write beyond it. They are
  // kReadableTermBytes of the shortest term too.
  static constexpr size_t kRoom = kMaxTokenBytes + 17;
  static_assert(kRoom >= kReadableTermBytes);

  void Start(TokenSink& sink, uint32_t first_position) {
    sink_ = &sink;
    position_ = first_position;
    Clear();
  }

  // Where to write the next term before CommitRoom.
  char* Room() { return terms_.get() + used_; }

  // The first size bytes at Room() are the next token. Requires: 1 <= size <= kMaxTokenBytes.
  void CommitRoom(size_t size, uint32_t begin, uint32_t end) {
    const std::string_view term(Room(), size);
    used_ += size;
    Commit(term, begin, end);
  }

  // term is the next token; it must stay where it is until Finish, readable as Token::term is.
  void Commit(std::string_view term, uint32_t begin, uint32_t end) {
    // One by one: a Token built on the stack and copied would wait for its own stores.
    Token& token = tokens_[count_++];
    token.term = term;
    token.position = position_++;
    token.begin = begin;
    token.end = end;
    if (count_ == kTokens || used_ > kTermBytes - kRoom) Flush();
  }

  // Hands over what is left; returns the position after the last token.
  uint32_t Finish() {
    Flush();
    return position_;
  }

 private:
  static constexpr size_t kTokens = 128;
  static constexpr size_t kTermBytes = 16384;

  void Flush() {
    if (count_ > 0) sink_->Accept({tokens_.data(), count_});
    Clear();
  }
  void Clear() {
    count_ = 0;
    used_ = 0;
  }

  TokenSink* sink_ = nullptr;
  uint32_t position_ = 0;
  size_t count_ = 0;
  size_t used_ = 0;  // bytes of terms_
  std::array<Token, kTokens> tokens_;
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
