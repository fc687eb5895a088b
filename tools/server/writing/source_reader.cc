#include "tools/server/writing/source_reader.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/ingest/formats/jsonl.h"
#include "engine/ingest/formats/simdjson_library.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

// No name in valid UTF-8, so that no key is taken for the id.
constexpr char kNoIdField[] = "\xff";

class OneDocument final : public DocumentSink {
 public:
  absl::Status Add(const Document& document) override {
    if (!document.valid_utf8) return InvalidArgument("it is not valid UTF-8");
    SourceDocument& read = read_.emplace();
    read.id = std::string(document.id);
    read.values.reserve(document.fields.size());
    for (const DocumentField& field : document.fields) {
      read.values.push_back({std::string(field.name), std::string(field.text), field.kind});
    }
    return absl::OkStatus();
  }
  std::optional<SourceDocument>& read() { return read_; }

 private:
  std::optional<SourceDocument> read_;
};

JsonlOptions WithIdField(const char* name) {
  JsonlOptions options;
  options.id_field = name;
  options.nulls = true;
  return options;
}

}  // namespace

SourceReader::SourceReader()
    : without_id_(NewJsonlParser(WithIdField(kNoIdField), problems_)),
      with_id_(NewJsonlParser(WithIdField("id"), problems_)) {}

absl::StatusOr<SourceDocument> SourceReader::Read(std::string_view id, std::string_view json) {
  PMDEX_ASSIGN_OR_RETURN(SourceDocument document, Parse(*without_id_, json));
  document.id = std::string(id);
  return document;
}

absl::StatusOr<SourceDocument> SourceReader::ReadWithId(std::string_view json) {
  return Parse(*with_id_, json);
}

absl::StatusOr<SourceDocument> SourceReader::Parse(BlockParser& parser, std::string_view json) {
  PMDEX_RETURN_IF_ERROR(LoadSimdjson());
  line_.assign(json);
  // Two passes of memchr: find_first_of of the C++ library calls it for each byte.
  if (json.find('\n') != json.npos || json.find('\r') != json.npos) {
    // A line end inside of a string is an error that must not become a space.
    if (!nlohmann::json::accept(json)) return InvalidArgument("it is not valid JSON");
    std::replace(line_.begin(), line_.end(), '\n', ' ');
    std::replace(line_.begin(), line_.end(), '\r', ' ');
  }
  const size_t size = line_.size();
  line_.resize(size + Block::kPaddingBytes);
  Block block;
  block.bytes = line_.data();
  block.capacity = size;
  block.size = size;
  block.format = InputFormat::kJsonl;
  static const auto kPath = std::make_shared<const std::string>("the document");
  block.path = kPath;
  OneDocument sink;
  PMDEX_RETURN_IF_ERROR(parser.Parse(block, sink));
  ProblemSummaries problems = problems_.Take();
  if (!sink.read().has_value()) {
    std::string why = "it is not a JSON object";
    const auto invalid = problems.find(ProblemKind::kInvalidJson);
    if (invalid != problems.end() && !invalid->second.first_places.empty()) {
      absl::StrAppend(&why, ": ", invalid->second.first_places.front());
    }
    return InvalidArgument(why);
  }
  SourceDocument document = *std::move(sink.read());
  if (problems.contains(ProblemKind::kMissingId)) document.id.clear();
  document.record = std::string(json);
  return document;
}

}  // namespace pmdex
