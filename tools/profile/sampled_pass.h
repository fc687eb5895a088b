// The pass of a profile that samples where the code is, and the phases that follow from it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pmem/status.h"
#include "query/searcher.h"
#include "tools/counters/cpu_sampler.h"
#include "tools/profile/address_names.h"
#include "tools/profile/profile_options.h"
#include "tools/profile/profile_queries.h"
#include "tools/profile/profile_result.h"

namespace pmdex {

// By the class of the query that ran.
using SamplesByClass = std::map<std::string, std::vector<CpuSample>>;

// Runs all queries, again and again for at least a second, while each thread is sampled. Sets
// samples, phases and stacks of the result. Where the kernel refuses perf events, a timer of each
// thread samples instead, and a note says so.
absl::Status SampleQueries(const Searcher& searcher, const std::vector<ProfileQuery>& queries,
                           const ProfileRunOptions& options, ProfiledConfiguration& result);

// Sets samples, phases and stacks, and the phases of classes.
void AddSamples(const SamplesByClass& samples, const AddressNames& names,
                ProfiledConfiguration& result);

}  // namespace pmdex
