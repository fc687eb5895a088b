#include "tools/compare/compare_state.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "tools/report/report_files.h"

namespace pmdex {

std::string DescribeRequest(const CompareOptions& options) {
  std::string text = absl::StrCat(
      "corpus: ", absl::StrJoin(options.corpus, " "), "; index: ", options.index,
      "; queries: ", absl::StrJoin(options.query_files, " "),
      "; dirs: ", absl::StrJoin(options.directories, " "),
      "; modes: ", absl::StrJoin(options.modes, " "),
      "; threads: ", absl::StrJoin(options.threads, " "), "; passes: ", options.passes,
      "; cold: ", options.cold ? "yes" : "no", "; numa: ", absl::StrJoin(options.numa, " "),
      "; counters: ", options.counters ? "yes" : "no", "; model: ", options.model,
      "; scales: ", absl::StrJoin(options.scales, " "), "; llc: ", options.llc_bytes);
  return text;
}

absl::StatusOr<CompareStateFile> CompareStateFile::Open(const CompareOptions& options) {
  CompareStateFile file;
  file.out_ = options.out;
  file.state_.request = DescribeRequest(options);
  if (options.out.empty()) return file;
  PMDEX_RETURN_IF_ERROR(MakeReportDirectory(options.out));
  if (!options.resume) return file;
  const std::string path = options.out + "/" + kCompareStateFile;
  const auto text = ReadReportFile(path);
  if (absl::IsNotFound(text.status())) return file;  // interrupted before anything was done
  PMDEX_RETURN_IF_ERROR(text.status());
  PMDEX_ASSIGN_OR_RETURN(CompareState state, StateFromJson(*text, path));
  if (state.request != file.state_.request) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      absl::StrCat(path, " is of another comparison: ", state.request,
                                   " (hint: without --resume, or with another --out, a new one "
                                   "begins)"));
  }
  file.state_ = std::move(state);
  return file;
}

absl::Status CompareStateFile::SetSets(std::vector<QuerySet> sets) {
  state_.sets = std::move(sets);
  return Save();
}

absl::Status CompareStateFile::AddMade(const std::string& place, std::optional<double> build_s) {
  state_.made.emplace_back(place, build_s);
  return Save();
}

absl::Status CompareStateFile::AddFinished(ComparedConfiguration configuration) {
  state_.finished.push_back(std::move(configuration));
  return Save();
}

absl::Status CompareStateFile::SetScaleBasis(const ScaleBasis& basis) {
  state_.scale_basis = basis;
  return Save();
}

absl::Status CompareStateFile::AddFinishedScale(FinishedScale scale) {
  state_.finished_scales.push_back(std::move(scale));
  return Save();
}

absl::Status CompareStateFile::Save() const {
  if (out_.empty()) return absl::OkStatus();
  return WriteReportFile(out_, kCompareStateFile, StateToJson(state_) + "\n");
}

void CompareStateFile::Remove() const {
  if (!out_.empty()) unlink((out_ + "/" + kCompareStateFile).c_str());
}

bool CompareStateFile::IsMade(const std::string& place) const {
  return std::any_of(state_.made.begin(), state_.made.end(),
                     [&](const auto& made) { return made.first == place; });
}

std::optional<double> CompareStateFile::BuildSecondsOf(const std::string& place) const {
  for (const auto& [made, seconds] : state_.made) {
    if (made == place) return seconds;
  }
  return std::nullopt;
}

const ComparedConfiguration* CompareStateFile::Finished(const ConfigurationKey& key) const {
  const auto found = std::find_if(state_.finished.begin(), state_.finished.end(),
                                  [&](const ComparedConfiguration& one) { return one.key == key; });
  return found == state_.finished.end() ? nullptr : &*found;
}

const FinishedScale* CompareStateFile::FinishedScaleOf(uint64_t scale) const {
  const auto found = std::find_if(state_.finished_scales.begin(), state_.finished_scales.end(),
                                  [scale](const FinishedScale& one) { return one.scale == scale; });
  return found == state_.finished_scales.end() ? nullptr : &*found;
}

}  // namespace pmdex
