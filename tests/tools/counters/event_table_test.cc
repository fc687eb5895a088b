#include "tools/counters/event_table.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "tools/counters/formula.h"

namespace pmdex {
namespace event_table_test {

const EventTable* const kTables[] = {
    &SkylakeTable(), &CascadeLakeTable(),   &IceLakeTable(),  &SapphireRapidsTable(), &Zen4Table(),
    &Zen5Table(),    &ArchitecturalTable(), &SoftwareTable(), &SimulatedTable()};

CpuIdentity Cpu(const char* vendor, unsigned family, unsigned model, unsigned stepping = 0) {
  CpuIdentity cpu;
  cpu.vendor = vendor;
  cpu.family = family;
  cpu.model = model;
  cpu.stepping = stepping;
  return cpu;
}

TEST(EventTable, IsChosenByFamilyModelAndStepping) {
  const auto name = [](const CpuIdentity& cpu) { return TableOf(cpu).name; };
  EXPECT_EQ(name(Cpu("GenuineIntel", 6, 0x55, 4)), "skylake");
  EXPECT_EQ(name(Cpu("GenuineIntel", 6, 0x55, 7)), "cascade-lake");
  EXPECT_EQ(name(Cpu("GenuineIntel", 6, 0x6a)), "ice-lake");
  EXPECT_EQ(name(Cpu("GenuineIntel", 6, 0x8f)), "sapphire-rapids");
  EXPECT_EQ(name(Cpu("GenuineIntel", 6, 0xcf)), "sapphire-rapids");
  EXPECT_EQ(name(Cpu("AuthenticAMD", 0x19, 0x11)), "zen4");
  EXPECT_EQ(name(Cpu("AuthenticAMD", 0x1a, 0x02)), "zen5");
}

TEST(EventTable, OfAnUnknownCpuHasArchitecturalEventsOnly) {
  EXPECT_EQ(TableOf(Cpu("GenuineIntel", 6, 0x9e)).name, "architectural");
  EXPECT_EQ(TableOf(Cpu("AuthenticAMD", 0x19, 0x01)).name, "architectural") << "Zen 3";
  EXPECT_EQ(TableOf(Cpu("", 0, 0)).name, "architectural");
}

TEST(EventTable, NamesEveryEventAndMetricOnce) {
  for (const EventTable* table : kTables) {
    std::set<std::string_view> names;
    for (const CounterEvent& event : table->events) {
      EXPECT_TRUE(names.insert(event.name).second) << table->name << ": " << event.name;
      EXPECT_FALSE(event.source.empty()) << event.name;
    }
    for (const MetricRow& metric : table->metrics) {
      EXPECT_TRUE(names.insert(metric.name).second) << table->name << ": " << metric.name;
      EXPECT_FALSE(metric.unit.empty() || metric.source.empty()) << metric.name;
    }
  }
}

TEST(EventTable, FormulasUseEventsThatAGroupCountsAndRowsAbove) {
  for (const EventTable* table : kTables) {
    std::set<std::string> known = {"queries",   "wall_ns",  "user_ns",
                                   "system_ns", "switches", "first_page_faults"};
    for (const EventGroup& group : table->groups) {
      for (const std::string_view event : group.events) known.emplace(event);
    }
    for (const MetricRow& metric : table->metrics) {
      for (const std::string& name : NamesInFormula(metric.formula)) {
        EXPECT_TRUE(known.contains(name)) << table->name << ": " << metric.name << ": " << name;
      }
      known.emplace(metric.name);
    }
  }
}

// On Intel, cycles and instructions have fixed counters, and four counters are general if the other
// thread of the core uses its own. AMD has six counters in all.
TEST(EventTable, GroupsFitTheCountersOfTheCpu) {
  for (const EventTable* table : kTables) {
    if (table->name == "software" || table->name == "simulated") continue;
    const bool is_amd = table->name.starts_with("zen");
    const bool has_eight = table->name == "ice-lake" || table->name == "sapphire-rapids";
    const size_t room = is_amd ? 6 : has_eight ? 8 : 4;
    for (const EventGroup& group : table->groups) {
      size_t general = 0;
      for (const std::string_view event : group.events) {
        ASSERT_NE(table->FindEvent(event), nullptr) << table->name << ": " << event;
        general += is_amd || (event != "cycles" && event != "instructions") ? 1 : 0;
      }
      EXPECT_LE(general, room) << table->name << ": " << group.name;
      EXPECT_EQ(group.events[0], "cycles") << "passes are compared by it";
    }
  }
}

// On Ice Lake and Sapphire Rapids these events count on four of the eight counters only.
TEST(EventTable, PutsAtMostFourEventsOfTheFirstCountersIntoAGroup) {
  for (const EventTable* table : {&IceLakeTable(), &SapphireRapidsTable()}) {
    for (const EventGroup& group : table->groups) {
      int limited = 0;
      for (const std::string_view name : group.events) {
        const uint64_t code = table->FindEvent(name)->config & 0xff;
        const bool is_limited = code == 0xa3 || code == 0x47 || code == 0xd1 || code == 0xd3 ||
                                (code == 0xa6 && table == &SapphireRapidsTable());
        limited += is_limited ? 1 : 0;
      }
      EXPECT_LE(limited, 4) << table->name << ": " << group.name;
    }
  }
}

TEST(EventTable, HasMetricsForTheNodesOfTopDown) {
  for (const EventTable* table : kTables) {
    for (const auto* nodes : {&table->level1, &table->level2, &table->memory}) {
      for (const std::string_view node : *nodes) {
        ASSERT_NE(table->FindMetric(node), nullptr) << table->name << ": " << node;
        EXPECT_EQ(table->FindMetric(node)->check, MetricCheck::kFraction) << node;
      }
    }
  }
}

TEST(ThisCpu, AgreesWithTheKernel) {
  std::ifstream file("/proc/cpuinfo");
  std::ostringstream text;
  text << file.rdbuf();
  const CpuIdentity cpu = ThisCpu();
  const auto line = [](const std::string& key, const std::string& value) {
    return key + ": " + value + "\n";
  };
  EXPECT_NE(text.str().find(line("vendor_id\t", cpu.vendor)), std::string::npos) << cpu.vendor;
  EXPECT_NE(text.str().find(line("cpu family\t", std::to_string(cpu.family))), std::string::npos);
  EXPECT_NE(text.str().find(line("model\t\t", std::to_string(cpu.model))), std::string::npos);
  EXPECT_NE(text.str().find(line("model name\t", cpu.brand)), std::string::npos) << cpu.brand;
}

}  // namespace event_table_test
}  // namespace pmdex
