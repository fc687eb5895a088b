#include "engine/ingest/problem_log.h"

#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/ingest/problem_kind.h"
#include "pmem/mutex.h"
#include "pmem/text.h"

namespace pmdex {

void MergeProblems(const ProblemSummaries& from, ProblemSummaries& to) {
  for (const auto& [kind, summary] : from) {
    ProblemSummary& merged = to[kind];
    merged.count += summary.count;
    for (const std::string& place : summary.first_places) {
      if (merged.first_places.size() < ProblemLog::kPlacesKept)
        merged.first_places.push_back(place);
    }
  }
}

void ProblemLog::Add(ProblemKind kind, std::string_view place, std::string_view reason) {
  MutexLock lock(&mutex_);
  ProblemSummary& summary = problems_[kind];
  ++summary.count;
  if (summary.first_places.size() == kPlacesKept) return;
  summary.first_places.push_back(
      reason.empty() ? std::string(place) : absl::StrCat(ToAbsl(place), ": ", ToAbsl(reason)));
}

ProblemSummaries ProblemLog::problems() const {
  MutexLock lock(&mutex_);
  return problems_;
}

ProblemSummaries ProblemLog::Take() {
  MutexLock lock(&mutex_);
  return std::exchange(problems_, {});
}

}  // namespace pmdex
