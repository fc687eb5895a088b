// The kernels for a similarity that a program brings (ScoreFormulas): those that compute scores
// call its formulas one posting at a time, the others are those of the CPU. Stateless, thread-safe.
#pragma once

#include "pmem/cpu_features.h"
#include "query/kernel/kernels.h"

namespace pmdex {

// Requires IsUsable(level), and terms whose similarity is kCustom.
const QueryKernels& CustomQueryKernels(SimdLevel level);

}  // namespace pmdex
