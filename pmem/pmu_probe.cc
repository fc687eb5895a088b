#include "pmem/pmu_probe.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "pmem/file_descriptor.h"
#include "pmem/sysfs.h"

namespace pmdex {
namespace {

FileDescriptor OpenCycles() {
  perf_event_attr attributes;
  std::memset(&attributes, 0, sizeof(attributes));
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_CPU_CYCLES;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  return FileDescriptor(
      static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
}

uint64_t CountCycles(int fd) {
  ioctl(fd, PERF_EVENT_IOC_RESET, 0);
  volatile uint64_t sink = 0;
  for (int i = 0; i < 100'000; ++i) sink = sink + 1;
  uint64_t cycles = 0;
  if (read(fd, &cycles, sizeof(cycles)) != sizeof(cycles)) return 0;
  return cycles;
}

}  // namespace

PmuState PmuStateOfErrno(int error) {
  switch (error) {
    case ENOENT:
    case ENODEV:
      return PmuState::kAbsent;
    case EACCES:
    case EPERM:
      return PmuState::kNotPermitted;
    default:
      return PmuState::kUnsupported;
  }
}

PmuFacts ProbePmu(std::string_view root) {
  PmuFacts facts;
  facts.paranoid_level = ReadSysInt(root, "proc/sys/kernel/perf_event_paranoid");
  const FileDescriptor fd = OpenCycles();
  if (!fd.valid()) {
    facts.error = errno;
    facts.state = PmuStateOfErrno(facts.error);
  } else {
    facts.state = CountCycles(fd.get()) > 0 ? PmuState::kWorks : PmuState::kCountsNothing;
  }
  return facts;
}

}  // namespace pmdex
