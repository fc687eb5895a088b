#include "tools/counters/pmu_diagnosis.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

#include "tools/counters/event_table.h"

namespace pmdex {
namespace {

PmuDiagnosis WithoutDevice(const PmuSurroundings& around) {
  if (around.is_virtual) {
    return {PmuCause::kHidden, "the hypervisor hides the PMU from this virtual machine",
            "let the virtual machine have it (QEMU: -cpu host,pmu=on; VMware: vPMC; clouds: a "
            "metal instance), or use --simulate"};
  }
  return {PmuCause::kNoDevice, "the kernel has no PMU of this CPU",
          "boot a kernel that knows this CPU (CONFIG_PERF_EVENTS), or use --simulate"};
}

PmuDiagnosis WithoutPermission(const PmuFacts& facts) {
  // The kernel itself answers EACCES, above a paranoid level of 2 for any event; EPERM at a lower
  // level is the answer of a seccomp filter.
  if (facts.error == EPERM && facts.paranoid_level.value_or(2) <= 2) {
    return {PmuCause::kSeccomp, "a seccomp filter forbids perf_event_open in this container",
            "start the container with --cap-add PERFMON, or with a profile that allows "
            "perf_event_open (docker: --security-opt seccomp=FILE)"};
  }
  if (facts.error == EACCES && facts.paranoid_level.value_or(3) <= 2) {
    return {PmuCause::kPermission,
            absl::StrCat("perf_event_open is forbidden although kernel.perf_event_paranoid is ",
                         *facts.paranoid_level, ", by a security module for instance"),
            "allow it in the policy of the module (SELinux: the class perf_event), or run pmdex as "
            "root"};
  }
  const std::string level =
      facts.paranoid_level.has_value() ? absl::StrCat(*facts.paranoid_level) : "unknown";
  return {
      PmuCause::kPermission,
      absl::StrCat("kernel.perf_event_paranoid is ", level, ", which keeps users from counting"),
      "run sysctl kernel.perf_event_paranoid=2 as root, or give pmdex the capability "
      "CAP_PERFMON"};
}

PmuDiagnosis WithoutSystemCall(const PmuSurroundings& around) {
  return {PmuCause::kSeccomp,
          around.is_container
              ? "the sandbox of this container has no perf_event_open"
              : "perf_event_open is not there: a sandbox forbids it, or the kernel lacks it",
          "run outside the sandbox, or on a kernel with CONFIG_PERF_EVENTS"};
}

// For errors that mean the same for counting and for sampling. error: not 0.
PmuDiagnosis OfOtherError(int error, const char* refused) {
  switch (error) {
    case EBUSY:
      return {PmuCause::kBusy, "another user holds the counters of this CPU for itself",
              "end what counts on this machine (a profiler, another perf), and run it again"};
    case ENOSPC:
      return {PmuCause::kBusy, "there is no room for the events beside those that are counted",
              "end what counts on this machine, the NMI watchdog too (sysctl "
              "kernel.nmi_watchdog=0), and run it again"};
    case EMFILE:
      return {PmuCause::kUnknown, "too many files are open in pmdex for a counter of each thread",
              "raise ulimit -n"};
    case ENFILE:
      return {PmuCause::kUnknown, "too many files are open on this machine",
              "raise fs.file-max by sysctl, or end what holds the files"};
    case E2BIG:
      return {PmuCause::kUnknown, "this kernel is too old for the request to perf_event_open",
              "boot a newer kernel"};
    case ESRCH:
      return {PmuCause::kUnknown, "the thread or the process has ended",
              "run it again on one that lives"};
    default:
      return {PmuCause::kUnknown,
              absl::StrCat("perf_event_open refuses to ", refused, ": ", std::strerror(error)),
              "see docs/PROFILING.md"};
  }
}

}  // namespace

const char* ToString(PmuCause cause) {
  switch (cause) {
    case PmuCause::kNone:
      return "none";
    case PmuCause::kNoDevice:
      return "no_device";
    case PmuCause::kHidden:
      return "hidden";
    case PmuCause::kPermission:
      return "permission";
    case PmuCause::kSeccomp:
      return "seccomp";
    case PmuCause::kBroken:
      return "broken";
    case PmuCause::kBusy:
      return "busy";
    case PmuCause::kUnknown:
      return "unknown";
  }
  return "unknown";
}

PmuDiagnosis Diagnose(const PmuFacts& facts, const PmuSurroundings& around) {
  switch (facts.state) {
    case PmuState::kWorks:
      return {};
    case PmuState::kCountsNothing:
      return {PmuCause::kBroken,
              "counters open but stay 0: the PMU of this virtual machine is empty",
              "ask for a virtual PMU that counts, or use --simulate"};
    case PmuState::kNotPermitted:
      return WithoutPermission(facts);
    case PmuState::kAbsent:
      if (!around.has_cpu_pmu) return WithoutDevice(around);
      break;
    case PmuState::kUnsupported:
      break;
  }
  if (facts.error == ENOSYS) return WithoutSystemCall(around);
  return OfOtherError(facts.error, "count cycles");
}

PmuDiagnosis DiagnoseSampling(int error, int own_error, std::optional<int64_t> paranoid_level,
                              const PmuSurroundings& around) {
  if (own_error != 0) error = own_error;  // it is not about the process
  const bool is_forbidden = error == EACCES || error == EPERM;
  if (is_forbidden && own_error == 0) {
    return {
        PmuCause::kPermission,
        "only its owner may look into this process, and only root if it has changed its user or "
        "holds capabilities",
        "run pmdex as the user of the process or as root, or give pmdex CAP_PERFMON and "
        "CAP_SYS_PTRACE"};
  }
  if (is_forbidden) {
    PmuFacts facts;
    facts.error = error;
    facts.paranoid_level = paranoid_level;
    return WithoutPermission(facts);
  }
  switch (error) {
    case ENOSYS:
      return WithoutSystemCall(around);
    case ENODEV:
    case ENOENT:
    case EOPNOTSUPP:
      return {PmuCause::kNoDevice, "this kernel, or the sandbox around pmdex, has no perf events",
              "run outside the sandbox, or on a kernel with CONFIG_PERF_EVENTS"};
    default:
      return OfOtherError(error, "sample");
  }
}

PmuDiagnosis PartlyBrokenPmu() {
  return {PmuCause::kBroken,
          "the PMU counts cycles, but events that cannot be 0 stay 0: their groups are left out",
          "ask for a virtual PMU that counts all events, or use --simulate"};
}

PmuSurroundings FindPmuSurroundings(const std::string& root) {
  const auto exists = [&](const char* path) { return access((root + path).c_str(), F_OK) == 0; };
  PmuSurroundings around;
  // Hybrid CPUs have a PMU for each kind of core.
  around.has_cpu_pmu =
      exists("sys/bus/event_source/devices/cpu") || exists("sys/bus/event_source/devices/cpu_core");
  around.is_virtual = ThisCpu().is_virtual;
  around.is_container = exists(".dockerenv") || exists("run/.containerenv");
  return around;
}

}  // namespace pmdex
