#include "tools/counters/event_table.h"

#include <cpuid.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace pmdex {
namespace {

using CpuidWords = std::array<unsigned, 4>;  // eax, ebx, ecx, edx

CpuidWords Cpuid(unsigned leaf) {
  CpuidWords words = {};
  if (__get_cpuid(leaf, &words[0], &words[1], &words[2], &words[3]) == 0) return {};
  return words;
}

std::string TextOf(std::initializer_list<unsigned> words) {
  std::string text;
  for (const unsigned word : words) {
    std::array<char, 4> bytes;
    std::memcpy(bytes.data(), &word, bytes.size());
    text.append(bytes.data(), bytes.size());
  }
  return text.substr(0, text.find('\0'));
}

std::string BrandOfCpu() {
  std::string brand;
  for (unsigned leaf = 0x80000002; leaf <= 0x80000004; ++leaf) {
    const CpuidWords words = Cpuid(leaf);
    brand += TextOf({words[0], words[1], words[2], words[3]});
  }
  const size_t begin = brand.find_first_not_of(' ');
  if (begin == std::string::npos) return "";
  return brand.substr(begin, brand.find_last_not_of(' ') + 1 - begin);
}

const EventTable* IntelTable(const CpuIdentity& cpu) {
  if (cpu.family != 6) return nullptr;
  switch (cpu.model) {
    case 0x55:
      return cpu.stepping < 5 ? &SkylakeTable() : &CascadeLakeTable();
    case 0x6a:
    case 0x6c:
      return &IceLakeTable();
    case 0x8f:
    case 0xcf:
      return &SapphireRapidsTable();
    default:
      return nullptr;
  }
}

const EventTable* AmdTable(const CpuIdentity& cpu) {
  // Family 19h holds Zen 3 and Zen 4; the models of Zen 4 are those of Linux' amd.c.
  const bool is_zen4 = cpu.family == 0x19 && ((cpu.model >= 0x10 && cpu.model <= 0x1f) ||
                                              (cpu.model >= 0x60 && cpu.model <= 0xaf));
  if (is_zen4) return &Zen4Table();
  return cpu.family == 0x1a ? &Zen5Table() : nullptr;
}

}  // namespace

const CounterEvent* EventTable::FindEvent(std::string_view event) const {
  const auto found = std::find_if(events.begin(), events.end(),
                                  [&](const CounterEvent& row) { return row.name == event; });
  return found == events.end() ? nullptr : &*found;
}

const MetricRow* EventTable::FindMetric(std::string_view metric) const {
  const auto found = std::find_if(metrics.begin(), metrics.end(),
                                  [&](const MetricRow& row) { return row.name == metric; });
  return found == metrics.end() ? nullptr : &*found;
}

CpuIdentity ThisCpu() {
  CpuIdentity cpu;
  const CpuidWords name = Cpuid(0);
  cpu.vendor = TextOf({name[1], name[3], name[2]});
  cpu.brand = BrandOfCpu();
  const CpuidWords words = Cpuid(1);
  const unsigned base_family = words[0] >> 8 & 0xf;
  cpu.stepping = words[0] & 0xf;
  cpu.family = base_family + (base_family == 0xf ? words[0] >> 20 & 0xff : 0);
  cpu.model = words[0] >> 4 & 0xf;
  if (base_family == 0x6 || base_family == 0xf) cpu.model |= (words[0] >> 16 & 0xf) << 4;
  cpu.is_virtual = (words[2] >> 31 & 1) != 0;
  return cpu;
}

const EventTable& TableOf(const CpuIdentity& cpu) {
  const EventTable* table = nullptr;
  if (cpu.vendor == "GenuineIntel") table = IntelTable(cpu);
  if (cpu.vendor == "AuthenticAMD") table = AmdTable(cpu);
  return table == nullptr ? ArchitecturalTable() : *table;
}

}  // namespace pmdex
