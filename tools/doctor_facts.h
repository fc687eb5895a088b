// What `pmdex doctor` finds out about a path and its machine (DoctorFacts), and what it says about
// one of these facts (DoctorCheck).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pmem/cpu_features.h"
#include "pmem/cxl_devices.h"
#include "pmem/huge_pages.h"
#include "pmem/numa_topology.h"
#include "pmem/place_probe.h"
#include "pmem/pmu_probe.h"
#include "pmem/status.h"
#include "pmem/topology.h"

namespace pmdex {

struct DoctorFacts {
  PlaceFacts place;
  NumaPlace numa_place;
  absl::Status topology_status;  // why topology is empty, if reading it failed
  PmemTopology topology;
  std::vector<CxlDeviceFacts> cxl_devices;
  std::vector<NumaNode> numa_nodes;
  HugePages huge_pages;
  MappingLimits limits;
  SimdLevel simd = SimdLevel::kScalar;
  PmuFacts pmu;
};

enum class CheckState {
  kOk,      // as good as it gets
  kInfo,    // worth knowing; pmdex works well
  kWarn,    // costs speed or safety and can be changed
  kAbsent,  // this machine does not have it
};
std::string_view ToString(CheckState state);  // "ok", "info", "warn", "absent"

struct DoctorCheck {
  std::string id;  // stable: scripts read it
  CheckState state = CheckState::kInfo;
  std::string value;
  std::string meaning;  // one sentence: what it means for pmdex
  std::string fix;      // one command, or empty
};

// "512 B", "1.5 GiB".
std::string FormatByteCount(uint64_t size_bytes);

}  // namespace pmdex
