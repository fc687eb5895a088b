#include <memory>

#include "pmem/ndctl_library.h"
#include "pmem/sysfs.h"
#include "pmem/topology.h"

namespace pmdex {
namespace {

constexpr uint64_t kBadBlockBytes = 512;  // the unit of the kernel's bad-block lists

std::string StringOrEmpty(const char* text) {
  return text == nullptr ? "" : text;
}

std::optional<int> NodeOrNone(int node) {
  return node < 0 ? std::nullopt : std::optional<int>(node);
}

// The library returns ULLONG_MAX for values that it cannot read.
uint64_t SizeOrZero(unsigned long long size_bytes) {
  return size_bytes == UINT64_MAX ? 0 : size_bytes;
}

std::string PersistenceDomain(const NdctlLibrary& ndctl, ndctl_region* region) {
  switch (ndctl.region_get_persistence_domain_(region)) {
    case PERSISTENCE_NONE:
      return "none";
    case PERSISTENCE_MEM_CTRL:
      return "memory_controller";
    case PERSISTENCE_CPU_CACHE:
      return "cpu_cache";
    case PERSISTENCE_UNKNOWN:
      break;
  }
  return "unknown";
}

std::string ModeOf(const NdctlLibrary& ndctl, ndctl_namespace* space) {
  switch (ndctl.namespace_get_mode_(space)) {
    case NDCTL_NS_MODE_FSDAX:
      return "fsdax";
    case NDCTL_NS_MODE_SECTOR:
      return "sector";
    case NDCTL_NS_MODE_RAW:
      return "raw";
    case NDCTL_NS_MODE_DEVDAX:
      return "devdax";
    default:
      return "unknown";
  }
}

// The block device belongs to the layer that the mode puts on top of the namespace.
std::string BlockDeviceOf(const NdctlLibrary& ndctl, ndctl_namespace* space) {
  if (ndctl_pfn* pfn = ndctl.namespace_get_pfn_(space)) {
    return StringOrEmpty(ndctl.pfn_get_block_device_(pfn));
  }
  if (ndctl_btt* btt = ndctl.namespace_get_btt_(space)) {
    return StringOrEmpty(ndctl.btt_get_block_device_(btt));
  }
  if (ndctl.namespace_get_dax_(space) != nullptr) return "";
  return StringOrEmpty(ndctl.namespace_get_block_device_(space));
}

NamespaceFacts ReadNamespace(const NdctlLibrary& ndctl, ndctl_namespace* space) {
  NamespaceFacts facts;
  facts.name = StringOrEmpty(ndctl.namespace_get_devname_(space));
  facts.mode = ModeOf(ndctl, space);
  facts.block_device = BlockDeviceOf(ndctl, space);
  facts.size_bytes = SizeOrZero(ndctl.namespace_get_size_(space));
  facts.enabled = ndctl.namespace_is_active_(space);
  for (badblock* bad = ndctl.namespace_get_first_badblock_(space); bad != nullptr;
       bad = ndctl.namespace_get_next_badblock_(space)) {
    facts.bad_bytes += bad->len * kBadBlockBytes;
  }
  return facts;
}

RegionFacts ReadRegion(const NdctlLibrary& ndctl, ndctl_region* region) {
  RegionFacts facts;
  facts.name = StringOrEmpty(ndctl.region_get_devname_(region));
  facts.type = StringOrEmpty(ndctl.region_get_type_name_(region));
  facts.persistence_domain = PersistenceDomain(ndctl, region);
  facts.size_bytes = SizeOrZero(ndctl.region_get_size_(region));
  facts.available_bytes = SizeOrZero(ndctl.region_get_available_size_(region));
  facts.numa_node = NodeOrNone(ndctl.region_get_numa_node_(region));
  facts.target_node = NodeOrNone(ndctl.region_get_target_node_(region));
  facts.read_only = ndctl.region_get_ro_(region) > 0;
  for (badblock* bad = ndctl.region_get_first_badblock_(region); bad != nullptr;
       bad = ndctl.region_get_next_badblock_(region)) {
    facts.bad_bytes += bad->len * kBadBlockBytes;
  }
  for (ndctl_namespace* space = ndctl.namespace_get_first_(region); space != nullptr;
       space = ndctl.namespace_get_next_(space)) {
    // Every region has an unconfigured seed for the next namespace.
    if (ndctl.namespace_get_size_(space) == 0) continue;
    facts.namespaces.push_back(ReadNamespace(ndctl, space));
  }
  return facts;
}

std::string HealthWord(unsigned health) {
  if ((health & ND_SMART_FATAL_HEALTH) != 0) return "fatal";
  if ((health & ND_SMART_CRITICAL_HEALTH) != 0) return "critical";
  if ((health & ND_SMART_NON_CRITICAL_HEALTH) != 0) return "non-critical";
  return "ok";
}

DimmFacts ReadDimm(const NdctlLibrary& ndctl, ndctl_dimm* dimm) {
  DimmFacts facts;
  facts.name = StringOrEmpty(ndctl.dimm_get_devname_(dimm));
  facts.health = "unknown";
  if (const long long dirty = ndctl.dimm_get_dirty_shutdown_(dimm); dirty >= 0) {
    facts.dirty_shutdowns = static_cast<uint64_t>(dirty);
  }
  const std::unique_ptr<ndctl_cmd, void (*)(ndctl_cmd*)> smart(ndctl.dimm_cmd_new_smart_(dimm),
                                                               ndctl.cmd_unref_);
  if (smart == nullptr || ndctl.cmd_submit_(smart.get()) < 0) return facts;
  const unsigned valid = ndctl.cmd_smart_get_flags_(smart.get());
  if ((valid & ND_SMART_HEALTH_VALID) != 0) {
    facts.health = HealthWord(ndctl.cmd_smart_get_health_(smart.get()));
  }
  if ((valid & ND_SMART_USED_VALID) != 0) {
    facts.life_used_percent = ndctl.cmd_smart_get_life_used_(smart.get());
  }
  return facts;
}

absl::Status ReadNvdimms(PmemTopology& topology) {
  PMDEX_ASSIGN_OR_RETURN(const NdctlLibrary* const library, LoadNdctl());
  const NdctlLibrary& ndctl = *library;
  ndctl_ctx* context = nullptr;
  if (int r = ndctl.new_(&context); r < 0) return ErrnoStatus(-r, "open libndctl");
  const std::unique_ptr<ndctl_ctx, ndctl_ctx* (*)(ndctl_ctx*)> owner(context, ndctl.unref_);
  ndctl.set_log_priority_(context, 0);  // a machine without persistent memory is no news
  for (ndctl_bus* bus = ndctl.bus_get_first_(context); bus != nullptr;
       bus = ndctl.bus_get_next_(bus)) {
    for (ndctl_region* region = ndctl.region_get_first_(bus); region != nullptr;
         region = ndctl.region_get_next_(region)) {
      topology.regions.push_back(ReadRegion(ndctl, region));
    }
    for (ndctl_dimm* dimm = ndctl.dimm_get_first_(bus); dimm != nullptr;
         dimm = ndctl.dimm_get_next_(dimm)) {
      topology.dimms.push_back(ReadDimm(ndctl, dimm));
    }
  }
  return absl::OkStatus();
}

absl::Status ReadDaxDevices(PmemTopology& topology) {
  PMDEX_ASSIGN_OR_RETURN(const DaxctlLibrary* const library, LoadDaxctl());
  const DaxctlLibrary& daxctl = *library;
  daxctl_ctx* context = nullptr;
  if (int r = daxctl.new_(&context); r < 0) return ErrnoStatus(-r, "open libdaxctl");
  const std::unique_ptr<daxctl_ctx, void (*)(daxctl_ctx*)> owner(context, daxctl.unref_);
  daxctl.set_log_priority_(context, 0);
  for (daxctl_region* region = daxctl.region_get_first_(context); region != nullptr;
       region = daxctl.region_get_next_(region)) {
    for (daxctl_dev* device = daxctl.dev_get_first_(region); device != nullptr;
         device = daxctl.dev_get_next_(device)) {
      DaxDeviceFacts facts;
      facts.name = StringOrEmpty(daxctl.dev_get_devname_(device));
      facts.mode = daxctl.dev_get_memory_(device) != nullptr ? "system-ram" : "devdax";
      facts.size_bytes = SizeOrZero(daxctl.dev_get_size_(device));
      facts.target_node = NodeOrNone(daxctl.dev_get_target_node_(device));
      topology.dax_devices.push_back(std::move(facts));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PmemTopology> ReadPmemTopology() {
  PmemTopology topology;
  // A machine without such devices needs neither library.
  if (!ListSysNames("/", "sys/bus/nd/devices").empty()) {
    PMDEX_RETURN_IF_ERROR(ReadNvdimms(topology));
  }
  if (!ListSysNames("/", "sys/bus/dax/devices").empty()) {
    PMDEX_RETURN_IF_ERROR(ReadDaxDevices(topology));
  }
  return topology;
}

}  // namespace pmdex
