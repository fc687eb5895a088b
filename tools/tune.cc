#include "tools/tune.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "engine/ingest/tuning/tuner.h"
#include "engine/ingest/tuning/tuning.h"
#include "engine/ingest/tuning/tuning_sample.h"
#include "engine/store/scratch_directory.h"
#include "pmem/cpu_limit.h"
#include "pmem/numa_topology.h"
#include "tools/command.h"

namespace pmdex {
namespace {

double SecondsNow() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Tuned {
  IngestOptions options;
  std::string evidence;
};

absl::StatusOr<Tuned> MeasureAndChoose(const TuningFlags& flags, bool quiet,
                                       const IngestOptions& options, const std::string& index) {
  PMDEX_ASSIGN_OR_RETURN(const ScratchDirectory scratch, ScratchDirectory::Create(index));
  PMDEX_ASSIGN_OR_RETURN(const TuningSample sample,
                         TakeSample(options, scratch.path() + "/sample"));
  TunerSetup setup;
  setup.cpus = UsableCpus();
  setup.indexers_given = flags.threads != 0 || flags.indexer_threads != 0;
  setup.now = &SecondsNow;
  setup.measure = [&](const IngestOptions& candidate) {
    return MeasureSample(sample, candidate, scratch.path() + "/index");
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
  RemoveScratchDirectories(writer.directory().path());  // of writers that were killed
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
  auto tuned = MeasureAndChoose(flags, quiet, options, writer.directory().path());
  if (absl::IsCancelled(tuned.status())) return absl::OkStatus();  // the build stops at once, too
  if (!tuned.ok()) {
    const std::string reason(tuned.status().message());
    Warn("not tuned: " + reason);
    writer.SetProperty(kTuningEvidenceProperty, "none: " + reason);
    return absl::OkStatus();
  }
  options = std::move(tuned->options);
  writer.SetProperty(kTuningEvidenceProperty, std::move(tuned->evidence));
  const BuildParameters parameters = ResolveParameters(options, writer.directory().granularity());
  if (!quiet) absl::FPrintF(stderr, "tuning: %s\n", ToString(parameters));
  return absl::OkStatus();
}

}  // namespace pmdex
