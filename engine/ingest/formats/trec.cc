#include "engine/ingest/formats/trec.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "engine/ingest/problem_kind.h"
#include "engine/memtable/memtable_options.h"

namespace pmdex {
namespace {

constexpr size_t kNone = std::string_view::npos;

char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}
bool IsSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

// Length of the tag `name` (with its bracket and slash, in lower case) at the front of text, up to
// and with '>'; 0 when it is another tag. No tag has another '<' in it: what is a tag does not
// depend on where the text before it was cut, and looking for one never reads a byte twice.
size_t TagBytes(std::string_view text, std::string_view name) {
  if (text.size() <= name.size()) return 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (Lower(text[i]) != name[i]) return 0;
  }
  if (text[name.size()] == '>') return name.size() + 1;
  if (!IsSpace(text[name.size()])) return 0;
  const size_t end = text.find_first_of("<>", name.size());
  return end == kNone || text[end] == '<' ? 0 : end + 1;
}

struct Tag {
  size_t begin = kNone;
  size_t end = kNone;
};

Tag FindTag(std::string_view text, std::string_view name, size_t from) {
  for (size_t at = text.find('<', from); at != kNone; at = text.find('<', at + 1)) {
    if (const size_t bytes = TagBytes(text.substr(at), name); bytes > 0) return {at, at + bytes};
  }
  return {};
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

// A border at '<' number `at`, or 0.
size_t BorderAt(std::string_view text, size_t at) {
  if (const size_t bytes = TagBytes(text.substr(at), "</doc"); bytes > 0) return at + bytes;
  return TagBytes(text.substr(at), "<doc") > 0 ? at : 0;
}

struct Entity {
  std::string_view name;
  char value;
};
constexpr Entity kEntities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}};

void AppendDecoded(std::string_view text, std::string& out) {
  while (!text.empty()) {
    const size_t plain = std::min(text.find('&'), text.size());
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) return;
    size_t taken = 1;
    char value = '&';
    for (const Entity& entity : kEntities) {
      if (!text.starts_with(entity.name)) continue;
      value = entity.value;
      taken = entity.name.size();
    }
    out.push_back(value);
    text.remove_prefix(taken);
  }
}

// Text outside of tags; a tag parts words. '<' before anything but a letter, '/' or '!' is text.
void AppendWithoutTags(std::string_view text, std::string& out) {
  // Where the last tag can end: behind it no '<' is looked at twice.
  const size_t last_end = text.rfind('>');
  const char* const tags_end = text.data() + (last_end == kNone ? 0 : last_end);
  while (!text.empty()) {
    const size_t plain = std::min(text.find('<'), text.size());
    AppendDecoded(text.substr(0, plain), out);
    text.remove_prefix(plain);
    if (text.empty()) return;
    const char next = text.size() > 1 ? Lower(text[1]) : ' ';
    const bool tag = (next >= 'a' && next <= 'z') || next == '/' || next == '!';
    if (tag && text.data() < tags_end) {
      out.push_back(' ');
      text.remove_prefix(text.find('>') + 1);
    } else {
      out.push_back('<');
      text.remove_prefix(1);
    }
  }
}

class TrecParser final : public BlockParser {
 public:
  explicit TrecParser(ProblemLog& problems) : problems_(problems) {}

  absl::Status Parse(const Block& block, DocumentSink& sink) override {
    block_ = &block;
    line_ = block.first_line;
    counted_ = 0;
    const std::string_view text = block.text();
    size_t at = 0;
    Tag close = {0, 0};
    for (Tag open = FindTag(text, "<doc", 0); open.begin != kNone;) {
      ReportStrayText(text.substr(at, open.begin - at), at);
      // Looked for once, however many <DOC> come before it.
      if (close.begin < open.end) close = FindTag(text, "</doc", open.end);
      const Tag next = FindTag(text.substr(0, close.begin == kNone ? text.size() : close.begin),
                               "<doc", open.end);
      if (next.begin != kNone || close.begin == kNone) {
        Report(open.begin, "<DOC> without </DOC>");
        at = next.begin == kNone ? text.size() : next.begin;
        open = next;
        continue;
      }
      PMDEX_RETURN_IF_ERROR(
          AddDocument(text.substr(open.end, close.begin - open.end), open.begin, sink));
      at = close.end;
      open = FindTag(text, "<doc", at);
    }
    ReportStrayText(text.substr(at), at);
    return absl::OkStatus();
  }

 private:
  absl::Status AddDocument(std::string_view text, size_t begin, DocumentSink& sink);
  void ReportStrayText(std::string_view text, size_t begin) {
    if (!Trim(text).empty()) Report(begin, "text outside of <DOC>");
  }
  void Report(size_t offset, std::string_view reason) {
    problems_.Add(ProblemKind::kMalformedTrec, PlaceOf(offset).ToString(), reason);
  }
  // Offsets are asked for in ascending order.
  Place PlaceOf(size_t offset) {
    const std::string_view text = block_->text();
    line_ += static_cast<uint64_t>(std::count(text.data() + counted_, text.data() + offset, '\n'));
    counted_ = offset;
    return {*block_->path, line_};
  }

  ProblemLog& problems_;
  const Block* block_ = nullptr;
  uint64_t line_ = 1;
  size_t counted_ = 0;
  std::string body_;
};

absl::Status TrecParser::AddDocument(std::string_view text, size_t begin, DocumentSink& sink) {
  const Tag open = FindTag(text, "<docno", 0);
  const Tag close = open.end == kNone ? Tag{} : FindTag(text, "</docno", open.end);
  const std::string_view id =
      close.begin == kNone ? "" : Trim(text.substr(open.end, close.begin - open.end));
  if (id.empty() || id.size() > MemtableLimits::kMaxIdBytes) {
    Report(begin, id.empty() ? "no DOCNO" : "DOCNO too long");
    return absl::OkStatus();
  }
  body_.clear();
  AppendWithoutTags(text.substr(0, open.begin), body_);
  AppendWithoutTags(text.substr(close.end), body_);
  const DocumentField field = {kBodyField, body_};
  Document document;
  document.id = id;
  document.place = PlaceOf(begin);
  document.fields = std::span(&field, 1);
  document.valid_utf8 = simdjson::validate_utf8(body_.data(), body_.size());
  return sink.Add(document);
}

}  // namespace

size_t LastTrecBorder(std::string_view text) {
  for (size_t at = text.rfind('<'); at != kNone && at > 0; at = text.rfind('<', at - 1)) {
    if (const size_t border = BorderAt(text, at); border > 0) return border;
  }
  return 0;
}

size_t FirstTrecBorder(std::string_view text, size_t from) {
  // A tag that was cut at `from` begins at the last '<' before it.
  size_t begin = std::max<size_t>(from, 1);
  const size_t least = from > kLongestTagBytes ? from - kLongestTagBytes : 1;
  for (size_t at = begin; at-- > least;) {
    if (text[at] == '<') {
      begin = at;
      break;
    }
  }
  for (size_t at = text.find('<', begin); at != kNone; at = text.find('<', at + 1)) {
    if (const size_t border = BorderAt(text, at); border > 0) return border;
  }
  return 0;
}

std::unique_ptr<BlockParser> NewTrecParser(ProblemLog& problems) {
  return std::make_unique<TrecParser>(problems);
}

}  // namespace pmdex
