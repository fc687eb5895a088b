#include "tools/compare/compare_run.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "tools/compare/cold_class.h"
#include "tools/compare/compare_advice.h"
#include "tools/compare/compare_json.h"
#include "tools/compare/compare_machine.h"
#include "tools/compare/compare_state.h"
#include "tools/compare/counters/counted_class.h"
#include "tools/compare/index_source.h"
#include "tools/compare/measured_index.h"
#include "tools/compare/medium/predicted_classes.h"
#include "tools/compare/node_cpus.h"
#include "tools/compare/scaled_corpus.h"
#include "tools/counters/perf_counters.h"
#include "tools/report/report_files.h"

namespace pmdex {
namespace {

namespace fs = std::filesystem;

// An index that the run measures.
struct PlacedIndex {
  std::string tier;
  std::string directory;  // as the user named it
  std::string path;
  uint64_t scale = 1;
};

class CompareRun {
 public:
  CompareRun(const CompareOptions& options, const ShowProgress& show, CompareStateFile state)
      : options_(options), show_(show), state_(std::move(state)) {}

  absl::StatusOr<CompareResult> Run() {
    result_.machine = MachineFacts();
    const std::string busy = NoteOnLoad();
    if (!busy.empty()) result_.notes.push_back(busy);
    if (options_.counters) NoteCounters();
    PMDEX_RETURN_IF_ERROR(CheckFolders());
    PMDEX_RETURN_IF_ERROR(AddBeside(options_.beside, result_));
    const absl::Status measured = MeasureAll();
    // After an error, --resume can go on with them only if there is a state.
    if (measured.ok() || options_.out.empty()) RemoveFolders();
    PMDEX_RETURN_IF_ERROR(measured);
    state_.Remove();
    return std::move(result_);
  }

 private:
  absl::Status MeasureAll() {
    PMDEX_RETURN_IF_ERROR(PrepareModel());
    PMDEX_RETURN_IF_ERROR(MeasureScales());
    ShareTouches();
    if (options_.directories.empty()) SkipOtherTiers();
    if (result_.configurations.empty()) return NothingMeasured();
    result_.difference = FirstDifference(result_.configurations, state_.state().sets);
    return absl::OkStatus();
  }

  std::string FolderOf(const std::string& directory) const {
    return absl::StrCat(directory, "/", kCompareFolder);
  }

  // All indexes: each tier in each directory, or the one that is given, where it is.
  std::vector<PlacedIndex> Places(uint64_t scale) const {
    if (options_.directories.empty()) return {{"", options_.index, options_.index, 1}};
    std::vector<PlacedIndex> places;
    for (const char* tier : {"uncompressed", "compressed"}) {
      for (const std::string& directory : options_.directories) {
        places.push_back(
            {tier, directory, absl::StrCat(FolderOf(directory), "/", tier, "-", scale), scale});
      }
    }
    return places;
  }

  // Reads what the medium is, and measures the DRAM of this machine.
  absl::Status PrepareModel() {
    if (options_.model.empty()) return absl::OkStatus();
    PredictionBasis basis;
    PMDEX_ASSIGN_OR_RETURN(basis.medium, LoadMedium(options_.model));
    show_("measuring this machine's memory");
    PMDEX_ASSIGN_OR_RETURN(basis.dram, MeasureMemory());
    result_.machine.emplace_back(
        "DRAM", absl::StrFormat("%.0f ns a random load, %.2f ns a sequential line of 64 bytes",
                                basis.dram.random_ns, basis.dram.sequential_line_ns));
    result_.machine.emplace_back(
        absl::StrCat("model ", basis.medium.name),
        absl::StrFormat("%.0f ns a random unit of %d bytes; %s", basis.medium.random_ns,
                        basis.medium.unit_bytes, basis.medium.source));
    basis_ = std::move(basis);
    return absl::OkStatus();
  }

  absl::Status MeasureScales() {
    if (options_.scales.empty()) {
      const ScaledInput whole{options_.corpus, "auto", ""};
      return MeasureScale(1, whole);
    }
    show_("preparing the scaling study");
    const std::string folder = FolderOf(options_.directories[0]);
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return ErrnoStatus(error.value(), folder);
    PMDEX_ASSIGN_OR_RETURN(const ScaledCorpus corpus,
                           ScaledCorpus::Open(options_, folder, state_.state().scale_basis));
    PMDEX_RETURN_IF_ERROR(state_.SetScaleBasis(corpus.basis()));
    result_.machine.emplace_back("last-level cache", corpus.DescribeCache());
    for (const uint64_t scale : options_.scales) {
      if (state_.FinishedScaleOf(scale) == nullptr) {
        PMDEX_RETURN_IF_ERROR(MeasureNextScale(scale, corpus));
      } else {
        TakeFinishedScale(*state_.FinishedScaleOf(scale));
      }
    }
    const auto covered = CoveredRange(result_, corpus.basis().llc_bytes);
    if (covered.has_value()) result_.notes.push_back(*covered);
    return absl::OkStatus();
  }

  // Text and indexes of a scale are removed before those of the next one are made, so that only the
  // largest ones have to fit.
  absl::Status MeasureNextScale(uint64_t scale, const ScaledCorpus& corpus) {
    show_(absl::StrCat("taking text for scale ", scale));
    PMDEX_ASSIGN_OR_RETURN(const ScaledInput input, corpus.Take(scale));
    result_.notes.push_back(input.note);
    const size_t skipped_before = result_.skipped.size();
    PMDEX_RETURN_IF_ERROR(MeasureScale(scale, input));
    FinishedScale finished{scale, input.note, {}};
    finished.skipped.assign(result_.skipped.begin() + static_cast<std::ptrdiff_t>(skipped_before),
                            result_.skipped.end());
    PMDEX_RETURN_IF_ERROR(state_.AddFinishedScale(std::move(finished)));
    corpus.Drop(scale);
    std::error_code ignored;
    for (const PlacedIndex& index : Places(scale)) fs::remove_all(index.path, ignored);
    return absl::OkStatus();
  }

  void TakeFinishedScale(const FinishedScale& finished) {
    result_.notes.push_back(finished.note);
    result_.skipped.insert(result_.skipped.end(), finished.skipped.begin(), finished.skipped.end());
    for (const ComparedConfiguration& one : state_.state().finished) {
      if (one.key.scale == finished.scale) result_.configurations.push_back(one);
    }
  }

  absl::Status MeasureScale(uint64_t scale, const ScaledInput& input) {
    for (const PlacedIndex& index : Places(scale)) {
      PMDEX_RETURN_IF_ERROR(MeasureIfMade(index, input));
    }
    return absl::OkStatus();
  }

  // What queries touch depends on tier, mode and scale only: it is recorded once for each.
  bool HasTouches(const ConfigurationKey& key) const {
    return std::any_of(result_.configurations.begin(), result_.configurations.end(),
                       [&](const ComparedConfiguration& one) { return SameTouches(one.key, key); });
  }
  static bool SameTouches(const ConfigurationKey& a, const ConfigurationKey& b) {
    return a.tier == b.tier && a.mode == b.mode && a.scale == b.scale;
  }
  void ShareTouches() {
    for (ComparedConfiguration& one : result_.configurations) {
      const auto studied = std::find_if(
          result_.configurations.begin(), result_.configurations.end(),
          [&](const ComparedConfiguration& other) { return SameTouches(other.key, one.key); });
      for (ComparedClass& of : one.classes) {
        const ComparedClass* const from = FindClass(*studied, of.name);
        if (from != nullptr) of.bytes_touched = from->bytes_touched;
      }
    }
  }

  absl::Status CheckFolders() const {
    for (const std::string& directory : options_.directories) {
      const std::string folder = FolderOf(directory);
      std::error_code error;
      if (options_.resume || !fs::exists(folder, error)) continue;
      return MakeStatus(absl::StatusCode::kAlreadyExists,
                        absl::StrCat(folder,
                                     " is of another comparison (hint: --resume goes on "
                                     "with it; remove it if none is running)"));
    }
    return absl::OkStatus();
  }

  void RemoveFolders() const {
    std::error_code ignored;
    for (const std::string& directory : options_.directories) {
      fs::remove_all(FolderOf(directory), ignored);
    }
  }

  void NoteCounters() {
    machine_ = ThisMachine(source_);
    for (std::string& note : NotesOfTable(machine_)) result_.notes.push_back(std::move(note));
    if (machine_.pmu.cause == PmuCause::kNone) return;
    result_.skipped.push_back({"hardware counters", machine_.pmu.why});
  }

  void SkipOtherTiers() {
    const std::string& tier = result_.configurations.empty() ? std::string("uncompressed")
                                                             : result_.configurations[0].key.tier;
    result_.skipped.push_back({tier == "compressed" ? "uncompressed" : "compressed",
                               "without --dirs the index is measured as it is"});
  }

  absl::Status NothingMeasured() const {
    std::string why;
    if (!result_.skipped.empty()) why = absl::StrCat(": ", result_.skipped[0].why);
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      absl::StrCat("no configuration could be measured", why));
  }

  absl::Status MeasureIfMade(const PlacedIndex& index, const ScaledInput& input) {
    if (!options_.directories.empty() && !state_.IsMade(index.path)) {
      show_(absl::StrCat("making the ", index.tier, " index in ", index.directory));
      const auto made = Make(index, input);
      if (!made.ok()) {
        result_.skipped.push_back(
            {absl::StrCat(index.tier, " ", index.directory), std::string(Message(made.status()))});
        return absl::OkStatus();
      }
      PMDEX_RETURN_IF_ERROR(state_.AddMade(index.path, made->build_s));
    }
    return MeasureIndex(index);
  }

  absl::StatusOr<MadeIndex> Make(const PlacedIndex& index, const ScaledInput& input) const {
    IndexOrder order;
    order.program = options_.program;
    order.inputs = input.inputs;
    order.format = input.format;
    order.copy_of = options_.index;
    order.tier = index.tier;
    order.place = index.path;
    std::error_code error;
    fs::create_directories(FolderOf(index.directory), error);
    if (error) return ErrnoStatus(error.value(), FolderOf(index.directory));
    return MakeIndex(order);
  }

  absl::StatusOr<std::vector<QuerySet>> Sets(const Snapshot& snapshot) {
    if (!state_.state().sets.empty()) return state_.state().sets;
    auto sets = options_.query_files.empty() ? MakeQuerySets(snapshot)
                                             : ReadQuerySets(options_.query_files);
    PMDEX_RETURN_IF_ERROR(sets.status());
    PMDEX_RETURN_IF_ERROR(state_.SetSets(*sets));
    return sets;
  }

  absl::Status MeasureIndex(const PlacedIndex& index) {
    PMDEX_ASSIGN_OR_RETURN(auto opened, MeasuredIndex::Open(index.path));
    PMDEX_ASSIGN_OR_RETURN(const auto sets, Sets(opened->snapshot()));
    PMDEX_ASSIGN_OR_RETURN(const auto bound, BindSets(sets, opened->snapshot()));
    ConfigurationKey key = opened->Describe().key;
    key.directory = index.directory;
    key.scale = index.scale;
    opened.reset();
    const std::vector<std::string> nodes =
        options_.numa.empty() ? std::vector<std::string>{"any"} : options_.numa;
    for (const std::string& mode : options_.modes) {
      for (const size_t threads : options_.threads) {
        for (const std::string& node : nodes) {
          key.mode = mode;
          key.threads = threads;
          key.numa = node;
          PMDEX_RETURN_IF_ERROR(MeasureOnce(index, key, bound));
        }
      }
    }
    return absl::OkStatus();
  }

  absl::Status MeasureOnce(const PlacedIndex& index, const ConfigurationKey& key,
                           const std::vector<BoundSet>& sets) {
    if (const ComparedConfiguration* finished = state_.Finished(key)) {
      result_.configurations.push_back(*finished);
      return absl::OkStatus();
    }
    std::vector<double> cold;
    std::string why_not_cold;
    if (options_.cold) {
      show_(absl::StrCat("cold: ", NameOfConfiguration(key)));
      PMDEX_ASSIGN_OR_RETURN(const ColdMeans means, MeasureCold(index.path, sets, key.mode));
      cold = means.mean_us;
      why_not_cold = means.why_not;
    }
    PMDEX_ASSIGN_OR_RETURN(const auto opened, MeasuredIndex::Open(index.path));
    const auto cpus = CpusOf(key.numa, opened->snapshot(), index.path);
    if (!cpus.ok()) {
      result_.skipped.push_back({NameOfConfiguration(key), std::string(Message(cpus.status()))});
      return absl::OkStatus();
    }
    ComparedConfiguration measured = opened->Describe();
    measured.key = key;
    measured.build_s = state_.BuildSecondsOf(index.path);
    if (!why_not_cold.empty()) measured.notes.push_back("not cold: " + why_not_cold);
    PMDEX_RETURN_IF_ERROR(MeasureClasses(*opened, sets, *cpus, cold, measured));
    if (!HasTouches(key)) {
      PMDEX_RETURN_IF_ERROR(AddTouches(*opened, sets, basis_, show_, measured));
    }
    result_.configurations.push_back(measured);
    return state_.AddFinished(std::move(measured));
  }

  // cold: indexed like the sets, or empty.
  absl::Status MeasureClasses(const MeasuredIndex& opened, const std::vector<BoundSet>& sets,
                              const std::vector<int>& cpus, const std::vector<double>& cold,
                              ComparedConfiguration& measured) {
    for (size_t i = 0; i < sets.size(); ++i) {
      show_(absl::StrCat(NameOfConfiguration(measured.key), ": ", sets[i].name));
      PMDEX_ASSIGN_OR_RETURN(ComparedClass one,
                             opened.Measure(sets[i], measured.key, options_, cpus));
      if (i < cold.size()) one.cold_mean_us = cold[i];
      if (options_.counters) {
        PMDEX_ASSIGN_OR_RETURN(const ClassCounts counts, CountClass(opened.searcher(), sets[i],
                                                                    measured.key, cpus, machine_));
        SetCounts(counts, one);
        measured.notes.insert(measured.notes.end(), counts.notes.begin(), counts.notes.end());
      }
      measured.classes.push_back(std::move(one));
    }
    return absl::OkStatus();
  }

  const CompareOptions& options_;
  const ShowProgress& show_;
  CompareStateFile state_;
  CompareResult result_;
  PerfCounterSource source_;
  ProfileMachine machine_;  // that --counters counts on
  std::optional<PredictionBasis> basis_;
};

}  // namespace

absl::StatusOr<CompareResult> RunCompare(const CompareOptions& options, const ShowProgress& show) {
  PMDEX_ASSIGN_OR_RETURN(CompareStateFile state, CompareStateFile::Open(options));
  return CompareRun(options, show, std::move(state)).Run();
}

absl::Status AddBeside(const std::vector<std::string>& files, CompareResult& result) {
  for (const std::string& file : files) {
    PMDEX_ASSIGN_OR_RETURN(const std::string text, ReadReportFile(file));
    PMDEX_ASSIGN_OR_RETURN(auto configurations, ConfigurationsFromJson(text, file));
    result.beside.emplace_back(fs::path(file).stem().string(), std::move(configurations));
  }
  return absl::OkStatus();
}

}  // namespace pmdex
