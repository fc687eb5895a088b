// Ranges over fields whose mapping says how their values are read: dates with a format and in
// milliseconds, and floats. Bounds are compared at the resolution of the field. Pure functions; the
// caller says what time it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/time/time.h"

#include "engine/columns/date_text.h"
#include "query/columns/value_bounds.h"
#include "tools/server/mapping/date_format.h"
#include "tools/server/mapping/mapped_field.h"

namespace pmdex {

struct DateReading {
  const DateFormat* format = nullptr;  // nullptr: that of the field
  // Of dates without a zone, and of what /d and the like round to.
  absl::TimeZone zone = absl::UTCTimeZone();
};

// When the zone shows this local time, given and returned in nanoseconds since 1970. Of a time that
// it shows twice, the first; a time that it leaves out is taken as that much after the gap.
WideNanoseconds TimeInZone(WideNanoseconds local, const absl::TimeZone& zone);

// The time that a text means, which may have date math: of a date with missing parts, and of what
// /d and the like round to, the beginning. reading.format must not be null. nullopt if the text is
// no date. now: nanoseconds since 1970 UTC.
std::optional<WideNanoseconds> ReadDateWithMath(std::string_view text, const DateReading& reading,
                                                int64_t now);

// True if MakeMappedRange reads the bounds of the field, and MakeRange does not.
bool HasMappedRange(const MappedField& field);

// As MakeRange. Requires HasMappedRange. now: nanoseconds since 1970 UTC.
RangeOutcome MakeMappedRange(const MappedField& field, std::optional<BoundText> low,
                             std::optional<BoundText> high, int64_t now,
                             const DateReading& reading = {});

}  // namespace pmdex
