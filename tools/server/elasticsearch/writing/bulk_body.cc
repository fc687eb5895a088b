#include "tools/server/elasticsearch/writing/bulk_body.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/api_table.h"
#include "tools/server/elasticsearch/json_text.h"
#include "tools/server/elasticsearch/parameters.h"
#include "tools/server/elasticsearch/writing/write_answers.h"

namespace pmdex {
namespace {

struct NamedKind {
  std::string_view name;
  WriteKind kind;
};
constexpr NamedKind kActions[] = {{"create", WriteKind::kCreate},
                                  {"delete", WriteKind::kDelete},
                                  {"index", WriteKind::kIndex},
                                  {"update", WriteKind::kUpdate}};

// Lines of a body, counted from 1.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}
  bool is_at_end() const { return rest_.empty(); }
  size_t number() const { return number_; }
  std::string_view Next() {
    ++number_;
    const size_t end = rest_.find('\n');
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
    return line;
  }

 private:
  std::string_view rest_;
  size_t number_ = 0;
};

bool IsBlank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == line.npos;
}

absl::Status Malformed(size_t line, std::string_view what) {
  return BadArgument(absl::StrCat("Malformed action/metadata line [", line, "], ", ToAbsl(what)));
}

class BulkReader {
 public:
  BulkReader(std::string_view body, std::string_view index, const ElasticsearchLimits& limits)
      : lines_(body), index_(index), limits_(limits) {}

  absl::StatusOr<std::vector<BulkItem>> Read() {
    std::vector<BulkItem> items;
    while (!lines_.is_at_end()) {
      const std::string_view line = lines_.Next();
      if (IsBlank(line)) continue;
      PMDEX_ASSIGN_OR_RETURN(BulkItem item, ReadItem(line));
      items.push_back(std::move(item));
    }
    if (items.empty()) return InvalidRequest("no requests added");
    return items;
  }

 private:
  absl::StatusOr<BulkItem> ReadItem(std::string_view line) {
    const absl::StatusOr<Json> action = ParseJson(line, limits_.max_body_depth);
    if (!action.ok()) {
      return Malformed(lines_.number(), "expected START_OBJECT: the line is not JSON");
    }
    if (!action->is_object()) return Malformed(lines_.number(), "expected START_OBJECT");
    if (action->size() != 1) return Malformed(lines_.number(), "expected one action");
    BulkItem item;
    PMDEX_RETURN_IF_ERROR(ReadAction(action->begin().key(), action->begin().value(), item));
    if (item.operation.kind == WriteKind::kDelete) return item;
    if (lines_.is_at_end()) {
      return BadArgument(absl::StrCat("The bulk request has no line with a document behind line [",
                                      lines_.number(), "]"));
    }
    const std::string_view source = lines_.Next();
    if (item.operation.kind != WriteKind::kUpdate) {
      item.operation.source = std::string(source);
      return item;
    }
    PMDEX_ASSIGN_OR_RETURN(const Json body, ParseJson(source, limits_.max_body_depth));
    if (!body.is_object()) {
      return ApiError(400, "parsing_exception", "the body of an update must be an object");
    }
    for (const auto& [key, value] : body.items()) {
      if (HasWord(kUpdateKeys, key)) continue;
      return ApiError(
          400, "x_content_parse_exception",
          absl::StrCat("[", lines_.number(), "] [UpdateRequest] unknown field [", key, "]"));
    }
    PMDEX_RETURN_IF_ERROR(ReadUpdate(body, item.operation));
    return item;
  }

  absl::Status ReadAction(const std::string& name, const Json& options, BulkItem& item) {
    for (const NamedKind& known : kActions) {
      if (known.name != name) continue;
      item.action = known.name;
      item.operation.kind = known.kind;
    }
    if (item.action.empty()) {
      return Malformed(lines_.number(),
                       absl::StrCat("expected field [create], [delete], [index] or [update] but "
                                    "found [",
                                    name, "]"));
    }
    if (!options.is_object()) {
      return Malformed(lines_.number(), absl::StrCat("[", name, "] takes an object"));
    }
    return ReadOptions(options, item);
  }

  absl::Status ReadOptions(const Json& options, BulkItem& item) {
    std::optional<int64_t> number;
    std::optional<int64_t> term;
    item.index = std::string(index_);
    bool has_id = false;
    for (const auto& [key, value] : options.items()) {
      if (!HasWord(kBulkActionKeys, key)) {
        return BadArgument(absl::StrCat("Action/metadata line [", lines_.number(),
                                        "] contains an unknown parameter [", key, "]"));
      }
      if (value.is_null()) continue;
      if (key == "_index") {
        PMDEX_ASSIGN_OR_RETURN(item.index, JsonText(key, value));
      } else if (key == "_id") {
        PMDEX_ASSIGN_OR_RETURN(item.operation.id, JsonText(key, value));
        has_id = true;
      } else if (key == "if_seq_no") {
        PMDEX_ASSIGN_OR_RETURN(number, JsonInteger(key, value));
      } else if (key == "if_primary_term") {
        PMDEX_ASSIGN_OR_RETURN(term, JsonInteger(key, value));
      } else {  // retry_on_conflict: operations on an index do not overlap
        PMDEX_RETURN_IF_ERROR(JsonInteger(key, value).status());
      }
    }
    PMDEX_ASSIGN_OR_RETURN(item.operation.at, ConditionOf(number, term));
    return CheckItem(item, has_id);
  }

  static absl::Status CheckItem(BulkItem& item, bool has_id) {
    if (item.index.empty()) return InvalidRequest("index is missing");
    const WriteKind kind = item.operation.kind;
    const bool is_empty = item.operation.id.empty();
    if (is_empty && (kind == WriteKind::kUpdate || kind == WriteKind::kDelete)) {
      return InvalidRequest("id is missing");
    }
    if (has_id && is_empty) item.refusal = BadArgument(kEmptyIdReason);
    // No document has an id that is too long, so there is nothing to delete.
    if (!is_empty && kind != WriteKind::kDelete)
      PMDEX_RETURN_IF_ERROR(CheckDocumentId(item.operation.id));
    if (kind == WriteKind::kCreate && item.operation.at.has_value()) {
      return InvalidRequest("create operations do not support compare and set. use index instead");
    }
    return absl::OkStatus();
  }

  LineReader lines_;
  const std::string_view index_;
  const ElasticsearchLimits& limits_;
};

}  // namespace

absl::StatusOr<std::vector<BulkItem>> ReadBulkBody(std::string_view body, std::string_view index,
                                                   const ElasticsearchLimits& limits) {
  if (body.find_first_not_of(" \t\r\n") == body.npos) {
    return ApiError(400, "parse_exception", "request body is required");
  }
  if (!body.ends_with('\n')) {
    return BadArgument("The bulk request must be terminated by a newline [\\n]");
  }
  return BulkReader(body, index, limits).Read();
}

}  // namespace pmdex
