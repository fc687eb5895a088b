// A copy of a term as analyzers return it: kReadableTermBytes bytes from its begin can be read.
#pragma once

#include <string>
#include <string_view>

#include "engine/analysis/analyzer.h"

namespace pmdex {

class ReadableTerm {
 public:
  explicit ReadableTerm(std::string_view term) : bytes_(term), size_(term.size()) {
    bytes_.resize(size_ + kReadableTermBytes, '~');
  }
  operator std::string_view() const { return std::string_view(bytes_).substr(0, size_); }

 private:
  std::string bytes_;
  size_t size_;
};

}  // namespace pmdex
