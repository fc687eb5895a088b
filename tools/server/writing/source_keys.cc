#include "tools/server/writing/source_keys.h"

#include <algorithm>
#include <array>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"

namespace pmdex {
namespace {

constexpr std::array<std::string_view, 9> kMetadataFields = {
    "_id",     "_index",       "_routing", "_source",     "_version",
    "_seq_no", "_field_names", "_ignored", "_nested_path"};

bool IsMetadataField(std::string_view key) {
  return std::find(kMetadataFields.begin(), kMetadataFields.end(), key) != kMetadataFields.end();
}

absl::Status MetadataFieldError(std::string_view key) {
  return InvalidArgument(
      absl::StrCat("Field [", ToAbsl(key),
                   "] is a metadata field and cannot be added inside a document. Use the index API "
                   "request parameters."));
}

absl::Status CheckPart(const nlohmann::ordered_json& part) {
  for (const auto& [key, unused] : part.items()) {
    if (IsMetadataField(key)) return MetadataFieldError(key);
  }
  return absl::OkStatus();
}

class KeyScanner {
 public:
  explicit KeyScanner(std::string_view json) : json_(json) {}

  absl::Status Run() {
    while (at_ < json_.size()) {
      const char c = json_[at_++];
      if (c == '"') {
        PMDEX_RETURN_IF_ERROR(ReadString());
      } else if (c == '{' || c == '[') {
        open_.push_back({c == '{', keys_.size()});
        is_key_next_ = c == '{';
      } else if (c == ',') {
        is_key_next_ = !open_.empty() && open_.back().is_object;
      } else if ((c == '}' || c == ']') && !open_.empty()) {
        PMDEX_RETURN_IF_ERROR(Close());
      }
    }
    return absl::OkStatus();
  }

 private:
  struct Open {
    bool is_object = false;
    size_t first_key = 0;  // in keys_
  };

  // Begins behind the quotation mark.
  absl::Status ReadString() {
    const size_t begin = at_;
    size_t end = std::min(json_.find('"', begin), json_.size());
    const bool has_escape = json_.substr(begin, end - begin).find('\\') != json_.npos;
    if (has_escape) end = EndWithEscapes(begin);
    at_ = end + 1;
    if (!is_key_next_) return absl::OkStatus();
    is_key_next_ = false;
    keys_.push_back(has_escape ? Unescaped(begin, end) : json_.substr(begin, end - begin));
    const bool is_top = open_.size() == 1;
    return is_top && IsMetadataField(keys_.back()) ? MetadataFieldError(keys_.back())
                                                   : absl::OkStatus();
  }

  size_t EndWithEscapes(size_t begin) const {
    size_t at = begin;
    while (at < json_.size() && json_[at] != '"') at += json_[at] == '\\' ? 2 : 1;
    return std::min(at, json_.size());
  }

  std::string_view Unescaped(size_t begin, size_t end) {
    const std::string_view quoted = json_.substr(begin - 1, end - begin + 2);
    const auto text = nlohmann::json::parse(quoted, nullptr, /*allow_exceptions=*/false);
    if (!text.is_string()) return json_.substr(begin, end - begin);
    return unescaped_.emplace_back(text.get<std::string>());
  }

  absl::Status Close() {
    const auto begin = keys_.begin() + static_cast<ptrdiff_t>(open_.back().first_key);
    std::sort(begin, keys_.end());
    const auto repeated = std::adjacent_find(begin, keys_.end());
    if (repeated != keys_.end()) {
      return InvalidArgument(absl::StrCat("Duplicate field '", ToAbsl(*repeated), "'"));
    }
    keys_.erase(begin, keys_.end());
    open_.pop_back();
    is_key_next_ = false;
    return absl::OkStatus();
  }

  const std::string_view json_;
  size_t at_ = 0;
  bool is_key_next_ = false;
  std::vector<Open> open_;              // objects and arrays
  std::vector<std::string_view> keys_;  // of all open objects
  std::deque<std::string> unescaped_;   // keys that were written with escapes
};

}  // namespace

absl::Status CheckSourceKeys(std::string_view json) {
  return KeyScanner(json).Run();
}

std::optional<WriteOutcome> RefuseKeys(const WriteOperation& operation) {
  absl::Status keys;
  switch (operation.kind) {
    case WriteKind::kIndex:
    case WriteKind::kCreate:
      if (!operation.has_id_inside) keys = CheckSourceKeys(operation.source);
      break;
    case WriteKind::kUpdate:
      keys = CheckPart(operation.part);
      if (keys.ok() && operation.upsert.has_value()) keys = CheckPart(*operation.upsert);
      break;
    case WriteKind::kDelete:
      break;
  }
  if (keys.ok()) return std::nullopt;
  WriteOutcome refused;
  refused.id = operation.id;
  WriteFailure& failure = refused.failure.emplace();
  failure.type = "document_parsing_exception";
  failure.reason = absl::StrCat("failed to parse: ", ToAbsl(Message(keys)));
  return refused;
}

}  // namespace pmdex
