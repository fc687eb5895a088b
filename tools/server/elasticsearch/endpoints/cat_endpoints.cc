#include "tools/server/elasticsearch/endpoints/cat_endpoints.h"

#include <ctime>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "pmem/text.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/endpoints/cat_table.h"
#include "tools/server/elasticsearch/endpoints/index_facts.h"

namespace pmdex {
namespace {

// A size in the unit of the parameter `bytes`, without a name; else in a unit that suits it.
absl::StatusOr<std::string> SizeText(const ApiCall& call, uint64_t size_bytes) {
  const auto unit = call.parameters.Text("bytes");
  if (!unit.has_value()) return HumanSize(size_bytes);
  constexpr std::string_view kUnits[] = {"b", "kb", "mb", "gb", "tb", "pb"};
  constexpr std::string_view kShortUnits[] = {"b", "k", "m", "g", "t", "p"};
  for (size_t i = 0; i < std::size(kUnits); ++i) {
    if (*unit == kUnits[i] || *unit == kShortUnits[i]) {
      return absl::StrCat(size_bytes >> (10 * i));
    }
  }
  return BadArgument(absl::StrCat("[bytes] does not know the unit [", ToAbsl(*unit), "]"));
}

struct TimeOfDay {
  std::string epoch;
  std::string timestamp;
};

TimeOfDay Now() {
  const auto seconds = static_cast<uint64_t>(std::time(nullptr));
  return {absl::StrCat(seconds),
          absl::StrFormat("%02d:%02d:%02d", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60)};
}

}  // namespace

ApiAnswerOr AnswerCatIndices(const ApiCall& call) {
  PMDEX_ASSIGN_OR_RETURN(const SelectedIndexes indexes, SelectedBy(call));
  CatTable table({{"health", "h", false},
                  {"status", "s", false},
                  {"index", "i idx", false},
                  {"uuid", "id", false},
                  {"pri", "p shards.primary shardsPrimary", true},
                  {"rep", "r shards.replica shardsReplica", true},
                  {"docs.count", "dc docsCount", true},
                  {"docs.deleted", "dd docsDeleted", true},
                  {"store.size", "ss storeSize", true},
                  {"pri.store.size", "", true}});
  for (const auto& index : indexes) {
    const IndexFacts facts = FactsOf(*index);
    std::string size;
    if (facts.segments.has_value()) {
      PMDEX_ASSIGN_OR_RETURN(size, SizeText(call, facts.segments->size_bytes));
    }
    table.AddRow({std::string(HealthOf(*index)), "open", index->name, UuidOf(*index), "1", "0",
                  absl::StrCat(facts.documents), absl::StrCat(facts.deleted), size, size});
  }
  return table.Answer(call);
}

ApiAnswerOr AnswerCatHealth(const ApiCall& call) {
  CatTable table({{"epoch", "t time", false},
                  {"timestamp", "ts hms hhmmss", false},
                  {"cluster", "cl", false},
                  {"status", "st", false},
                  {"node.total", "nt nodeTotal", true},
                  {"node.data", "nd nodeData", true},
                  {"shards", "sh shards.total shardsTotal", true},
                  {"pri", "p shards.primary shardsPrimary", true},
                  {"relo", "r shards.relocating shardsRelocating", true},
                  {"init", "i shards.initializing shardsInitializing", true},
                  {"unassign", "u shards.unassigned shardsUnassigned", true},
                  {"pending_tasks", "pt pendingTasks", true},
                  {"max_task_wait_time", "mtwt maxTaskWaitTime", true},
                  {"active_shards_percent", "asp activeShardsPercent", true}});
  const TimeOfDay now = Now();
  const std::string shards = absl::StrCat(call.indexes.size());
  table.AddRow({now.epoch, now.timestamp, "pmdex", std::string(HealthOf(call.indexes)), "1", "1",
                shards, shards, "0", "0", "0", "0", "-", "100.0%"});
  return table.Answer(call);
}

ApiAnswerOr AnswerCatCount(const ApiCall& call) {
  PMDEX_ASSIGN_OR_RETURN(const SelectedIndexes indexes, SelectedBy(call));
  uint64_t documents = 0;
  for (const auto& index : indexes) documents += FactsOf(*index).documents;
  CatTable table({{"epoch", "t time", false},
                  {"timestamp", "ts hms hhmmss", false},
                  {"count", "dc docs.count docsCount", false}});
  const TimeOfDay now = Now();
  table.AddRow({now.epoch, now.timestamp, absl::StrCat(documents)});
  return table.Answer(call);
}

}  // namespace pmdex
