#include "engine/analysis/token_batch.h"

#include "engine/analysis/unicode.h"

namespace pmdex {

void TokenBatch::Flush() {
  const auto count = static_cast<size_t>(next_.token - tokens_.data());
  if (count > 0) sink_->Accept({tokens_.data(), count});
  next_.token = tokens_.data();
  next_.term = terms_.get();
}

void PieceWriter::Append(std::string_view utf8, const char* begin, const char* end) {
  for (size_t i = 0; i < utf8.size();) {
    const size_t length = Utf8Length(utf8[i]);
    if (size_ + length > kMaxTokenBytes) Finish();
    if (size_ == 0) begin_ = begin;
    std::memcpy(batch_->Room() + size_, utf8.data() + i, length);
    size_ += length;
    end_ = end;
    i += length;
  }
}

void PieceWriter::Finish() {
  if (size_ == 0) return;
  batch_->CommitRoom(size_, static_cast<uint32_t>(begin_ - text_),
                     static_cast<uint32_t>(end_ - text_));
  size_ = 0;
}

}  // namespace pmdex
