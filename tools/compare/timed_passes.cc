#include "tools/compare/timed_passes.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include "pmem/check.h"
#include "pmem/mutex.h"
#include "pmem/thread.h"
#include "tools/bound_to_cpu.h"

namespace pmdex {
namespace {

constexpr size_t kMostRounds = 200;

// Runs `runs` queries one after the other, the run i of them on the query i modulo plan.queries,
// and writes their times. The threads take the next run that is left. Returns the seconds from the
// first start to the last end.
absl::StatusOr<double> RunAll(const PassPlan& plan, size_t runs, const AnswerQuery& answer,
                              const SecondsClock& clock, std::vector<double>& times) {
  times.assign(runs, 0);
  std::atomic<size_t> next = 0;
  Mutex mutex;
  double first = std::numeric_limits<double>::infinity();
  double last = 0;
  PMDEX_RETURN_IF_ERROR(RunOnThreads(plan.threads, [&](size_t thread) {
    const BoundToCpu bound(plan.cpus, thread);
    const double begin = clock();
    for (size_t run; (run = next.fetch_add(1)) < runs;) {
      PMDEX_ASSIGN_OR_RETURN(times[run], answer(run % plan.queries));
    }
    const double end = clock();
    MutexLock lock(&mutex);
    first = std::min(first, begin);
    last = std::max(last, end);
    return absl::OkStatus();
  }));
  return last - first;
}

}  // namespace

double SteadySeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

absl::StatusOr<TimedPasses> RunPasses(const PassPlan& plan, const AnswerQuery& answer,
                                      const SecondsClock& clock) {
  PMDEX_CHECK(plan.queries > 0 && plan.passes > 0 && plan.threads > 0);
  std::vector<double> times;
  PMDEX_RETURN_IF_ERROR(RunAll(plan, plan.queries, answer, clock, times).status());
  const double warm_us = std::accumulate(times.begin(), times.end(), 0.0);
  TimedPasses result;
  const double rounds = std::ceil(plan.least_pass_us / std::max(warm_us, 1e-3));
  result.rounds = static_cast<size_t>(std::clamp<double>(rounds, 1, kMostRounds));
  const size_t runs = plan.queries * result.rounds;
  PMDEX_ASSIGN_OR_RETURN(result.wall_s, RunAll(plan, runs * plan.passes, answer, clock, times));
  for (size_t pass = 0; pass < plan.passes; ++pass) {
    const auto begin = times.begin() + static_cast<std::ptrdiff_t>(pass * runs);
    result.times_us.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(runs));
  }
  return result;
}

}  // namespace pmdex
