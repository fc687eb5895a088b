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
constexpr char kNoField[] = "\xff";

class OneDocument final : public DocumentSink {
 public:
  absl::Status Add(const Document& document) override {
    if (!document.valid_utf8) return InvalidArgument("it is not valid UTF-8");
    AddedDocument& added = added_.emplace();
    added.id = std::string(document.id);
    added.fields.reserve(document.fields.size());
    for (const DocumentField& field : document.fields) {
      if (field.kind != InputValueKind::kString) continue;  // indexes of the server have text only
      added.fields.emplace_back(field.name, field.text);
    }
    return absl::OkStatus();
  }
  std::optional<AddedDocument>& added() { return added_; }

 private:
  std::optional<AddedDocument> added_;
};

JsonlOptions WithIdField(const char* name) {
  JsonlOptions options;
  options.id_field = name;
  return options;
}

}  // namespace

SourceReader::SourceReader()
    : without_id_(NewJsonlParser(WithIdField(kNoField), problems_)),
      with_id_(NewJsonlParser(WithIdField("id"), problems_)) {}

absl::StatusOr<AddedDocument> SourceReader::Read(std::string_view id, std::string_view json) {
  PMDEX_ASSIGN_OR_RETURN(AddedDocument document, Parse(*without_id_, json));
  document.id = std::string(id);
  return document;
}

absl::StatusOr<AddedDocument> SourceReader::ReadWithId(std::string_view json) {
  return Parse(*with_id_, json);
}

absl::StatusOr<AddedDocument> SourceReader::Parse(BlockParser& parser, std::string_view json) {
  PMDEX_RETURN_IF_ERROR(LoadSimdjson());
  line_.assign(json);
  if (json.find_first_of("\n\r") != json.npos) {
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
  if (!sink.added().has_value()) {
    std::string why = "it is not a JSON object";
    const auto invalid = problems.find(ProblemKind::kInvalidJson);
    if (invalid != problems.end() && !invalid->second.first_places.empty()) {
      absl::StrAppend(&why, ": ", invalid->second.first_places.front());
    }
    return InvalidArgument(why);
  }
  AddedDocument document = *std::move(sink.added());
  if (problems.contains(ProblemKind::kMissingId)) document.id.clear();
  document.record = std::string(json);
  return document;
}

}  // namespace pmdex
