#include "tools/compare/compare_estimate.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "tools/command.h"
#include "tools/compare/compare_run.h"
#include "tools/compare/corpus_slice.h"
#include "tools/compare/index_source.h"
#include "tools/compare/measured_index.h"
#include "tools/compare/medium/memory_probe.h"
#include "tools/compare/scaled_corpus.h"
#include "tools/compare/timed_passes.h"
#include "tools/counters/perf_counters.h"
#include "tools/json_writer.h"
#include "tools/profile/profile_session.h"

namespace pmdex {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kSampleBytes = uint64_t{16} << 20;
constexpr size_t kTiers = 2;
constexpr double kLeastPassSeconds = 0.02;  // PassPlan::least_pass_us

// What CountClass runs over each set: a warm-up, the times, and a pass for each group of events.
size_t CounterPasses(const CompareOptions& options) {
  if (!options.counters) return 0;
  PerfCounterSource source;
  return 2 + TableOf(ThisMachine(source)).groups.size();
}

// The seconds of one round of all sets in all modes, and of the timed passes that follow from it.
// growth: how much larger the index will be.
absl::StatusOr<double> RunSeconds(const CompareOptions& options, const MeasuredIndex& index,
                                  double growth) {
  absl::StatusOr<std::vector<QuerySet>> sets = options.query_files.empty()
                                                   ? MakeQuerySets(index.snapshot())
                                                   : ReadQuerySets(options.query_files);
  PMDEX_RETURN_IF_ERROR(sets.status());
  const size_t counter_passes = CounterPasses(options);
  double seconds = 0;
  for (const std::string& mode : options.modes) {
    const SearchOptions search = SearchOptionsOfMode(mode);
    for (const QuerySet& set : *sets) {
      const double start = SteadySeconds();
      for (const std::string& query : set.queries) {
        PMDEX_RETURN_IF_ERROR(index.searcher().Search(query, search).status());
      }
      const double round = (SteadySeconds() - start) * growth;
      // Fingerprints, the warm-up, the passes of counters, and the timed passes.
      seconds += static_cast<double>(2 + counter_passes) * round +
                 static_cast<double>(options.passes) * std::max(round, kLeastPassSeconds);
    }
  }
  const size_t nodes = std::max<size_t>(options.numa.size(), 1);
  return seconds * static_cast<double>(options.threads.size() * nodes);
}

std::optional<uint64_t> FreeBytes(const std::string& directory) {
  std::error_code error;
  const fs::space_info space = fs::space(directory, error);
  if (error) return std::nullopt;
  return space.available;
}

void AddPlaces(const CompareOptions& options, uint64_t index_bytes, CompareEstimate& estimate) {
  for (const std::string& directory : options.directories) {
    // A compressed index is taken to be no larger than an uncompressed one.
    estimate.places.push_back({directory, kTiers * index_bytes, FreeBytes(directory)});
  }
}

size_t IndexCount(const CompareOptions& options) {
  return options.directories.empty() ? 1 : kTiers * options.directories.size();
}

absl::StatusOr<CompareEstimate> EstimateOfIndex(const CompareOptions& options) {
  CompareEstimate estimate;
  PMDEX_ASSIGN_OR_RETURN(const auto index, MeasuredIndex::Open(options.index));
  AddPlaces(options, index->Describe().bytes, estimate);
  PMDEX_ASSIGN_OR_RETURN(const double seconds, RunSeconds(options, *index, 1));
  estimate.run_s = seconds * static_cast<double>(IndexCount(options));
  estimate.basis = "each set ran once on the index";
  return estimate;
}

// What one build of one index needs, and the seconds that its sample took.
struct SampleFacts {
  double index_bytes = 0;
  double build_s = 0;
  double text_bytes = 0;
};

// Adds what one round of indexes needs that are `growth` times that of the sample.
absl::Status AddRound(const CompareOptions& options, const MeasuredIndex& index,
                      const SampleFacts& sample, double growth, CompareEstimate& estimate) {
  const auto indexes = static_cast<double>(IndexCount(options));
  estimate.build_s += sample.build_s * growth * indexes;
  PMDEX_ASSIGN_OR_RETURN(const double seconds, RunSeconds(options, index, growth));
  estimate.run_s += seconds * indexes;
  return absl::OkStatus();
}

// Indexes and text of one scale are removed before those of the next one are made.
absl::Status AddScales(const CompareOptions& options, const MeasuredIndex& index,
                       const SampleFacts& sample, CompareEstimate& estimate) {
  uint64_t llc_bytes = options.llc_bytes;
  if (llc_bytes == 0) {
    PMDEX_ASSIGN_OR_RETURN(llc_bytes, MeasureCacheKnee());
  }
  double largest = 0;
  for (const uint64_t scale : options.scales) {
    const double bytes = IndexBytesOfScale(llc_bytes, scale);
    largest = std::max(largest, bytes);
    PMDEX_RETURN_IF_ERROR(AddRound(options, index, sample, bytes / sample.index_bytes, estimate));
  }
  AddPlaces(options, static_cast<uint64_t>(largest), estimate);
  estimate.places[0].needed_bytes +=
      static_cast<uint64_t>(largest / sample.index_bytes * sample.text_bytes);
  return absl::OkStatus();
}

absl::StatusOr<CompareEstimate> EstimateOfSample(const CompareOptions& options,
                                                 const std::string& folder) {
  CompareEstimate estimate;
  PMDEX_ASSIGN_OR_RETURN(estimate.corpus_bytes, CorpusBytes(options.corpus));
  IndexOrder order;
  order.program = options.program;
  order.inputs = options.corpus;
  uint64_t sampled = estimate.corpus_bytes;
  if (estimate.corpus_bytes > kSampleBytes) {
    PMDEX_ASSIGN_OR_RETURN(const CorpusSlice slice,
                           TakeCorpusSlice(options.corpus, folder + "/text", kSampleBytes));
    order.inputs = {slice.directory};
    order.format = slice.format;
    sampled = slice.bytes;
  }
  order.tier = "uncompressed";
  order.place = folder + "/index";
  PMDEX_ASSIGN_OR_RETURN(const MadeIndex made, MakeIndex(order));
  PMDEX_ASSIGN_OR_RETURN(const auto index, MeasuredIndex::Open(made.path));
  const SampleFacts sample = {static_cast<double>(index->Describe().bytes),
                              made.build_s.value_or(0),
                              static_cast<double>(std::max<uint64_t>(sampled, 1))};
  if (options.scales.empty()) {
    const double growth =
        std::max(1.0, static_cast<double>(estimate.corpus_bytes) / sample.text_bytes);
    AddPlaces(options, static_cast<uint64_t>(sample.index_bytes * growth), estimate);
    PMDEX_RETURN_IF_ERROR(AddRound(options, *index, sample, growth, estimate));
  } else {
    PMDEX_RETURN_IF_ERROR(AddScales(options, *index, sample, estimate));
  }
  estimate.basis = absl::StrCat("an index of a sample of ", HumanBytes(sampled), " of ",
                                HumanBytes(estimate.corpus_bytes), ", in proportion to bytes");
  return estimate;
}

absl::StatusOr<CompareEstimate> EstimateTimeAndSpace(const CompareOptions& options) {
  if (!options.index.empty()) return EstimateOfIndex(options);
  const std::string folder = absl::StrCat(options.directories[0], "/", kCompareFolder, "-dry-run");
  std::error_code error;
  if (fs::exists(folder, error)) {
    return MakeStatus(absl::StatusCode::kAlreadyExists,
                      absl::StrCat(folder, " is there already (hint: remove it)"));
  }
  fs::create_directories(folder, error);
  if (error) return ErrnoStatus(error.value(), folder);
  auto estimate = EstimateOfSample(options, folder);
  fs::remove_all(folder, error);
  return estimate;
}

}  // namespace

absl::StatusOr<CompareEstimate> EstimateCompare(const CompareOptions& options) {
  PMDEX_ASSIGN_OR_RETURN(CompareEstimate estimate, EstimateTimeAndSpace(options));
  estimate.counter_passes = CounterPasses(options);
  return estimate;
}

std::string EstimateToJson(const CompareEstimate& estimate) {
  JsonWriter json;
  json.BeginObject().Key("dry_run").Bool(true);
  if (estimate.corpus_bytes > 0) json.Key("corpus_bytes").Uint(estimate.corpus_bytes);
  json.Key("places").BeginArray();
  for (const CompareEstimate::Place& place : estimate.places) {
    json.BeginObject().Key("directory").String(place.directory);
    json.Key("bytes").Uint(place.needed_bytes);
    if (place.free_bytes.has_value()) json.Key("free_bytes").Uint(*place.free_bytes);
    json.EndObject();
  }
  json.EndArray();
  json.Key("build_s").Double(estimate.build_s);
  json.Key("run_s").Double(estimate.run_s);
  if (estimate.counter_passes > 0) json.Key("counter_passes").Uint(estimate.counter_passes);
  json.Key("basis").String(estimate.basis);
  return json.EndObject().result();
}

std::string EstimateToText(const CompareEstimate& estimate) {
  std::string text;
  for (const CompareEstimate::Place& place : estimate.places) {
    absl::StrAppend(&text, "space in ", place.directory, ": about ",
                    HumanBytes(place.needed_bytes));
    if (place.free_bytes.has_value()) {
      absl::StrAppend(&text, " of ", HumanBytes(*place.free_bytes), " free");
    }
    text += "\n";
  }
  return absl::StrCat(text,
                      absl::StrFormat("time: about %.0f s to build, %.0f s to run\n",
                                      estimate.build_s, estimate.run_s),
                      estimate.counter_passes == 0
                          ? ""
                          : absl::StrCat("counters: ", estimate.counter_passes,
                                         " passes over each set, in the time to run\n"),
                      "basis: ", estimate.basis, "\n");
}

}  // namespace pmdex
