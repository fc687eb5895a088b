#include "engine/ingest/tuning_sample.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "engine/ingest/input_file.h"
#include "engine/ingest/problem_log.h"
#include "engine/ingest/trec.h"
#include "engine/ingest/tree_walk.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kSeed = 20260101;
constexpr size_t kMostWalkedFiles = 100'000;  // of a larger tree, the first ones must do
constexpr size_t kFilesPerFolder = 1000;
constexpr uint64_t kPieces = 8;  // of large files, so that several are seen where there are

// The walked files of the format that has most bytes, in random order.
std::vector<InputFile> DrawFiles(const IngestOptions& options) {
  std::map<InputFormat, std::pair<uint64_t, std::vector<InputFile>>> by_format;
  size_t walked = 0;
  ProblemLog ignored;
  WalkInputs(options, ignored, [&](InputFile file) {
    auto& [bytes, files] = by_format[file.format];
    bytes += file.size_bytes;
    if (file.size_bytes > 0) files.push_back(std::move(file));
    const bool stopped = options.stop != nullptr && options.stop->IsSet();
    return ++walked < kMostWalkedFiles && !stopped;
  });
  const auto most = std::max_element(
      by_format.begin(), by_format.end(),
      [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
  if (most == by_format.end()) return {};
  std::vector<InputFile> files = std::move(most->second.second);
  std::mt19937_64 random(kSeed);
  for (size_t i = files.size(); i > 1; --i) std::swap(files[i - 1], files[random() % i]);
  return files;
}

// Up to `limit` bytes of the file, cut behind a whole record; empty when there is none, or when it
// cannot be read: the real run reports that.
std::string ReadPiece(const InputFile& file, uint64_t limit) {
  const bool whole = file.size_bytes <= limit;
  if (!whole && file.format == InputFormat::kFiles) return {};
  std::ifstream stream(file.path, std::ios::binary);
  std::string piece(std::min(file.size_bytes, limit), '\0');
  stream.read(piece.data(), static_cast<std::streamsize>(piece.size()));
  piece.resize(static_cast<size_t>(std::max<std::streamsize>(0, stream.gcount())));
  if (whole) return piece;
  if (file.format == InputFormat::kTrec) {
    piece.resize(LastTrecBorder(piece));
  } else {
    piece.resize(piece.rfind('\n') + 1);  // nothing: 0
  }
  return piece;
}

absl::Status WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream stream(path, std::ios::binary);
  stream << bytes;
  stream.close();
  if (stream) return absl::OkStatus();
  return MakeStatus(absl::StatusCode::kResourceExhausted, absl::StrCat("cannot write ", path));
}

// A place for the sample's next file, in folders that do not grow large.
std::string NextPath(const TuningSample& sample) {
  const std::string folder = absl::StrCat(sample.directory, "/", sample.files / kFilesPerFolder);
  std::error_code error;
  fs::create_directories(folder, error);  // what is wrong with it shows when the file is written
  return absl::StrCat(folder, "/", sample.files);
}

}  // namespace

absl::StatusOr<TuningSample> TakeSample(const IngestOptions& options, const std::string& directory,
                                        uint64_t limit_bytes) {
  if (std::find(options.inputs.begin(), options.inputs.end(), kStandardInput) !=
      options.inputs.end()) {
    return InvalidArgument("standard input cannot be sampled: it can be read only once");
  }
  TuningSample sample;
  sample.directory = directory;
  const std::vector<InputFile> files = DrawFiles(options);
  const uint64_t piece_bytes = limit_bytes / std::clamp<uint64_t>(files.size(), 1, kPieces);
  for (const InputFile& file : files) {
    sample.format = file.format;
    const uint64_t left = limit_bytes - sample.bytes;
    const std::string piece = ReadPiece(file, std::min(left, piece_bytes));
    if (piece.empty()) continue;
    PMDEX_RETURN_IF_ERROR(WriteFile(NextPath(sample), piece));
    sample.bytes += piece.size();
    ++sample.files;
    if (sample.bytes >= limit_bytes / 16 * 15) break;  // the rest is for crumbs
  }
  if (sample.bytes >= kLeastTuningSampleBytes) return sample;
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    absl::StrCat("there are only ", sample.bytes, " bytes to take a sample of"));
}

absl::StatusOr<double> MeasureSample(const TuningSample& sample, const IngestOptions& options,
                                     const std::string& index_directory) {
  IngestOptions sampled = options;
  sampled.inputs = {sample.directory};
  sampled.format = sample.format;
  sampled.exclude_directory = index_directory;
  FileDirectoryOptions create;
  create.create = true;
  double rate = 0;
  {
    PMDEX_ASSIGN_OR_RETURN(const auto directory, OpenFileDirectory(index_directory, create));
    PMDEX_ASSIGN_OR_RETURN(const auto writer,
                           IndexWriter::Open(*directory, OpenMode::kOverwrite, sampled.settings,
                                             sampled.indexer_threads));
    PMDEX_ASSIGN_OR_RETURN(const IngestReport report, Ingest(sampled, *writer, nullptr));
    rate = static_cast<double>(sample.bytes) / (1 << 20) / std::max(report.seconds, 1e-6);
  }
  std::error_code error;
  fs::remove_all(index_directory, error);  // a rest is overwritten by the next one
  return rate;
}

}  // namespace pmdex
