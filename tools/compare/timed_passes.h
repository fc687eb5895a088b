// Runs a set of queries several times on several threads, each bound to a CPU, and keeps the time
// of every run. What answers a query is a function, so that tests need no clock. Thread-safe: no
// state.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "pmem/status.h"

namespace pmdex {

struct PassPlan {
  size_t queries = 0;
  size_t passes = 5;
  size_t threads = 1;
  std::vector<int> cpus;  // the thread i runs on the CPU i modulo their number; empty: on any
  // A pass is at least so long, by repeating the queries, so that a pass of few fast queries is not
  // shorter than the noise of the machine.
  double least_pass_us = 20'000;
};

struct TimedPasses {
  size_t rounds = 1;  // how often a pass ran all queries
  // The times of one pass each. The time i of a pass is that of the query i modulo queries.
  std::vector<std::vector<double>> times_us;
  double wall_s = 0;  // of all timed passes
};

// Answers a query and returns how long that took, in microseconds. Several threads call it.
using AnswerQuery = std::function<absl::StatusOr<double>(size_t query)>;
// Returns seconds since some moment. Several threads call it.
using SecondsClock = std::function<double()>;
double SteadySeconds();

// Answers all queries once to warm up, then plan.passes times. Passes follow each other without a
// break. Binds the calling thread meanwhile. Returns the first error of `answer`. Requires queries,
// passes and threads above 0.
absl::StatusOr<TimedPasses> RunPasses(const PassPlan& plan, const AnswerQuery& answer,
                                      const SecondsClock& clock = SteadySeconds);

}  // namespace pmdex
