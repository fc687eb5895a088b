#include "engine/ingest/tuning/tuning_sample.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "engine/ingest/formats/trec.h"
#include "engine/ingest/ingest.h"
#include "engine/ingest/ingest_report.h"
#include "engine/ingest/memory_plan.h"
#include "engine/ingest/pipeline/ingest_context.h"
#include "engine/ingest/problem_log.h"
#include "engine/ingest/reading/compressed_input.h"
#include "engine/ingest/reading/decompressor.h"
#include "engine/ingest/reading/input_file.h"
#include "engine/ingest/reading/tree_walk.h"
#include "engine/ingest/tuning/tuning.h"
#include "engine/store/index_writer.h"
#include "engine/store/pending_build.h"
#include "pmem/directory.h"

namespace pmdex {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kSeed = 20260101;
constexpr size_t kMostWalkedFiles = 100'000;  // of a larger tree, the first ones must do
constexpr size_t kFilesPerFolder = 1000;
constexpr uint64_t kPieces = 8;  // of large files, so that several are seen where there are

// The walked files of the format that has most bytes, in random order.
absl::StatusOr<std::vector<InputFile>> DrawFiles(const IngestOptions& options) {
  std::map<InputFormat, std::pair<uint64_t, std::vector<InputFile>>> by_format;
  size_t walked = 0;
  const size_t most_files =
      std::min<uint64_t>(kMostWalkedFiles, options.memory_bytes / 8 / kBytesPerWaitingFile);
  ProblemLog ignored;
  const absl::Status walked_all = WalkInputs(options, ignored, [&](InputFile file) {
    auto& [bytes, files] = by_format[file.format];
    bytes += file.size_bytes;
    if (file.size_bytes > 0) files.push_back(std::move(file));
    const bool stopped = options.stop != nullptr && options.stop->IsSet();
    return ++walked < most_files && !stopped;
  });
  PMDEX_RETURN_IF_ERROR(walked_all);
  const auto most = std::max_element(
      by_format.begin(), by_format.end(),
      [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
  if (most == by_format.end()) return std::vector<InputFile>();
  std::vector<InputFile> files = std::move(most->second.second);
  std::mt19937_64 random(kSeed);
  for (size_t i = files.size(); i > 1; --i) std::swap(files[i - 1], files[random() % i]);
  return files;
}

// Up to size_bytes of the text of the file. What cannot be read the real run reports.
std::string ReadText(const InputFile& file, const BuildParameters& parameters,
                     uint64_t size_bytes) {
  std::string text(size_bytes, '\0');
  ProblemLog ignored;
  const auto opening = OpenInput(file, ignored);
  if (!opening.ok() || !opening->has_value()) return {};
  const OpenedFile& opened = **opening;
  IngestContext context(parameters);
  const auto compression = ProbeCompression(file, opened);
  if (!compression.ok()) return {};
  if (*compression != Compression::kNone) {
    text.resize(CompressedInput(context, opened, *compression).Read(text.data(), text.size()));
  } else {
    const int64_t got = ReadFully(opened.fd, text.data(), text.size(), context.stopped);
    text.resize(static_cast<size_t>(std::max<int64_t>(got, 0)));
  }
  return text;
}

// Up to `limit` bytes of the text, cut behind a whole record; empty when there is none.
std::string ReadPiece(const InputFile& file, const BuildParameters& parameters, uint64_t limit) {
  // A compressed file may have any length of text.
  const bool compressed = CompressionOfName(file.path) != Compression::kNone;
  if (file.format == InputFormat::kFiles && file.size_bytes > limit) return {};
  const uint64_t most = compressed ? limit + 1 : std::min(file.size_bytes, limit);
  std::string piece = ReadText(file, parameters, most);
  if (compressed ? piece.size() <= limit : file.size_bytes <= limit) return piece;
  if (file.format == InputFormat::kFiles) return {};
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
                                        uint64_t limit_bytes, uint64_t least_bytes) {
  if (std::find(options.inputs.begin(), options.inputs.end(), kStandardInput) !=
      options.inputs.end()) {
    return InvalidArgument("standard input cannot be sampled: it can be read only once");
  }
  TuningSample sample;
  sample.directory = directory;
  PMDEX_ASSIGN_OR_RETURN(const std::vector<InputFile> files, DrawFiles(options));
  // Reading does not depend on the medium of the index.
  const BuildParameters parameters = ResolveParameters(options, StoreGranularity::kPage);
  const uint64_t piece_bytes = limit_bytes / std::clamp<uint64_t>(files.size(), 1, kPieces);
  for (const InputFile& file : files) {
    sample.format = file.format;
    const uint64_t left = limit_bytes - sample.bytes;
    const std::string piece = ReadPiece(file, parameters, std::min(left, piece_bytes));
    if (piece.empty()) continue;
    PMDEX_RETURN_IF_ERROR(WriteFile(NextPath(sample), piece));
    sample.bytes += piece.size();
    ++sample.files;
    if (sample.bytes >= limit_bytes / 16 * 15) break;  // the rest is for crumbs
  }
  if (sample.bytes >= least_bytes) return sample;
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
                           IndexWriter::Open(*directory, OpenMode::kOverwrite, sampled.settings));
    PMDEX_ASSIGN_OR_RETURN(const IngestReport report, Ingest(sampled, *writer, nullptr));
    rate = static_cast<double>(sample.bytes) / (1 << 20) / std::max(report.seconds, 1e-6);
  }
  std::error_code error;
  fs::remove_all(index_directory, error);  // a rest is overwritten by the next one
  return rate;
}

}  // namespace pmdex
