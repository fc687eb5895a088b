#include "tools/find/local_time.h"

#include <time.h>

namespace pmdex {

int64_t SecondsOf(int64_t time_ns) {
  constexpr int64_t kNsPerSecond = 1'000'000'000;
  const int64_t seconds = time_ns / kNsPerSecond;
  return time_ns % kNsPerSecond < 0 ? seconds - 1 : seconds;
}

std::string LocalTimeText(int64_t time_ns, const char* format) {
  const time_t seconds = SecondsOf(time_ns);
  tm local = {};
  localtime_r(&seconds, &local);
  char written[64];
  return {written, strftime(written, sizeof written, format, &local)};
}

}  // namespace pmdex
