#include "engine/ingest/formats/lines.h"

#include <simdjson.h>

#include <array>
#include <optional>
#include <string>

#include "engine/columns/field_value.h"
#include "engine/ingest/pipeline/block_pool.h"

namespace pmdex {
namespace {

// Whole lines, about so many bytes: what was read to validate them is still in the nearer caches
// when they are taken one by one.
std::string_view TakePiece(std::string_view& text) {
  constexpr size_t kPieceBytes = 16 << 10;
  const size_t newline = text.size() > kPieceBytes ? text.find('\n', kPieceBytes) : text.size();
  const std::string_view piece = text.substr(0, newline == text.npos ? newline : newline + 1);
  text.remove_prefix(piece.size());
  return piece;
}

class LinesParser final : public BlockParser {
 public:
  explicit LinesParser(const LogClock* clock) : clock_(clock) {}

  absl::Status Parse(const Block& block, DocumentSink& sink) override {
    std::string_view text = block.text();
    uint64_t line = block.first_line;
    time_ = block.time_before;
    while (!text.empty()) {
      std::string_view piece = TakePiece(text);
      const bool all_valid = simdjson::validate_utf8(piece.data(), piece.size());
      for (; !piece.empty(); ++line) {
        const std::string_view body = TakeLine(piece);
        if (body.empty()) continue;
        const bool valid = all_valid || simdjson::validate_utf8(body.data(), body.size());
        if (clock_ != nullptr) PassTime(body, block.mtime);
        PMDEX_RETURN_IF_ERROR(AddLine(*block.path, line, body, valid, sink));
      }
    }
    return absl::OkStatus();
  }

 private:
  void PassTime(std::string_view line, int64_t mtime) {
    const auto time = clock_->TimeOf(line, mtime);
    if (time.has_value()) time_ = time;
  }

  absl::Status AddLine(const std::string& path, uint64_t line, std::string_view body,
                       bool valid_utf8, DocumentSink& sink) {
    id_.assign(path);
    absl::StrAppend(&id_, ":", line);
    const FieldValue value = FieldValue::Date(time_.value_or(0));
    DocumentField time = {kLogTimeField, {}};
    time.value = &value;
    const std::array<DocumentField, 2> fields = {DocumentField{kBodyField, body}, time};
    Document document;
    document.id = id_;
    document.place = {path, line};
    document.fields = std::span(fields).first(time_.has_value() ? 2 : 1);
    document.valid_utf8 = valid_utf8;
    return sink.Add(document);
  }

  const LogClock* const clock_;
  std::optional<int64_t> time_;  // of the line, or of the last one that has one
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

std::unique_ptr<BlockParser> NewLinesParser(const LogClock* clock) {
  return std::make_unique<LinesParser>(clock);
}

}  // namespace pmdex
