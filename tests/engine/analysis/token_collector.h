// A sink that keeps what the tests compare.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/analyzer.h"

namespace pmdex {

struct OwnedToken {
  std::string term;
  uint32_t position = 0;
  uint32_t begin = 0;
  uint32_t end = 0;

  friend bool operator==(const OwnedToken&, const OwnedToken&) = default;
  friend std::ostream& operator<<(std::ostream& out, const OwnedToken& token) {
    return out << token.position << ":\"" << token.term << "\"[" << token.begin << "," << token.end
               << ")";
  }
};

class TokenCollector final : public TokenSink {
 public:
  void Accept(std::span<const Token> batch) override {
    ++batches;
    smallest_batch = std::min(smallest_batch, batch.size());
    for (const Token& token : batch) {
      tokens.push_back({std::string(token.term), token.position, token.begin, token.end});
    }
  }

  std::vector<std::string> terms() const {
    std::vector<std::string> result;
    for (const OwnedToken& token : tokens) result.push_back(token.term);
    return result;
  }

  std::vector<OwnedToken> tokens;
  size_t batches = 0;
  size_t smallest_batch = SIZE_MAX;
};

inline std::vector<OwnedToken> Tokens(AnalyzerKind kind, std::string_view text) {
  TokenCollector collector;
  NewAnalyzer(kind)->Analyze(text, 0, collector);
  return collector.tokens;
}

inline std::vector<std::string> Terms(AnalyzerKind kind, std::string_view text) {
  TokenCollector collector;
  NewAnalyzer(kind)->Analyze(text, 0, collector);
  return collector.terms();
}

}  // namespace pmdex
