#include "tools/compare/compare_advice.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "tools/command.h"
#include "tools/compare/latency_summary.h"

namespace pmdex {
namespace {

constexpr double kWithin = 1.10;

struct Candidate {
  const ComparedConfiguration* configuration;
  double mean_us;
};

std::vector<Candidate> CandidatesOf(const CompareResult& result) {
  uint64_t scale = 0;
  uint64_t threads = UINT64_MAX;
  bool pruned = false;
  for (const ComparedConfiguration& one : result.configurations) {
    scale = std::max(scale, one.key.scale);
    threads = std::min(threads, one.key.threads);
    pruned = pruned || one.key.mode == "pruned";
  }
  std::vector<Candidate> candidates;
  for (const ComparedConfiguration& one : result.configurations) {
    const std::optional<double> mean = OverallMeanUs(one);
    const bool counts = one.key.scale == scale && one.key.threads == threads &&
                        one.key.numa != "remote" && (one.key.mode == "pruned") == pruned;
    if (counts && mean.has_value()) candidates.push_back({&one, *mean});
  }
  return candidates;
}

// "hits", "total", or nothing if the answers agree.
std::optional<std::string> DifferenceOf(const AnswerFingerprint& a, const AnswerFingerprint& b) {
  if (a.hits != b.hits) return "hits";
  if (a.total.has_value() && b.total.has_value() && a.total != b.total) return "total";
  return std::nullopt;
}

std::optional<AnswerDifference> DifferenceInSet(
    const std::vector<ComparedConfiguration>& configurations, const QuerySet& set, size_t query) {
  for (size_t i = 0; i < configurations.size(); ++i) {
    const ComparedClass* one = FindClass(configurations[i], set.name);
    if (one == nullptr || query >= one->answers.size()) continue;
    for (size_t j = 0; j < i; ++j) {
      const ComparedClass* other = FindClass(configurations[j], set.name);
      if (other == nullptr || query >= other->answers.size() ||
          configurations[i].key.scale != configurations[j].key.scale) {
        continue;
      }
      const auto what = DifferenceOf(other->answers[query], one->answers[query]);
      if (!what.has_value()) continue;
      return AnswerDifference{set.name, set.queries[query], *what,
                              NameOfConfiguration(configurations[j].key),
                              NameOfConfiguration(configurations[i].key)};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> OverallMeanUs(const ComparedConfiguration& configuration) {
  std::vector<double> means;
  for (const ComparedClass& one : configuration.classes) {
    if (one.mean_us > 0) means.push_back(one.mean_us);
  }
  if (means.empty()) return std::nullopt;
  return GeometricMean(means);
}

const ComparedClass* FindClass(const ComparedConfiguration& configuration, std::string_view name) {
  const auto found = std::find_if(configuration.classes.begin(), configuration.classes.end(),
                                  [&](const ComparedClass& one) { return one.name == name; });
  return found == configuration.classes.end() ? nullptr : &*found;
}

std::optional<AnswerDifference> FirstDifference(
    const std::vector<ComparedConfiguration>& configurations, const std::vector<QuerySet>& sets) {
  for (const QuerySet& set : sets) {
    for (size_t query = 0; query < set.queries.size(); ++query) {
      auto difference = DifferenceInSet(configurations, set, query);
      if (difference.has_value()) return difference;
    }
  }
  return std::nullopt;
}

CompareAdvice AdviseOn(const CompareResult& result) {
  if (result.difference.has_value()) {
    return {"", "The configurations answer queries differently, so none can be advised."};
  }
  const std::vector<Candidate> candidates = CandidatesOf(result);
  if (candidates.empty()) return {"", "Nothing was measured."};
  const Candidate fastest = *std::min_element(
      candidates.begin(), candidates.end(),
      [](const Candidate& a, const Candidate& b) { return a.mean_us < b.mean_us; });
  Candidate best = fastest;
  for (const Candidate& one : candidates) {
    if (one.mean_us > kWithin * fastest.mean_us) continue;
    if (std::pair(one.configuration->bytes, one.mean_us) <
        std::pair(best.configuration->bytes, best.mean_us)) {
      best = one;
    }
  }
  std::string why = absl::StrFormat(
      "Its geometric mean over all classes is %.3g us and it takes %s; the fastest of %d has "
      "%.3g us",
      best.mean_us, HumanBytes(best.configuration->bytes), candidates.size(), fastest.mean_us);
  if (best.configuration == fastest.configuration) {
    absl::StrAppend(&why, " and is the same");
  } else {
    absl::StrAppend(&why, " and takes ", HumanBytes(fastest.configuration->bytes));
  }
  return {NameOfConfiguration(best.configuration->key), absl::StrCat(why, ".")};
}

}  // namespace pmdex
