#include "engine/ingest/tuning/tuner.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/tuning/tuning.h"
#include "engine/ingest/tuning/tuning_sample.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

constexpr double kLeastGain = 1.05;
constexpr int kRounds = 2;

using Alternatives = std::vector<IngestOptions>;

// The options of a run, and what they come to.
struct Settings {
  const IngestOptions& options;
  const BuildParameters parameters;
};

struct Parameter {
  const char* name;
  bool (*is_given)(const IngestOptions& options, const TunerSetup& setup);
  std::string (*value)(const Settings& settings);
  // Values other than the current one; the caller leaves out those that do not fit.
  Alternatives (*others)(const Settings& settings, int cpus);
};

// Copies of the options, each with one of the values.
template <typename Value>
Alternatives With(const IngestOptions& options, Value IngestOptions::*member,
                  const std::vector<std::type_identity_t<Value>>& values) {
  Alternatives alternatives;
  for (const Value& value : values) {
    alternatives.push_back(options);
    alternatives.back().*member = value;
  }
  return alternatives;
}

Alternatives OtherBlockSizes(const Settings& settings, int /*cpus*/) {
  const uint64_t bytes = settings.parameters.memory.block_bytes;
  return With(settings.options, &IngestOptions::block_bytes,
              {bytes / 4 / kBlockUnitBytes * kBlockUnitBytes, bytes * 4});
}

Alternatives OtherIndexerThreads(const Settings& settings, int cpus) {
  return With(settings.options, &IngestOptions::indexer_threads, {cpus - 1, cpus / 2});
}

Alternatives OtherReaderThreads(const Settings& settings, int cpus) {
  std::vector<int> counts;
  for (int readers = 1; readers <= std::min(cpus, 4); readers *= 2) counts.push_back(readers);
  return With(settings.options, &IngestOptions::reader_threads, counts);
}

Alternatives OtherWriterThreads(const Settings& settings, int /*cpus*/) {
  std::vector<int> counts;  // as many as indexers is the default, or more than it
  for (int writers = 1; writers < settings.options.indexer_threads && writers <= 4; writers *= 2) {
    counts.push_back(writers);
  }
  return With(settings.options, &IngestOptions::writer_threads, counts);
}

// A quarter and four times as many, in bounds.
Alternatives OtherIndexDepths(const Settings& settings, int /*cpus*/) {
  const uint32_t depth = settings.parameters.memtable.index_depth;
  return With(settings.options, &IngestOptions::index_depth, {depth / 4, depth * 4});
}

Alternatives OtherSplitFactors(const Settings& settings, int /*cpus*/) {
  const uint32_t parts = settings.parameters.memtable.split_factor;
  std::vector<uint32_t> others = {parts * 4};
  if (parts >= 4) others.insert(others.begin(), parts / 4);
  return With(settings.options, &IngestOptions::split_factor, others);
}

Alternatives OtherHugePages(const Settings& settings, int /*cpus*/) {
  return With(settings.options, &IngestOptions::huge_pages, {HugePageUse::kOff});
}

constexpr Parameter kParameters[] = {
    {"indexer threads",
     [](const IngestOptions&, const TunerSetup& setup) { return setup.indexers_given; },
     [](const Settings& settings) { return absl::StrCat(settings.parameters.indexer_threads); },
     OtherIndexerThreads},
    {"reader threads",
     [](const IngestOptions& options, const TunerSetup&) { return options.reader_threads != 0; },
     [](const Settings& settings) { return absl::StrCat(settings.parameters.reader_threads); },
     OtherReaderThreads},
    {"writer threads",
     [](const IngestOptions& options, const TunerSetup&) { return options.writer_threads != 0; },
     [](const Settings& settings) {
       return settings.options.writer_threads == 0
                  ? "default"
                  : absl::StrCat(settings.parameters.writer_threads);
     },
     OtherWriterThreads},
    {"block size",
     [](const IngestOptions& options, const TunerSetup&) { return options.block_bytes != 0; },
     [](const Settings& settings) { return SizeText(settings.parameters.memory.block_bytes); },
     OtherBlockSizes},
    {"index depth",
     [](const IngestOptions& options, const TunerSetup&) { return options.index_depth != 0; },
     [](const Settings& settings) {
       return absl::StrCat(settings.parameters.memtable.index_depth);
     },
     OtherIndexDepths},
    {"split factor",
     [](const IngestOptions& options, const TunerSetup&) { return options.split_factor != 0; },
     [](const Settings& settings) {
       return absl::StrCat(settings.parameters.memtable.split_factor);
     },
     OtherSplitFactors},
    {"huge pages",
     [](const IngestOptions& options, const TunerSetup&) {
       return options.huge_pages != HugePageUse::kAuto;
     },
     [](const Settings& settings) { return std::string(ToString(settings.parameters.huge_pages)); },
     OtherHugePages},
};

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

struct MeasuredTuning {
  IngestOptions options;
  std::string value;
  std::vector<double> rates;
};

bool FitsThreads(const IngestOptions& options) {
  const IngestOptions fitted = FitThreads(options);
  return fitted.indexer_threads == options.indexer_threads &&
         fitted.reader_threads == options.reader_threads;
}

// Writers are what depends on the medium. Without an option their value is "default" wherever the
// build is, so any medium will do here.
Settings Resolved(const IngestOptions& options) {
  return {options, ResolveParameters(options, StoreGranularity::kPage)};
}

// The current value first; no value twice.
std::vector<MeasuredTuning> CandidatesOf(const Parameter& parameter, const IngestOptions& options,
                                         int cpus) {
  std::vector<MeasuredTuning> candidates;
  candidates.push_back({options, parameter.value(Resolved(options)), {}});
  for (IngestOptions& other : parameter.others(Resolved(options), cpus)) {
    if (!CheckTuning(other).ok() || !FitsThreads(other)) continue;
    std::string value = parameter.value(Resolved(other));
    const bool known = std::any_of(candidates.begin(), candidates.end(),
                                   [&](const MeasuredTuning& have) { return have.value == value; });
    if (!known) candidates.push_back({std::move(other), std::move(value), {}});
  }
  return candidates;
}

// One run of the whole search.
class Tuner {
 public:
  Tuner(const IngestOptions& options, const TunerSetup& setup)
      : setup_(setup), begin_(setup.now()) {
    result_.options = options;
  }

  absl::StatusOr<TuningResult> Run() {
    PMDEX_RETURN_IF_ERROR(setup_.measure(result_.options).status());  // warms caches up
    for (const Parameter& parameter : kParameters) {
      if (parameter.is_given(result_.options, setup_)) continue;
      PMDEX_RETURN_IF_ERROR(Choose(parameter));
      if (!result_.in_time) break;
    }
    result_.seconds = setup_.now() - begin_;
    return std::move(result_);
  }

 private:
  bool InTime() {
    result_.in_time = result_.in_time && setup_.now() - begin_ < setup_.budget_seconds;
    return result_.in_time;
  }

  absl::Status Choose(const Parameter& parameter) {
    std::vector<MeasuredTuning> candidates = CandidatesOf(parameter, result_.options, setup_.cpus);
    if (candidates.size() < 2) return absl::OkStatus();
    for (int round = 0; round < kRounds; ++round) {
      for (MeasuredTuning& candidate : candidates) {
        if (!InTime()) return absl::OkStatus();  // half a comparison is none
        PMDEX_RETURN_IF_ERROR(Measure(candidate));
      }
    }
    const auto best = std::max_element(candidates.begin(), candidates.end(),
                                       [](const MeasuredTuning& a, const MeasuredTuning& b) {
                                         return Median(a.rates) < Median(b.rates);
                                       });
    bool better = IsBetter(*best, candidates.front());
    if (better && InTime()) {
      PMDEX_RETURN_IF_ERROR(Measure(candidates.front()));
      PMDEX_RETURN_IF_ERROR(Measure(*best));
      better = IsBetter(*best, candidates.front());
    }
    const MeasuredTuning& chosen = better ? *best : candidates.front();
    for (const MeasuredTuning& candidate : candidates) {
      result_.measured.push_back({parameter.name, candidate.value, Median(candidate.rates),
                                  static_cast<int>(candidate.rates.size()), &candidate == &chosen});
    }
    result_.options = chosen.options;
    return absl::OkStatus();
  }

  absl::Status Measure(MeasuredTuning& candidate) {
    PMDEX_ASSIGN_OR_RETURN(const double rate, setup_.measure(candidate.options));
    candidate.rates.push_back(rate);
    return absl::OkStatus();
  }

  static bool IsBetter(const MeasuredTuning& candidate, const MeasuredTuning& current) {
    const auto slowest = std::min_element(candidate.rates.begin(), candidate.rates.end());
    const auto fastest = std::max_element(current.rates.begin(), current.rates.end());
    return Median(candidate.rates) > kLeastGain * Median(current.rates) && *slowest > *fastest;
  }

  const TunerSetup& setup_;
  const double begin_;
  TuningResult result_;
};

}  // namespace

absl::StatusOr<TuningResult> Tune(const IngestOptions& options, const TunerSetup& setup) {
  return Tuner(options, setup).Run();
}

std::string DescribeEvidence(const TuningResult& result, const TuningSample& sample, int cpus,
                             size_t nodes) {
  std::string text = absl::StrFormat(
      "MiB/s on a sample of %.1f MiB (%d files, format %s), %d CPUs, NUMA nodes %d, in %.1f s",
      static_cast<double>(sample.bytes) / (1 << 20), sample.files, ToAbsl(ToString(sample.format)),
      cpus, nodes, result.seconds);
  std::string parameter;
  for (const MeasuredValue& measured : result.measured) {
    absl::StrAppend(&text, measured.parameter == parameter ? ", " : "; " + measured.parameter + " ",
                    absl::StrFormat("%s: %.1f%s", measured.value, measured.mib_per_second,
                                    measured.chosen ? " (chosen)" : ""));
    parameter = measured.parameter;
  }
  if (!result.in_time) absl::StrAppend(&text, "; time was up before the rest");
  return text;
}

}  // namespace pmdex
