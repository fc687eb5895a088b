// Times as find(1) and du(1) write and read them: in the time zone of this process. Pure functions,
// but for the zone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pmdex {

// Whole seconds since 1970, rounded down. time_ns: nanoseconds since 1970, as in all that follow.
int64_t SecondsOf(int64_t time_ns);

// format: as for strftime(3), of few bytes.
std::string LocalTimeText(int64_t time_ns, const char* format);

// A moment as -newermt takes it: a day, with or without a time of day behind a space or a T, and
// with or without a zone; or `@` and whole seconds since 1970. A day alone is its midnight. nullopt
// for other texts, also for those that only the parser of find knows, such as "yesterday", and
// beyond the dates of an index.
std::optional<int64_t> ParseLocalTime(std::string_view text);

}  // namespace pmdex
