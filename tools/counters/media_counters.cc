#include "tools/counters/media_counters.h"

#include <linux/perf_event.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "absl/strings/str_cat.h"

#include "tools/report/report_files.h"

namespace pmdex {
namespace {

// UNC_M_PMM_RPQ_INSERTS and UNC_M_PMM_WPQ_INSERTS of Cascade Lake, Ice Lake-SP and Sapphire Rapids
// (intel/perfmon, *_uncore.json): requests of 64 bytes that enter the queues to persistent memory.
constexpr uint64_t kReadRequests = 0xe3;
constexpr uint64_t kWriteRequests = 0xe7;
constexpr uint64_t kRequestBytes = 64;

// One memory controller as the kernel shows it.
struct MemoryController {
  std::string name;
  uint32_t type = 0;      // of perf_event_attr
  std::vector<int> cpus;  // one of each socket
};

// The numbers of "0,28" or "0-1".
std::vector<int> NumbersIn(std::string_view text) {
  std::vector<int> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  int number = 0;
  for (auto parsed = std::from_chars(at, end, number); parsed.ec == std::errc();
       parsed = std::from_chars(at, end, number)) {
    const bool is_range = at != text.data() && at[-1] == '-' && !numbers.empty();
    for (int i = is_range ? numbers.back() + 1 : number; i <= number; ++i) numbers.push_back(i);
    at = parsed.ptr;
    if (at == end || (*at != ',' && *at != '-')) break;
    ++at;
  }
  return numbers;
}

std::vector<MemoryController> FindControllers(const std::string& root) {
  std::vector<MemoryController> controllers;
  std::error_code error;
  const std::string folder = root + "sys/bus/event_source/devices";
  std::filesystem::directory_iterator entry(folder, error);
  for (const auto end = std::filesystem::directory_iterator(); !error && entry != end;
       entry.increment(error)) {
    MemoryController controller;
    controller.name = entry->path().filename().string();
    if (!controller.name.starts_with("uncore_imc_")) continue;
    const auto type = ReadReportFile(entry->path().string() + "/type", 64);
    const auto cpus = ReadReportFile(entry->path().string() + "/cpumask", 4096);
    if (!type.ok() || !cpus.ok()) continue;
    const std::vector<int> numbers = NumbersIn(*type);
    controller.cpus = NumbersIn(*cpus);
    if (numbers.empty() || controller.cpus.empty()) continue;
    controller.type = static_cast<uint32_t>(numbers[0]);
    controllers.push_back(std::move(controller));
  }
  std::sort(controllers.begin(), controllers.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return controllers;
}

absl::StatusOr<std::vector<FileDescriptor>> OpenOnAll(
    const std::vector<MemoryController>& controllers, uint64_t config, const OpenEvent& open) {
  std::vector<FileDescriptor> opened;
  for (const MemoryController& controller : controllers) {
    for (const int cpu : controller.cpus) {
      perf_event_attr attributes;
      std::memset(&attributes, 0, sizeof(attributes));
      attributes.size = sizeof(attributes);
      attributes.type = controller.type;
      attributes.config = config;
      attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
      FileDescriptor fd(open(&attributes, /*thread=*/-1, cpu, /*group=*/-1, PERF_FLAG_FD_CLOEXEC));
      if (!fd.valid()) {
        return ErrnoStatus(errno, absl::StrCat("counting what ", controller.name, " does"));
      }
      opened.push_back(std::move(fd));
    }
  }
  return opened;
}

absl::StatusOr<uint64_t> SumOf(const std::vector<FileDescriptor>& counters) {
  uint64_t sum = 0;
  for (const FileDescriptor& counter : counters) {
    // struct read_format of perf_event_open(2).
    struct {
      uint64_t value;
      uint64_t enabled_ns;
      uint64_t running_ns;
    } count = {};
    if (read(counter.get(), &count, sizeof(count)) != sizeof(count)) {
      return ErrnoStatus(errno, "reading the counters of a memory controller");
    }
    if (count.running_ns < count.enabled_ns) {
      return MakeStatus(absl::StatusCode::kUnavailable,
                        "a counter of a memory controller did not count all the time, because "
                        "others use it");
    }
    sum += count.value;
  }
  return sum;
}

}  // namespace

absl::StatusOr<std::unique_ptr<MediaCounters>> MediaCounters::Open(const EventTable& table,
                                                                   const std::string& root,
                                                                   const OpenEvent& open) {
  if (table.FindEvent("local_pmm") == nullptr) {
    return MakeStatus(absl::StatusCode::kUnimplemented,
                      "the memory controllers of this CPU do not count persistent memory apart");
  }
  const std::vector<MemoryController> controllers = FindControllers(root);
  if (controllers.empty()) {
    return MakeStatus(absl::StatusCode::kNotFound,
                      "the kernel shows no counters of memory controllers (uncore_imc)");
  }
  auto counters = std::unique_ptr<MediaCounters>(new MediaCounters());
  PMDEX_ASSIGN_OR_RETURN(counters->reads_, OpenOnAll(controllers, kReadRequests, open));
  PMDEX_ASSIGN_OR_RETURN(counters->writes_, OpenOnAll(controllers, kWriteRequests, open));
  return counters;
}

absl::StatusOr<MediaBytes> MediaCounters::Read() const {
  PMDEX_ASSIGN_OR_RETURN(const uint64_t reads, SumOf(reads_));
  PMDEX_ASSIGN_OR_RETURN(const uint64_t writes, SumOf(writes_));
  if (reads == 0 && writes == 0) {
    return MakeStatus(absl::StatusCode::kNotFound,
                      "no persistent-memory DIMM was counted: the memory controllers saw no "
                      "request to one");
  }
  return MediaBytes{reads * kRequestBytes, writes * kRequestBytes};
}

}  // namespace pmdex
