// A pattern of find's -name and -path, as fnmatch(3) without flags: `*` also matches slashes and a
// dot in front. Simple patterns, such as `*.txt` and `*part*`, are matched without fnmatch. A plain
// value.
#pragma once

#include <string>
#include <string_view>

namespace pmdex {

class Glob {
 public:
  Glob() = default;
  Glob(std::string pattern, bool ignores_case);
  // Names are bytes; case is that of ASCII.
  bool Matches(std::string_view text) const;

 private:
  enum class Kind { kWhole, kPrefix, kSuffix, kPart, kGeneral };
  std::string pattern_;
  std::string literal_;  // of the kinds other than kGeneral
  Kind kind_ = Kind::kGeneral;
  bool ignores_case_ = false;
};

}  // namespace pmdex
