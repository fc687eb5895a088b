#include "tools/compare/compare_run.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

#include "tools/compare/cold_class.h"
#include "tools/compare/compare_advice.h"
#include "tools/compare/compare_json.h"
#include "tools/compare/compare_machine.h"
#include "tools/compare/compare_state.h"
#include "tools/compare/counted_class.h"
#include "tools/compare/index_source.h"
#include "tools/compare/measured_index.h"
#include "tools/compare/node_cpus.h"
#include "tools/report/report_files.h"

namespace pmdex {
namespace {

namespace fs = std::filesystem;

// An index that the run measures.
struct PlacedIndex {
  std::string tier;
  std::string directory;  // as the user named it
  std::string path;
};

class CompareRun {
 public:
  CompareRun(const CompareOptions& options, const ShowProgress& show, CompareStateFile state)
      : options_(options), show_(show), state_(std::move(state)) {}

  absl::StatusOr<CompareResult> Run() {
    result_.machine = MachineFacts();
    if (options_.counters) NoteCounters();
    PMDEX_RETURN_IF_ERROR(CheckFolders());
    for (const PlacedIndex& index : Places()) PMDEX_RETURN_IF_ERROR(MeasureIfMade(index));
    if (options_.directories.empty()) SkipOtherTiers();
    if (result_.configurations.empty()) return NothingMeasured();
    result_.difference = FirstDifference(result_.configurations, state_.state().sets);
    PMDEX_RETURN_IF_ERROR(AddBeside(options_.beside, result_));
    RemoveFolders();
    state_.Remove();
    return std::move(result_);
  }

 private:
  std::string FolderOf(const std::string& directory) const {
    return absl::StrCat(directory, "/", kCompareFolder);
  }

  // All indexes: each tier in each directory, or the one that is given, where it is.
  std::vector<PlacedIndex> Places() const {
    if (options_.directories.empty()) return {{"", options_.index, options_.index}};
    std::vector<PlacedIndex> places;
    for (const char* tier : {"uncompressed", "compressed"}) {
      for (const std::string& directory : options_.directories) {
        places.push_back({tier, directory, absl::StrCat(FolderOf(directory), "/", tier)});
      }
    }
    return places;
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
    const std::string why = WhyNoHardwareCounters();
    if (!why.empty()) result_.skipped.push_back({"hardware counters", why});
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

  absl::Status MeasureIfMade(const PlacedIndex& index) {
    if (!options_.directories.empty() && !state_.IsMade(index.path)) {
      show_(absl::StrCat("making the ", index.tier, " index in ", index.directory));
      const auto made = Make(index);
      if (!made.ok()) {
        result_.skipped.push_back(
            {absl::StrCat(index.tier, " ", index.directory), std::string(Message(made.status()))});
        return absl::OkStatus();
      }
      PMDEX_RETURN_IF_ERROR(state_.AddMade(index.path, made->build_s));
    }
    return MeasureIndex(index);
  }

  absl::StatusOr<MadeIndex> Make(const PlacedIndex& index) const {
    IndexOrder order;
    order.program = options_.program;
    order.inputs = options_.corpus;
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
    const auto cpus = CpusOf(key.numa, opened->snapshot());
    if (!cpus.ok()) {
      result_.skipped.push_back({NameOfConfiguration(key), std::string(Message(cpus.status()))});
      return absl::OkStatus();
    }
    ComparedConfiguration measured = opened->Describe();
    measured.key = key;
    measured.build_s = state_.BuildSecondsOf(index.path);
    if (!why_not_cold.empty()) measured.notes.push_back("not cold: " + why_not_cold);
    for (size_t i = 0; i < sets.size(); ++i) {
      show_(absl::StrCat(NameOfConfiguration(key), ": ", sets[i].name));
      PMDEX_ASSIGN_OR_RETURN(ComparedClass one, opened->Measure(sets[i], key, options_, *cpus));
      if (i < cold.size()) one.cold_mean_us = cold[i];
      if (options_.counters) {
        PMDEX_ASSIGN_OR_RETURN(one.counters, CountClass(opened->searcher(), sets[i], key));
      }
      measured.classes.push_back(std::move(one));
    }
    result_.configurations.push_back(measured);
    return state_.AddFinished(std::move(measured));
  }

  const CompareOptions& options_;
  const ShowProgress& show_;
  CompareStateFile state_;
  CompareResult result_;
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
