#include "tools/compare/compare_machine.h"

#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "pmem/cpu_features.h"
#include "pmem/numa_placement.h"
#include "tools/command.h"
#include "tools/counters/event_table.h"

namespace pmdex {

std::string NoteOnLoad(double load, size_t cpus) {
  if (load < static_cast<double>(cpus)) return "";
  return absl::StrFormat(
      "The machine was busy: before the run, %.1f threads wanted to run on %d CPUs. "
      "Means, tails and queries a second include waiting for a CPU; medians hardly do.",
      load, cpus);
}

std::string NoteOnLoad() {
  double load = 0;
  const auto cpus = AllowedCpus();
  if (!cpus.ok() || getloadavg(&load, 1) != 1) return "";
  return NoteOnLoad(load, cpus->size());
}

std::vector<std::pair<std::string, std::string>> MachineFacts() {
  std::vector<std::pair<std::string, std::string>> facts;
  const CpuIdentity cpu = ThisCpu();
  facts.emplace_back("CPU", cpu.brand.empty() ? "unknown" : cpu.brand);
  facts.emplace_back("virtual machine", cpu.is_virtual ? "yes" : "no");
  const auto cpus = AllowedCpus();
  if (cpus.ok()) facts.emplace_back("CPUs of this process", absl::StrCat(cpus->size()));
  facts.emplace_back("kernels", std::string(ToString(BestSimdLevel())));
  utsname system = {};
  if (uname(&system) == 0) {
    facts.emplace_back("system", absl::StrCat(system.sysname, " ", system.release));
  }
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) {
    facts.emplace_back("memory",
                       HumanBytes(static_cast<uint64_t>(pages) * static_cast<uint64_t>(page)));
  }
  double load = 0;
  if (getloadavg(&load, 1) == 1) {
    facts.emplace_back("load before the run",
                       absl::StrFormat("%.2f runnable threads (mean of a minute)", load));
  }
  return facts;
}

}  // namespace pmdex
