#include "tools/doctor.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "absl/strings/str_format.h"

#include "pmem/text.h"
#include "tools/doctor_checks.h"
#include "tools/json_writer.h"
#include "tools/printable.h"

namespace pmdex {
namespace {

constexpr int kIdWidth = 13;
constexpr int kStateWidth = 6;
constexpr size_t kIndent = 2 + kIdWidth + 2 + kStateWidth + 2;
constexpr size_t kTextWidth = 100 - kIndent;

// Appends `text`, wrapped at spaces. Its first line continues the last line of `out`.
void AppendWrapped(std::string& out, std::string_view text) {
  while (text.size() > kTextWidth) {
    size_t cut = text.rfind(' ', kTextWidth);
    if (cut == text.npos || cut == 0) cut = text.find(' ', kTextWidth);
    if (cut == text.npos) break;
    out += text.substr(0, cut);
    out += '\n' + std::string(kIndent, ' ');
    text.remove_prefix(cut + 1);
  }
  out += text;
  out += '\n';
}

void AppendCheck(std::string& out, const DoctorCheck& check, bool with_meaning) {
  absl::StrAppendFormat(&out, "  %-*s  %-*s  ", kIdWidth, check.id, kStateWidth,
                        ToString(check.state));
  AppendWrapped(out, Printable(check.value));
  if (with_meaning) AppendWrapped(out += std::string(kIndent, ' '), check.meaning);
  if (!check.fix.empty()) out += std::string(kIndent, ' ') + "fix: " + Printable(check.fix) + "\n";
}

std::string DefaultPath() {
  std::error_code error;
  return std::filesystem::is_directory("/mnt/pmem", error) ? "/mnt/pmem" : ".";
}

void WriteOptional(JsonWriter& json, std::string_view key, const std::optional<int>& value) {
  json.Key(key);
  if (value.has_value()) {
    json.Int(*value);
  } else {
    json.Null();
  }
}

void WriteNamespace(JsonWriter& json, const NamespaceFacts& space) {
  json.BeginObject();
  json.Key("name").String(space.name).Key("mode").String(space.mode);
  json.Key("block_device").String(space.block_device).Key("bytes").Uint(space.size_bytes);
  json.Key("enabled").Bool(space.enabled).Key("bad_bytes").Uint(space.bad_bytes).EndObject();
}

void WriteRegion(JsonWriter& json, const RegionFacts& region) {
  json.BeginObject();
  json.Key("name").String(region.name).Key("type").String(region.type);
  json.Key("persistence_domain").String(region.persistence_domain);
  json.Key("bytes").Uint(region.size_bytes).Key("available_bytes").Uint(region.available_bytes);
  WriteOptional(json, "numa_node", region.numa_node);
  WriteOptional(json, "target_node", region.target_node);
  json.Key("bad_bytes").Uint(region.bad_bytes).Key("read_only").Bool(region.read_only);
  json.Key("namespaces").BeginArray();
  for (const NamespaceFacts& space : region.namespaces) WriteNamespace(json, space);
  json.EndArray().EndObject();
}

void WriteInventory(JsonWriter& json, const DoctorFacts& facts) {
  json.Key("regions").BeginArray();
  for (const RegionFacts& region : facts.topology.regions) WriteRegion(json, region);
  json.EndArray().Key("dimms").BeginArray();
  for (const DimmFacts& dimm : facts.topology.dimms) {
    json.BeginObject().Key("name").String(dimm.name).Key("health").String(dimm.health).EndObject();
  }
  json.EndArray().Key("dax_devices").BeginArray();
  for (const DaxDeviceFacts& device : facts.topology.dax_devices) {
    json.BeginObject().Key("name").String(device.name).Key("mode").String(device.mode);
    json.Key("bytes").Uint(device.size_bytes);
    WriteOptional(json, "target_node", device.target_node);
    json.EndObject();
  }
  json.EndArray().Key("cxl_devices").BeginArray();
  for (const CxlDeviceFacts& device : facts.cxl_devices) {
    json.BeginObject().Key("name").String(device.name);
    json.Key("persistent_bytes").Uint(device.persistent_bytes);
    json.Key("volatile_bytes").Uint(device.volatile_bytes).EndObject();
  }
  json.EndArray();
}

}  // namespace

absl::StatusOr<DoctorFacts> GatherDoctorFacts(const std::string& path, std::string_view root) {
  DoctorFacts facts;
  PMDEX_ASSIGN_OR_RETURN(facts.place, ProbePlace(path, root));
  PMDEX_ASSIGN_OR_RETURN(facts.numa_place, FindNumaPlace(path, root));
  auto topology = ReadPmemTopology();
  facts.topology_status = topology.status();
  if (topology.ok()) facts.topology = *std::move(topology);
  facts.cxl_devices = ReadCxlDevices(root);
  facts.numa_nodes = ReadNumaNodes();
  facts.huge_pages = ReadHugePages(root);
  facts.limits = ReadMappingLimits(root);
  facts.simd = BestSimdLevel();
  facts.pmu = ProbePmu(root);
  return facts;
}

std::string RenderDoctorText(const DoctorFacts& facts) {
  const std::vector<DoctorCheck> checks = DiagnoseDoctorFacts(facts);
  std::string out = "pmdex doctor: " + Printable(facts.place.path) + "\n\n";
  for (size_t i = 0; i < checks.size(); ++i) {
    // If neighbouring checks have the same meaning (say, on a machine without persistent memory),
    // only the last of them shows it.
    const bool same_next = i + 1 < checks.size() && checks[i].meaning == checks[i + 1].meaning;
    AppendCheck(out, checks[i], !same_next);
  }
  return out + "\n" + Printable(DoctorSummary(facts, checks)) + "\n";
}

std::string RenderDoctorJson(const DoctorFacts& facts) {
  const std::vector<DoctorCheck> checks = DiagnoseDoctorFacts(facts);
  const PlaceFacts& place = facts.place;
  JsonWriter json;
  json.BeginObject();
  json.Key("path").Name(place.path).Key("summary").String(DoctorSummary(facts, checks));
  json.Key("persistent_memory").Bool(!facts.topology.regions.empty());
  json.Key("writable").Bool(place.writable.ok());
  json.Key("dax").Bool(place.dax).Key("map_sync").Bool(place.map_sync);
  json.Key("granularity").String(ToString(place.granularity));
  json.Key("filesystem").String(place.mount.filesystem);
  json.Key("mount_point").String(place.mount.mount_point);
  json.Key("mount_options").String(place.mount.options);
  json.Key("free_bytes").Uint(place.free_bytes);
  json.Key("numa_nodes").Uint(facts.numa_nodes.size());
  WriteOptional(json, "numa_node",
                facts.numa_place.memory_node.has_value() ? facts.numa_place.memory_node
                                                         : facts.numa_place.cpu_node);
  json.Key("simd").String(ToString(facts.simd));
  json.Key("pmu").Bool(facts.pmu.state == PmuState::kWorks);
  WriteInventory(json, facts);
  json.Key("checks").BeginArray();
  for (const DoctorCheck& check : checks) {
    json.BeginObject().Key("id").String(check.id).Key("state").String(ToString(check.state));
    json.Key("value").String(check.value).Key("meaning").String(check.meaning);
    json.Key("fix").String(check.fix).EndObject();
  }
  json.EndArray().EndObject();
  return json.result() + "\n";
}

absl::StatusOr<std::string> RunDoctor(const DoctorOptions& options) {
  const std::string path = options.path.empty() ? DefaultPath() : options.path;
  PMDEX_ASSIGN_OR_RETURN(const DoctorFacts facts, GatherDoctorFacts(path));
  return options.json ? RenderDoctorJson(facts) : RenderDoctorText(facts);
}

}  // namespace pmdex
