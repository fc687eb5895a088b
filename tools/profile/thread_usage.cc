#include "tools/profile/thread_usage.h"

#include <sys/resource.h>

namespace pmdex {
namespace {

double NanosecondsOf(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_usec) * 1e3;
}

}  // namespace

ThreadUsage& ThreadUsage::operator+=(const ThreadUsage& other) {
  user_ns += other.user_ns;
  system_ns += other.system_ns;
  minor_faults += other.minor_faults;
  major_faults += other.major_faults;
  voluntary_switches += other.voluntary_switches;
  involuntary_switches += other.involuntary_switches;
  return *this;
}

ThreadUsage operator-(const ThreadUsage& after, const ThreadUsage& before) {
  return {after.user_ns - before.user_ns,
          after.system_ns - before.system_ns,
          after.minor_faults - before.minor_faults,
          after.major_faults - before.major_faults,
          after.voluntary_switches - before.voluntary_switches,
          after.involuntary_switches - before.involuntary_switches};
}

ThreadUsage UsageOfThisThread() {
  rusage usage = {};
  getrusage(RUSAGE_THREAD, &usage);
  return {NanosecondsOf(usage.ru_utime),        NanosecondsOf(usage.ru_stime),
          static_cast<double>(usage.ru_minflt), static_cast<double>(usage.ru_majflt),
          static_cast<double>(usage.ru_nvcsw),  static_cast<double>(usage.ru_nivcsw)};
}

}  // namespace pmdex
