#include "engine/ingest/lines.h"

#include <simdjson.h>

#include <string>

namespace pmdex {
namespace {

class LinesParser final : public BlockParser {
 public:
  absl::Status Parse(const Block& block, DocumentSink& sink) override {
    std::string_view text = block.text();
    const bool all_valid = simdjson::validate_utf8(text.data(), text.size());
    for (uint64_t line = block.first_line; !text.empty(); ++line) {
      const std::string_view body = TakeLine(text);
      if (body.empty()) continue;
      id_.assign(*block.path);
      absl::StrAppend(&id_, ":", line);
      const DocumentField field = {kBodyField, body};
      Document document;
      document.id = id_;
      document.place = {*block.path, line};
      document.fields = std::span(&field, 1);
      document.valid_utf8 = all_valid || simdjson::validate_utf8(body.data(), body.size());
      PMDEX_RETURN_IF_ERROR(sink.Add(document));
    }
    return absl::OkStatus();
  }

 private:
  std::string id_;
};

}  // namespace

std::string_view TakeLine(std::string_view& text) {
  const size_t newline = text.find('\n');
  std::string_view line = text.substr(0, newline);
  text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::unique_ptr<BlockParser> NewLinesParser() {
  return std::make_unique<LinesParser>();
}

}  // namespace pmdex
