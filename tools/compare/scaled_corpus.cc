#include "tools/compare/scaled_corpus.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "tools/command.h"
#include "tools/compare/compare_tables.h"
#include "tools/compare/corpus_slice.h"
#include "tools/compare/index_source.h"
#include "tools/compare/measured_index.h"
#include "tools/compare/medium/memory_probe.h"

namespace pmdex {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kRatioSampleBytes = uint64_t{8} << 20;
constexpr uint64_t kCacheShare = 4;  // the index of scale 1 is this part of the cache
constexpr double kStudyFrom = 21;    // times the cache
constexpr double kStudyTo = 2450;

std::string TextFolder(const std::string& folder, uint64_t scale) {
  return absl::StrCat(folder, "/text-", scale);
}

// Over what an interrupted run has left; its own files are removed again.
absl::StatusOr<double> IndexBytesPerTextByte(const CompareOptions& options,
                                             const std::string& parent) {
  const std::string folder = parent + "/sample";
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  fs::create_directories(folder, ignored);  // what is wrong with it shows when text is written
  PMDEX_ASSIGN_OR_RETURN(const CorpusSlice slice,
                         TakeCorpusSlice(options.corpus, folder + "/text", kRatioSampleBytes));
  IndexOrder order;
  order.program = options.program;
  order.inputs = {slice.directory};
  order.format = slice.format;
  order.tier = "uncompressed";
  order.place = folder + "/index";
  order.threads = 1;  // several may make more segments or fewer
  PMDEX_ASSIGN_OR_RETURN(const MadeIndex made, MakeIndex(order));
  PMDEX_ASSIGN_OR_RETURN(const auto index, MeasuredIndex::Open(made.path));
  const double ratio =
      static_cast<double>(index->Describe().bytes) / static_cast<double>(slice.bytes);
  fs::remove_all(folder, ignored);
  return ratio;
}

}  // namespace

double IndexBytesOfScale(uint64_t llc_bytes, uint64_t scale) {
  return static_cast<double>(llc_bytes) / kCacheShare * static_cast<double>(scale);
}

absl::StatusOr<ScaledCorpus> ScaledCorpus::Open(const CompareOptions& options, std::string folder,
                                                const std::optional<ScaleBasis>& known) {
  ScaledCorpus corpus;
  corpus.corpus_ = options.corpus;
  corpus.folder_ = std::move(folder);
  corpus.llc_given_ = options.llc_bytes > 0;
  if (known.has_value()) {
    corpus.basis_ = *known;
    return corpus;
  }
  corpus.basis_.llc_bytes = options.llc_bytes;
  if (!corpus.llc_given_) {
    PMDEX_ASSIGN_OR_RETURN(corpus.basis_.llc_bytes, MeasureCacheKnee());
  }
  PMDEX_ASSIGN_OR_RETURN(corpus.basis_.index_bytes_per_text_byte,
                         IndexBytesPerTextByte(options, corpus.folder_));
  return corpus;
}

absl::StatusOr<ScaledInput> ScaledCorpus::Take(uint64_t scale) const {
  const auto text_bytes = static_cast<uint64_t>(IndexBytesOfScale(basis_.llc_bytes, scale) /
                                                basis_.index_bytes_per_text_byte);
  Drop(scale);
  PMDEX_ASSIGN_OR_RETURN(CorpusSlice slice,
                         TakeCorpusSlice(corpus_, TextFolder(folder_, scale), text_bytes));
  // What is left out at the borders of documents is not worth made-up text.
  if (slice.bytes < text_bytes / 10 * 9) PMDEX_RETURN_IF_ERROR(GenerateText(text_bytes, slice));
  ScaledInput input;
  input.inputs = {slice.directory};
  input.format = slice.format;
  input.note = absl::StrFormat(
      "scale %d: %s of text, %.0f %% of it generated", scale, HumanBytes(slice.bytes),
      100.0 * static_cast<double>(slice.made_up_bytes) / static_cast<double>(slice.bytes));
  return input;
}

void ScaledCorpus::Drop(uint64_t scale) const {
  std::error_code ignored;
  fs::remove_all(TextFolder(folder_, scale), ignored);
}

std::string ScaledCorpus::DescribeCache() const {
  return absl::StrCat(HumanBytes(basis_.llc_bytes),
                      llc_given_ ? " (as given)" : " (knee of a pointer chase)");
}

std::optional<std::string> CoveredRange(const CompareResult& result, uint64_t llc_bytes) {
  std::vector<double> times_the_cache;
  for (const ComparedConfiguration& one : result.configurations) {
    if (one.key.tier != "compressed" || llc_bytes == 0) continue;
    times_the_cache.push_back(static_cast<double>(one.bytes) / static_cast<double>(llc_bytes));
  }
  if (times_the_cache.empty()) return std::nullopt;
  const auto [least, most] = std::minmax_element(times_the_cache.begin(), times_the_cache.end());
  const double from = *least;
  const double to = *most;
  const double common = std::log(std::min(to, kStudyTo)) - std::log(std::max(from, kStudyFrom));
  const double share = std::max(common, 0.0) / std::log(kStudyTo / kStudyFrom);
  return absl::StrFormat(
      "The compressed indexes are %s to %s times the last-level cache. The study's were 21 to "
      "2,450 times its cache of 35.75 MB: %.0f %% of that range, on a logarithmic scale, is "
      "covered.",
      ShortNumber(from), ShortNumber(to), 100 * share);
}

}  // namespace pmdex
