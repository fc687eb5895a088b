#include "tools/compare/corpus_slice.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/problem_log.h"
#include "engine/ingest/reading/input_file.h"
#include "engine/ingest/reading/tree_walk.h"
#include "engine/ingest/tuning/tuning_sample.h"

namespace pmdex {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kSliceSeed = 11;
constexpr uint64_t kLearnedBytes = uint64_t{16} << 20;
constexpr uint64_t kFileBytes = uint64_t{64} << 20;  // of generated lines
constexpr size_t kFilesPerFolder = 1000;

IngestOptions OptionsOf(const std::vector<std::string>& inputs) {
  IngestOptions options;
  options.inputs = inputs;
  return options;
}

// The words of some text in their order, so that drawing one uniformly draws by frequency, and the
// lengths of its documents.
struct LearnedText {
  std::vector<std::string> words;
  std::vector<size_t> document_words;
};

void LearnDocument(const std::string& text, LearnedText& learned) {
  size_t count = 0;
  std::string word;
  for (size_t i = 0; i <= text.size(); ++i) {
    const auto c = i < text.size() ? static_cast<unsigned char>(text[i]) : ' ';
    if (std::isalnum(c) != 0 || c >= 0x80) {
      word += static_cast<char>(c);
    } else if (!word.empty()) {
      learned.words.push_back(std::exchange(word, {}));
      ++count;
    }
  }
  if (count > 0) learned.document_words.push_back(count);
}

// The text of a line of JSON: its values that are strings, but for the id.
std::string TextOfJson(const std::string& line) {
  const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  std::string text;
  if (!json.is_object()) return text;
  for (const auto& [name, value] : json.items()) {
    if (name != "id" && value.is_string()) text += value.get_ref<const std::string&>() + " ";
  }
  return text;
}

LearnedText Learn(const CorpusSlice& slice) {
  LearnedText learned;
  uint64_t bytes = 0;
  std::error_code error;
  std::vector<std::string> paths;
  for (fs::recursive_directory_iterator entry(slice.directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_regular_file(error)) paths.push_back(entry->path().string());
  }
  std::sort(paths.begin(), paths.end());  // the order of a directory is not always the same
  for (const std::string& path : paths) {
    std::ifstream file(path);
    std::string document;
    const bool is_lines = slice.format != "files";
    for (std::string line; bytes < kLearnedBytes && std::getline(file, line);) {
      bytes += line.size() + 1;
      if (is_lines) {
        LearnDocument(slice.format == "jsonl" ? TextOfJson(line) : line, learned);
      } else {
        absl::StrAppend(&document, line, "\n");
      }
    }
    if (!is_lines) LearnDocument(document, learned);
  }
  return learned;
}

class TextGenerator {
 public:
  TextGenerator(const LearnedText& learned, std::string format)
      : learned_(learned), format_(std::move(format)) {}

  // One document as a record of the format.
  std::string Next() {
    const size_t count = learned_.document_words[random_() % learned_.document_words.size()];
    std::string text;
    for (size_t i = 0; i < count; ++i) {
      if (i > 0) text += ' ';
      text += learned_.words[random_() % learned_.words.size()];
    }
    const uint64_t number = made_++;
    if (format_ != "jsonl") return text + "\n";
    const nlohmann::json json = {{"id", absl::StrCat("generated-", number)}, {"body", text}};
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }

 private:
  const LearnedText& learned_;
  const std::string format_;
  std::mt19937_64 random_{kSliceSeed};
  uint64_t made_ = 0;
};

// Where the file number `index` of generated text lies; its folder exists.
std::string GeneratedPath(const CorpusSlice& slice, uint64_t index) {
  const std::string folder = absl::StrCat(slice.directory, "/generated-", index / kFilesPerFolder);
  std::error_code error;
  fs::create_directories(folder, error);  // what is wrong with it shows when the file is written
  const std::string ending = slice.format == "jsonl" ? ".jsonl" : ".txt";
  return absl::StrCat(folder, "/", index, ending);
}

}  // namespace

absl::StatusOr<uint64_t> CorpusBytes(const std::vector<std::string>& inputs) {
  const IngestOptions options = OptionsOf(inputs);
  PMDEX_RETURN_IF_ERROR(CheckInputs(options));
  uint64_t bytes = 0;
  ProblemLog ignored;
  PMDEX_RETURN_IF_ERROR(WalkInputs(options, ignored, [&](const InputFile& file) {
    bytes += file.size_bytes;
    return true;
  }));
  return bytes;
}

absl::StatusOr<CorpusSlice> TakeCorpusSlice(const std::vector<std::string>& inputs,
                                            const std::string& directory, uint64_t bytes) {
  PMDEX_ASSIGN_OR_RETURN(const TuningSample sample,
                         TakeSample(OptionsOf(inputs), directory, bytes, /*least_bytes=*/1));
  CorpusSlice slice;
  slice.directory = sample.directory;
  slice.format = std::string(ToString(sample.format));
  slice.bytes = sample.bytes;
  return slice;
}

absl::Status GenerateText(uint64_t bytes, CorpusSlice& slice) {
  if (slice.bytes >= bytes) return absl::OkStatus();
  if (slice.format == "trec") {
    return MakeStatus(absl::StatusCode::kUnimplemented, "text is not generated in TREC format");
  }
  const LearnedText learned = Learn(slice);
  if (learned.words.empty()) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition, "the corpus has no words");
  }
  TextGenerator generator(learned, slice.format);
  const uint64_t per_file = slice.format == "files" ? 1 : kFileBytes;
  for (uint64_t index = 0; slice.bytes < bytes; ++index) {
    const std::string path = GeneratedPath(slice, index);
    std::ofstream file(path, std::ios::binary);
    for (uint64_t written = 0; written < per_file && slice.bytes < bytes;) {
      const std::string record = generator.Next();
      file << record;
      written += record.size();
      slice.bytes += record.size();
      slice.made_up_bytes += record.size();
    }
    file.close();
    if (!file) {
      return MakeStatus(absl::StatusCode::kResourceExhausted, absl::StrCat("cannot write ", path));
    }
  }
  return absl::OkStatus();
}

}  // namespace pmdex
