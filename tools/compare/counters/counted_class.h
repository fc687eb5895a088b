// Counts what the queries of a set cost the CPU, with the counters of `pmdex profile`. Thread-safe:
// no state.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pmem/status.h"
#include "query/searcher.h"
#include "tools/compare/compare_result.h"
#include "tools/compare/measured_index.h"
#include "tools/profile/profile_session.h"

namespace pmdex {

struct ClassCounts {
  std::vector<CounterValue> counters;       // of the set
  std::map<uint64_t, double> instructions;  // of a query, by PostingBucket::from; may be empty
  std::vector<std::string> notes;           // what was left out, and why
};

// Hardware counters where the machine has some, else software events. cpus: those that threads are
// bound to; empty: any.
absl::StatusOr<ClassCounts> CountClass(const Searcher& searcher, const BoundSet& set,
                                       const ConfigurationKey& key, const std::vector<int>& cpus,
                                       const ProfileMachine& machine);

// Puts the counts into the class, whose buckets are those of the set.
void SetCounts(const ClassCounts& counts, ComparedClass& one);

}  // namespace pmdex
