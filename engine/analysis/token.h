// The tokens that an analyzer makes, and the interface of those who take them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace pmdex {

inline constexpr size_t kMaxTokenBytes = 255;
inline constexpr size_t kReadableTermBytes = 16;
inline constexpr size_t kMaxTextBytes = UINT32_MAX;

struct Token {
  // Normalised, 1..kMaxTokenBytes bytes, valid until the sink returns. The first kReadableTermBytes
  // bytes at term.data() may always be read, so that one load takes a short term. The bytes behind
  // the term have no defined value.
  std::string_view term;
  uint32_t position = 0;  // counted from 0; removed stop words leave gaps
  // Byte offsets [begin, end) of the word in the text given to Analyzer::Analyze. They are aligned
  // so that one store can write both.
  alignas(8) uint32_t begin = 0;
  uint32_t end = 0;
};
static_assert(sizeof(Token) == 32, "two to a cache line");

// Receives tokens in the order of the text, one call for each batch of tokens.
class TokenSink {
 public:
  virtual ~TokenSink() = default;
  // `tokens` holds at least one token. The terms are valid until Accept returns.
  virtual void Accept(std::span<const Token> tokens) = 0;
};

}  // namespace pmdex
