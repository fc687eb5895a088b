#include "tools/find/glob.h"

#include <fnmatch.h>

#include <utility>

namespace pmdex {

Glob::Glob(std::string pattern, bool ignores_case)
    : pattern_(std::move(pattern)), ignores_case_(ignores_case) {
  if (ignores_case_) return;
  const size_t first = pattern_.find_first_of("*?[\\");
  if (first == std::string::npos) {
    kind_ = Kind::kWhole;
    literal_ = pattern_;
    return;
  }
  if (pattern_[first] != '*') return;
  const size_t second = pattern_.find_first_of("*?[\\", first + 1);
  if (second != std::string::npos) {
    if (first != 0 || pattern_[second] != '*' || second + 1 != pattern_.size()) return;
    kind_ = Kind::kPart;
    literal_ = pattern_.substr(1, second - 1);
    return;
  }
  if (first == 0) {
    kind_ = Kind::kSuffix;
    literal_ = pattern_.substr(1);
  } else if (first + 1 == pattern_.size()) {
    kind_ = Kind::kPrefix;
    literal_ = pattern_.substr(0, first);
  }
}

bool Glob::Matches(std::string_view text) const {
  switch (kind_) {
    case Kind::kWhole:
      return text == literal_;
    case Kind::kPrefix:
      return text.starts_with(literal_);
    case Kind::kSuffix:
      return text.ends_with(literal_);
    case Kind::kPart:
      return text.find(literal_) != std::string_view::npos;
    case Kind::kGeneral:
      break;
  }
  const std::string whole(text);  // with a zero behind it
  return fnmatch(pattern_.c_str(), whole.c_str(), ignores_case_ ? FNM_CASEFOLD : 0) == 0;
}

}  // namespace pmdex
