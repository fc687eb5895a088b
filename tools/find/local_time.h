// Times as find(1) and du(1) write them: in the time zone of this process. Pure functions, but for
// the zone.
#pragma once

#include <cstdint>
#include <string>

namespace pmdex {

// Whole seconds since 1970, rounded down. time_ns: nanoseconds since 1970, as in all that follow.
int64_t SecondsOf(int64_t time_ns);

// format: as for strftime(3), of few bytes.
std::string LocalTimeText(int64_t time_ns, const char* format);

}  // namespace pmdex
