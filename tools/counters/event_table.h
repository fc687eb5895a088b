// What a microarchitecture can count, and the metrics that follow from it, as data: one file of
// rows for each (..._table.cc). A new CPU is a new table. `pmdex profile` evaluates the rows by
// formula.h. Thread-safe: constants.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pmdex {

// The types of perf_event_open that tables use, with the values of PERF_TYPE_*; and kSimulated,
// which the kernel does not know: a simulator counts it, and config is its place in the simulator's
// list.
enum class EventType : uint32_t { kHardware = 0, kSoftware = 1, kRaw = 4, kSimulated = ~0u };

// For raw events of Intel, config is event | umask << 8 | edge << 18 | inv << 23 | cmask << 24. For
// AMD it is bits 0-7 of the event | umask << 8 | cmask << 24 | bits 8-11 of the event << 32.
struct CounterEvent {
  std::string_view name;  // as formulas name it
  EventType type = EventType::kRaw;
  uint64_t config = 0;
  std::string_view source;  // the vendor's name of the event
  bool never_zero = false;  // no code runs for some cycles without it
};

// Events that are counted together in one pass over the queries: as many as the CPU has counters,
// so that the kernel never shares a counter out in turns.
struct EventGroup {
  std::string_view name;
  std::vector<std::string_view> events;
};

enum class MetricCheck {
  kNone,      // any value may be right
  kFraction,  // between 0 and 1
};

struct MetricRow {
  std::string_view name;
  std::string_view unit;     // "share of slots", "per 1,000 instructions"
  std::string_view formula;  // over events, rows above it, and `queries`, how many were run
  std::string_view source;   // where the formula comes from
  MetricCheck check = MetricCheck::kNone;
  // What readers of tables and plots see in place of the usual title; empty: that.
  std::string_view title = {};
};

struct EventTable {
  std::string_view name;   // "sapphire-rapids"
  std::string_view title;  // "Intel Sapphire Rapids, Emerald Rapids"
  int width = 0;           // slots of a cycle; 0: the table has no slots
  std::vector<CounterEvent> events;
  std::vector<EventGroup> groups;
  std::vector<MetricRow> metrics;
  // Metrics that must add up to 1: the categories of level 1. Empty: no top-down.
  std::vector<std::string_view> level1;
  // Metrics that divide one of level 1 further, and the name of that one.
  std::vector<std::string_view> level2;
  std::vector<std::string_view> memory;  // the nodes below memory bound, as shares of cycles

  const CounterEvent* FindEvent(std::string_view event) const;  // nullptr: none
  const MetricRow* FindMetric(std::string_view metric) const;   // nullptr: none
};

// The rows of each microarchitecture.
const EventTable& SkylakeTable();
const EventTable& CascadeLakeTable();
const EventTable& IceLakeTable();
const EventTable& SapphireRapidsTable();
const EventTable& Zen4Table();
const EventTable& Zen5Table();
// Events that every PMU counts under the names of the kernel: for a CPU without a table.
const EventTable& ArchitecturalTable();
// What the kernel counts without a PMU.
const EventTable& SoftwareTable();
// What callgrind counts.
const EventTable& SimulatedTable();

struct CpuIdentity {
  std::string vendor;  // of CPUID: "GenuineIntel", "AuthenticAMD"
  std::string brand;   // "AMD EPYC 9654 96-Core Processor"; empty: unknown
  unsigned family = 0;
  unsigned model = 0;
  unsigned stepping = 0;
  bool is_virtual = false;  // a hypervisor runs below
};

CpuIdentity ThisCpu();

// The table of the CPU; ArchitecturalTable() if it has none.
const EventTable& TableOf(const CpuIdentity& cpu);

// `rows` and then `more`.
template <typename Row>
std::vector<Row> Joined(std::vector<Row> rows, const std::vector<Row>& more) {
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

}  // namespace pmdex
