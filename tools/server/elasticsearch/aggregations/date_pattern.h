// Writes dates in the formats that Elasticsearch calls by name or by Java's pattern letters, for
// the keys of aggregations. A plain value; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"

#include "pmem/status.h"

namespace pmdex {

class DatePattern {
 public:
  // As strict_date_optional_time writes: 2026-01-31T10:20:30.000Z.
  DatePattern() = default;

  // Of several formats between ||, the first one writes. Known are the names
  // strict_date_optional_time, date_optional_time, epoch_millis, epoch_second, date, strict_date,
  // basic_date and date_time, and the letters y u M d H h m s S a E X with quoted text. A
  // BadArgument names any other.
  static absl::StatusOr<DatePattern> Parse(std::string_view format);

  std::string Format(int64_t nanoseconds, const absl::TimeZone& zone) const;

 private:
  struct Part {
    char letter = 0;   // 0: text
    size_t count = 0;  // of the letter
    std::string text;
  };

  static absl::StatusOr<DatePattern> ParseLetters(std::string_view pattern);

  std::vector<Part> parts_;
  int64_t epoch_unit_ = 0;  // nanoseconds of epoch_millis or epoch_second; 0: neither
};

}  // namespace pmdex
