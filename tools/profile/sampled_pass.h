// The pass of a profile that samples where the code is, and the phases that follow from it.
#pragma once

#include <vector>

#include "pmem/status.h"
#include "query/searcher.h"
#include "tools/counters/cpu_sampler.h"
#include "tools/profile/address_names.h"
#include "tools/profile/profile_options.h"
#include "tools/profile/profile_queries.h"
#include "tools/profile/profile_result.h"

namespace pmdex {

// Runs all queries, again and again for at least a second, while each thread is sampled. Sets
// samples, phases and stacks of the result, or adds a note if the kernel refuses to sample.
absl::Status SampleQueries(const Searcher& searcher, const std::vector<ProfileQuery>& queries,
                           const ProfileRunOptions& options, ProfiledConfiguration& result);

// Sets samples, phases and stacks. A stack is the phase and the function.
void AddSamples(const std::vector<CpuSample>& samples, const AddressNames& names,
                ProfiledConfiguration& result);

}  // namespace pmdex
