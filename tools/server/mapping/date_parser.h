// Reads a date by a pattern of Java's letters. The letters are listed in date_format.h. A plain
// value; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pmem/status.h"

namespace pmdex {

// The parts of a date that a text names.
struct DateParts {
  std::optional<int64_t> year;
  std::optional<int> month;
  std::optional<int> day;
  std::optional<int> weekday;  // 0: Monday
  std::optional<int> hour;
  std::optional<int> half_day_hour;  // 1..12
  std::optional<bool> is_afternoon;
  std::optional<int> minute;
  std::optional<int> second;
  std::optional<int> nanosecond;
  std::optional<int> zone_seconds;
};

class DateParser {
 public:
  // Returns kInvalidArgument if a letter is not known, or reads no text that could be told apart
  // from the next one.
  static absl::StatusOr<DateParser> Parse(std::string_view pattern);
  // nullopt if the text has another form. The parts may name no date (ResolveDate).
  std::optional<DateParts> Read(std::string_view text) const;

 private:
  struct Part {
    enum class Kind { kText, kLetter, kOptional };
    Kind kind = Kind::kText;
    char letter = 0;
    size_t count = 0;  // of the letter
    std::string text;
    std::vector<Part> inner;  // of kOptional
  };

  static absl::StatusOr<std::vector<Part>> ParseParts(std::string_view pattern, size_t& at,
                                                      int depth);
  static absl::StatusOr<Part> ParseLetter(std::string_view pattern, size_t& at);
  static bool ReadParts(const std::vector<Part>& parts, std::string_view& text, DateParts& read);
  static bool ReadPart(const Part& part, std::string_view& text, DateParts& read);
  static bool ReadLetter(char letter, size_t count, std::string_view& text, DateParts& read);

  std::vector<Part> parts_;
};

}  // namespace pmdex
