#include <daxctl/libdaxctl.h>
#include <ndctl/libndctl.h>

#include <memory>

#include "pmem/topology.h"

namespace pmdex {
namespace {

constexpr uint64_t kSectorBytes = 512;  // the unit of the kernel's bad-block lists

std::string StringOrEmpty(const char* text) {
  return text == nullptr ? "" : text;
}

std::optional<int> NodeOrNone(int node) {
  return node < 0 ? std::nullopt : std::optional<int>(node);
}

// The library says ULLONG_MAX for what it cannot read.
uint64_t SizeOrZero(unsigned long long size_bytes) {
  return size_bytes == UINT64_MAX ? 0 : size_bytes;
}

std::string PersistenceDomain(ndctl_region* region) {
  switch (ndctl_region_get_persistence_domain(region)) {
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

std::string ModeOf(ndctl_namespace* space) {
  switch (ndctl_namespace_get_mode(space)) {
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
std::string BlockDeviceOf(ndctl_namespace* space) {
  if (ndctl_pfn* pfn = ndctl_namespace_get_pfn(space)) {
    return StringOrEmpty(ndctl_pfn_get_block_device(pfn));
  }
  if (ndctl_btt* btt = ndctl_namespace_get_btt(space)) {
    return StringOrEmpty(ndctl_btt_get_block_device(btt));
  }
  if (ndctl_namespace_get_dax(space) != nullptr) return "";
  return StringOrEmpty(ndctl_namespace_get_block_device(space));
}

NamespaceFacts ReadNamespace(ndctl_namespace* space) {
  NamespaceFacts facts;
  facts.name = StringOrEmpty(ndctl_namespace_get_devname(space));
  facts.mode = ModeOf(space);
  facts.block_device = BlockDeviceOf(space);
  facts.size_bytes = SizeOrZero(ndctl_namespace_get_size(space));
  facts.enabled = ndctl_namespace_is_active(space);
  badblock* bad = nullptr;
  ndctl_namespace_badblock_foreach(space, bad) facts.bad_bytes += bad->len * kSectorBytes;
  return facts;
}

RegionFacts ReadRegion(ndctl_region* region) {
  RegionFacts facts;
  facts.name = StringOrEmpty(ndctl_region_get_devname(region));
  facts.type = StringOrEmpty(ndctl_region_get_type_name(region));
  facts.persistence_domain = PersistenceDomain(region);
  facts.size_bytes = SizeOrZero(ndctl_region_get_size(region));
  facts.available_bytes = SizeOrZero(ndctl_region_get_available_size(region));
  facts.numa_node = NodeOrNone(ndctl_region_get_numa_node(region));
  facts.target_node = NodeOrNone(ndctl_region_get_target_node(region));
  facts.read_only = ndctl_region_get_ro(region) > 0;
  badblock* bad = nullptr;
  ndctl_region_badblock_foreach(region, bad) facts.bad_bytes += bad->len * kSectorBytes;
  ndctl_namespace* space = nullptr;
  ndctl_namespace_foreach(region, space) {
    // Every region has an unconfigured seed for the next namespace.
    if (ndctl_namespace_get_size(space) == 0) continue;
    facts.namespaces.push_back(ReadNamespace(space));
  }
  return facts;
}

std::string HealthWord(unsigned health) {
  if ((health & ND_SMART_FATAL_HEALTH) != 0) return "fatal";
  if ((health & ND_SMART_CRITICAL_HEALTH) != 0) return "critical";
  if ((health & ND_SMART_NON_CRITICAL_HEALTH) != 0) return "non-critical";
  return "ok";
}

DimmFacts ReadDimm(ndctl_dimm* dimm) {
  DimmFacts facts;
  facts.name = StringOrEmpty(ndctl_dimm_get_devname(dimm));
  facts.health = "unknown";
  if (const long long dirty = ndctl_dimm_get_dirty_shutdown(dimm); dirty >= 0) {
    facts.dirty_shutdowns = static_cast<uint64_t>(dirty);
  }
  const std::unique_ptr<ndctl_cmd, void (*)(ndctl_cmd*)> smart(ndctl_dimm_cmd_new_smart(dimm),
                                                               &ndctl_cmd_unref);
  if (smart == nullptr || ndctl_cmd_submit(smart.get()) < 0) return facts;
  const unsigned valid = ndctl_cmd_smart_get_flags(smart.get());
  if ((valid & ND_SMART_HEALTH_VALID) != 0) {
    facts.health = HealthWord(ndctl_cmd_smart_get_health(smart.get()));
  }
  if ((valid & ND_SMART_USED_VALID) != 0) {
    facts.life_used_percent = ndctl_cmd_smart_get_life_used(smart.get());
  }
  return facts;
}

absl::Status ReadNvdimms(PmemTopology& topology) {
  ndctl_ctx* context = nullptr;
  if (int r = ndctl_new(&context); r < 0) return ErrnoStatus(-r, "open libndctl");
  const std::unique_ptr<ndctl_ctx, ndctl_ctx* (*)(ndctl_ctx*)> owner(context, &ndctl_unref);
  ndctl_set_log_priority(context, 0);  // a machine without persistent memory is no news
  ndctl_bus* bus = nullptr;
  ndctl_bus_foreach(context, bus) {
    ndctl_region* region = nullptr;
    ndctl_region_foreach(bus, region) topology.regions.push_back(ReadRegion(region));
    ndctl_dimm* dimm = nullptr;
    ndctl_dimm_foreach(bus, dimm) topology.dimms.push_back(ReadDimm(dimm));
  }
  return absl::OkStatus();
}

absl::Status ReadDaxDevices(PmemTopology& topology) {
  daxctl_ctx* context = nullptr;
  if (int r = daxctl_new(&context); r < 0) return ErrnoStatus(-r, "open libdaxctl");
  const std::unique_ptr<daxctl_ctx, void (*)(daxctl_ctx*)> owner(context, &daxctl_unref);
  daxctl_set_log_priority(context, 0);
  daxctl_region* region = nullptr;
  daxctl_region_foreach(context, region) {
    daxctl_dev* device = nullptr;
    daxctl_dev_foreach(region, device) {
      DaxDeviceFacts facts;
      facts.name = StringOrEmpty(daxctl_dev_get_devname(device));
      facts.mode = daxctl_dev_get_memory(device) != nullptr ? "system-ram" : "devdax";
      facts.size_bytes = SizeOrZero(daxctl_dev_get_size(device));
      facts.target_node = NodeOrNone(daxctl_dev_get_target_node(device));
      topology.dax_devices.push_back(std::move(facts));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PmemTopology> ReadPmemTopology() {
  PmemTopology topology;
  PMDEX_RETURN_IF_ERROR(ReadNvdimms(topology));
  PMDEX_RETURN_IF_ERROR(ReadDaxDevices(topology));
  return topology;
}

}  // namespace pmdex
