// Reads dates of documents and of queries in the `format` of a mapping: one or more formats between
// ||, of which the first that fits counts. A format has a name of Elasticsearch's, or consists of
// Java's pattern letters. Dates without a zone are UTC. A plain value; thread-safe.
//
//   names    strict_date_optional_time[_nanos] date_optional_time epoch_millis epoch_second and the
//            names of kNamedPatterns in date_format.cc, with or without strict_
//   letters  yyyy uuuu yy uu MM M MMM MMMM dd d HH H hh h mm m ss s S..S a EEE EEEE X XX XXX x xx
//            xxx Z ZZZZZ, 'text', and [parts that may be missing]
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/columns/date_text.h"
#include "pmem/status.h"
#include "tools/server/mapping/date_parser.h"

namespace pmdex {

// What a text names.
struct FormattedDate {
  WideNanoseconds first = 0;  // missing parts are the first month, the first day and midnight
  WideNanoseconds last = 0;   // as `first`, with missing parts of the time at their greatest values
  bool takes_zone = false;    // true without a zone of its own, so that one of a query applies
};

class DateFormat {
 public:
  // strict_date_optional_time||epoch_millis
  DateFormat();
  // Returns BadArgument in Elasticsearch's words if a format is not known.
  static absl::StatusOr<DateFormat> Parse(std::string_view text);

  const std::string& text() const { return text_; }
  // nullopt if the text has none of the formats.
  std::optional<FormattedDate> Read(std::string_view text) const;

 private:
  enum class Kind { kOptionalTime, kEpoch, kPattern };
  struct Format {
    Kind kind = Kind::kOptionalTime;
    WideNanoseconds unit = 0;  // nanoseconds, of kEpoch
    DateParser parser;         // of kPattern
  };
  static absl::StatusOr<Format> ParseOne(std::string_view text);
  static std::optional<FormattedDate> ReadAs(const Format& format, std::string_view text);

  std::string text_;
  std::vector<Format> formats_;
};

}  // namespace pmdex
