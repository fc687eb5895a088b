#include "query/result/snippet.h"

#include <algorithm>

#include "engine/analysis/code_points.h"
#include "query/language/regexp_automaton.h"

namespace pmdex {
namespace {

constexpr std::string_view kEllipsis = "\u2026";
// How far a cut may move to end between words.
constexpr size_t kCutCharacters = 20;

struct Match {
  size_t begin = 0;  // bytes
  size_t end = 0;
  size_t character = 0;  // of begin, counted from the start of the text
  size_t word = 0;
};

// A run of consecutive matches, and how many different words it has.
struct Window {
  size_t first = 0;
  size_t last = 0;  // matches [first, last]
  size_t different_words = 0;
};

bool IsSpace(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

// The window with the most different words. If several have as many, the one with the most matches,
// and of these the first.
Window BestWindow(const std::vector<Match>& matches) {
  Window best;
  std::map<size_t, size_t> inside;  // matches by word
  size_t last = 0;                  // one past
  for (size_t first = 0; first < matches.size(); ++first) {
    while (last < matches.size() &&
           (last <= first ||
            matches[last].character - matches[first].character < kSnippetCharacters)) {
      ++inside[matches[last++].word];
    }
    const Window window{first, last - 1, inside.size()};
    const auto rank = [](const Window& w) {
      return std::pair(w.different_words, w.last - w.first);
    };
    if (best.different_words == 0 || rank(window) > rank(best)) best = window;
    if (--inside[matches[first].word] == 0) inside.erase(matches[first].word);
  }
  return best;
}

// The offset that lies `characters` characters before `from`, or the next beginning of a word if
// one is near.
size_t CutBefore(std::string_view text, size_t from, size_t characters) {
  size_t cut = from;
  for (size_t n = 0; n < characters && cut > 0; ++n) {
    size_t step = 1;
    while (step < 4 && step < cut &&
           (static_cast<unsigned char>(text[cut - step]) & 0xc0) == 0x80) {
      ++step;
    }
    cut -= step;
  }
  if (cut == 0 || IsSpace(text[cut - 1])) return cut;
  for (size_t at = cut; at < from && at < cut + kCutCharacters; ++at) {
    if (IsSpace(text[at])) return at + 1;
  }
  return cut;
}

// The offset that lies `characters` characters after `from`, or the end of a word shortly before
// it.
size_t CutAfter(std::string_view text, size_t from, size_t characters) {
  size_t cut = from;
  for (size_t n = 0; n < characters && cut < text.size(); ++n) {
    cut += CodePointBytes(text.substr(cut));
  }
  if (cut == text.size() || IsSpace(text[cut])) return cut;
  for (size_t at = cut; at > from && at + kCutCharacters > cut; --at) {
    if (IsSpace(text[at - 1])) return at - 1;
  }
  return cut;
}

// Appends text with white space runs as one space and without control characters.
void AppendClean(std::string_view text, std::string& out) {
  for (const char c : text) {
    if (IsSpace(c)) {
      if (!out.empty() && out.back() != ' ') out += ' ';
    } else if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) {
      out += c;
    }
  }
}

std::string Cut(std::string_view text, const std::vector<Match>& matches, const Window& window) {
  const size_t first = matches.empty() ? 0 : matches[window.first].begin;
  size_t end = matches.empty() ? 0 : matches[window.last].end;
  const size_t characters = CountCodePoints(text.substr(first, end - first));
  const size_t spare = kSnippetCharacters > characters ? kSnippetCharacters - characters : 0;
  const size_t begin = CutBefore(text, first, spare / 3);
  const size_t used = CountCodePoints(text.substr(begin, first - begin));
  end = CutAfter(text, end, spare > used ? spare - used : 0);
  std::string out;
  if (begin > 0) out += kEllipsis;
  size_t at = begin;
  for (size_t i = window.first; i <= window.last && i < matches.size(); ++i) {
    if (matches[i].begin < at) continue;  // overlaps the one before
    AppendClean(text.substr(at, matches[i].begin - at), out);
    out += kSnippetMatchBegin;
    AppendClean(text.substr(matches[i].begin, matches[i].end - matches[i].begin), out);
    out += kSnippetMatchEnd;
    at = matches[i].end;
  }
  AppendClean(text.substr(at, end - at), out);
  while (!out.empty() && out.back() == ' ') out.pop_back();
  if (end < text.size()) out += kEllipsis;
  return out;
}

}  // namespace

// Finds the query's words among the tokens of a text.
class SnippetSink final : public TokenSink {
 public:
  SnippetSink(std::string_view text, const SnippetMarker::FieldWords& words)
      : text_(text), words_(words) {}

  void Accept(std::span<const Token> tokens) override {
    for (const Token& token : tokens) {
      const std::optional<size_t> word = words_.Match(token.term);
      const size_t begin = offset + token.begin;
      const size_t end = offset + token.end;
      if (!word.has_value() || begin < counted_ || end > text_.size()) continue;
      character_ += CountCodePoints(text_.substr(counted_, begin - counted_));
      counted_ = begin;
      matches.push_back({begin, end, character_, *word});
    }
  }

  size_t offset = 0;  // in the text, of the piece that is analysed
  std::vector<Match> matches;

 private:
  std::string_view text_;
  const SnippetMarker::FieldWords& words_;
  size_t counted_ = 0;  // bytes whose characters are in character_
  size_t character_ = 0;
};

namespace {

// The end of the piece that starts at `begin`; it has at least kPieceBytes. A piece ends before a
// space or newline, where every analyzer ends a word, or between two characters if there is none.
size_t PieceEnd(std::string_view text, size_t begin) {
  constexpr size_t kPieceBytes = 32 << 10;
  constexpr size_t kMost = 4 * kPieceBytes;
  if (text.size() - begin <= kMost) return text.size();
  const size_t space = text.find_first_of(" \n", begin + kPieceBytes);
  if (space != std::string_view::npos && space - begin <= kMost) return space;
  size_t end = begin + kMost;
  while ((static_cast<unsigned char>(text[end]) & 0xc0) == 0x80 && end > begin + kPieceBytes) --end;
  return end;
}

// Analyzes the text piece by piece. Returns false if the deadline came first.
bool AnalyzeInTime(std::string_view text, Analyzer& analyzer, const Deadline& deadline,
                   SnippetSink& sink) {
  while (sink.offset < text.size()) {
    if (IsPast(deadline)) return false;
    const size_t end = PieceEnd(text, sink.offset);
    analyzer.Analyze(text.substr(sink.offset, end - sink.offset), 0, sink);
    sink.offset = end;
  }
  return true;
}

}  // namespace

std::optional<size_t> SnippetMarker::FieldWords::Match(std::string_view term) const {
  if (const auto found = terms.find(term); found != terms.end()) return found->second;
  for (const auto& [prefix, word] : prefixes) {
    if (term.starts_with(prefix)) return word;
  }
  for (const auto& [pattern, word] : patterns) {
    if (pattern.Matches(term)) return word;
  }
  for (const auto& [regexp, word] : regexps) {
    if (regexp->Matches(term)) return word;
  }
  return std::nullopt;
}

SnippetMarker::SnippetMarker(const QueryBinding& binding) {
  Collect(*binding.root);
}

void SnippetMarker::Collect(const BoundQuery& query) {
  for (const BoundTerm& term : query.terms) {
    if (fields_[query.field].terms.try_emplace(term.text, word_count_).second) ++word_count_;
  }
  for (const BoundTerm& term : query.expansions) {  // all of them are one word of the phrase
    fields_[query.field].terms.try_emplace(term.text, word_count_);
  }
  if (!query.expansions.empty()) ++word_count_;
  if (query.kind == BoundKind::kPrefix) {
    fields_[query.field].prefixes.emplace_back(query.text, word_count_++);
  }
  if (query.kind == BoundKind::kWildcard) {
    fields_[query.field].patterns.emplace_back(WildcardPattern(query.text), word_count_++);
  }
  if (query.kind == BoundKind::kRegexp) {
    fields_[query.field].regexps.emplace_back(query.regexp.get(), word_count_++);
  }
  for (const BoundClause& clause : query.clauses) {
    if (clause.occur != Occur::kMustNot) Collect(*clause.query);
  }
}

absl::StatusOr<std::string> SnippetMarker::Mark(const Segment& segment, DocId doc,
                                                Analyzer& analyzer, LastStoredChunk& last,
                                                const Deadline& deadline) const {
  if (IsPast(deadline)) return DeadlineError();
  PMDEX_ASSIGN_OR_RETURN(const std::vector<StoredValue> values, segment.StoredText(doc, last));
  return MarkText(segment, values, analyzer, deadline);
}

absl::StatusOr<std::string> SnippetMarker::MarkText(const Segment& segment,
                                                    const std::vector<StoredValue>& values,
                                                    Analyzer& analyzer,
                                                    const Deadline& deadline) const {
  const std::string* best_text = nullptr;
  std::vector<Match> best_matches;
  Window best;
  for (const StoredValue& value : values) {
    if (best_text == nullptr) best_text = &value.text;
    if (value.field >= segment.fields().size()) continue;
    const auto words = fields_.find(segment.fields()[value.field].name);
    if (words == fields_.end()) continue;
    SnippetSink sink(value.text, words->second);
    if (!AnalyzeInTime(value.text, analyzer, deadline, sink)) return DeadlineError();
    const Window window = BestWindow(sink.matches);
    if (window.different_words <= best.different_words) continue;
    best = window;
    best_text = &value.text;
    best_matches = std::move(sink.matches);
  }
  if (best_text == nullptr) return std::string();
  return Cut(*best_text, best_matches, best);
}

}  // namespace pmdex
