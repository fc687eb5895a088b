#include "tools/tune.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "engine/ingest/tuner.h"
#include "engine/ingest/tuning.h"
#include "engine/ingest/tuning_sample.h"
#include "pmem/numa_topology.h"
#include "tools/command.h"

namespace pmdex {
namespace {

namespace fs = std::filesystem;

// A writer killed while it tuned leaves it behind; the store passes over folders.
constexpr char kFolder[] = "tuning";

double SecondsNow() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Tuned {
  IngestOptions options;
  std::string evidence;
};

absl::StatusOr<Tuned> MeasureAndChoose(const TuningFlags& flags, bool quiet,
                                       const IngestOptions& options, const std::string& folder) {
  PMDEX_ASSIGN_OR_RETURN(const TuningSample sample, TakeSample(options, folder + "/sample"));
  TunerSetup setup;
  setup.cpus = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  setup.indexers_given = flags.threads != 0 || flags.indexer_threads != 0;
  setup.now = &SecondsNow;
  setup.measure = [&](const IngestOptions& candidate) {
    return MeasureSample(sample, candidate, folder + "/index");
  };
  if (!quiet) {
    absl::FPrintF(stderr, "tuning: measuring on a sample of %s in %d files, for up to %.0f s\n",
                  HumanBytes(sample.bytes), sample.files, setup.budget_seconds);
  }
  PMDEX_ASSIGN_OR_RETURN(const TuningResult result, Tune(options, setup));
  return Tuned{result.options, DescribeEvidence(result, sample, setup.cpus,
                                                std::max<size_t>(1, ReadNumaNodes().size()))};
}

}  // namespace

absl::Status TuneBuild(const TuningFlags& flags, bool quiet, IngestOptions& options,
                       IndexWriter& writer) {
  const std::string folder = absl::StrCat(writer.directory().path(), "/", kFolder);
  std::error_code error;
  fs::remove_all(folder, error);  // of a writer that was killed
  if (!flags.tune) {
    if (writer.next_properties().contains(kTuningEvidenceProperty)) {
      writer.SetProperty(kTuningEvidenceProperty, "none: the last build was not tuned");
    }
    return absl::OkStatus();
  }
  if (writer.build().has_value()) {
    if (!quiet) absl::FPrintF(stderr, "tuning: not again for a build that was begun\n");
    return absl::OkStatus();
  }
  const auto clean_up = absl::MakeCleanup([&] { fs::remove_all(folder, error); });
  auto tuned = MeasureAndChoose(flags, quiet, options, folder);
  if (!tuned.ok()) {
    const std::string reason(tuned.status().message());
    absl::FPrintF(stderr, "pmdex: warning: not tuned: %s\n", reason);
    writer.SetProperty(kTuningEvidenceProperty, "none: " + reason);
    return absl::OkStatus();
  }
  options = std::move(tuned->options);
  writer.SetProperty(kTuningEvidenceProperty, std::move(tuned->evidence));
  if (!quiet) absl::FPrintF(stderr, "tuning: %s\n", ToString(EffectiveTuning(options)));
  return absl::OkStatus();
}

}  // namespace pmdex
