#include "tools/server/elasticsearch/search/highlighter.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "engine/analysis/code_points.h"
#include "tools/server/elasticsearch/name_pattern.h"
#include "tools/server/elasticsearch/search/passages.h"

namespace pmdex {
namespace {

// Collects tokens with their places in characters.
class HighlightSink final : public TokenSink {
 public:
  explicit HighlightSink(std::string_view text) : text_(text) {}

  void Accept(std::span<const Token> batch) override {
    for (const Token& token : batch) {
      tokens.push_back({std::string(token.term), token.position, CharacterAt(token.begin), 0});
      tokens.back().end =
          tokens.back().begin + CountCodePoints(text_.substr(token.begin, token.end - token.begin));
    }
  }
  std::vector<HighlightToken> tokens;

 private:
  // Tokens ascend, so that the text is counted once.
  size_t CharacterAt(size_t byte) {
    if (byte < counted_bytes_) {
      counted_bytes_ = 0;
      characters_ = 0;
    }
    characters_ += CountCodePoints(text_.substr(counted_bytes_, byte - counted_bytes_));
    counted_bytes_ = byte;
    return characters_;
  }

  const std::string_view text_;
  size_t counted_bytes_ = 0;
  size_t characters_ = 0;
};

// A value of a field with its matches.
struct MatchedValue {
  std::string_view text;
  std::vector<uint32_t> characters;
  std::vector<PassageMatch> matches;
  size_t offset = 0;
};

void AppendCharacters(std::span<const uint32_t> characters, std::string& out) {
  for (const uint32_t character : characters) {
    AppendCodePoint(IsStrayByte(character) ? 0xfffd : character, out);
  }
}

std::string Trimmed(const std::string& text) {
  constexpr char kSpaces[] = " \t\r\n\f\v";
  const size_t begin = text.find_first_not_of(kSpaces);
  if (begin == text.npos) return "";
  return text.substr(begin, text.find_last_not_of(kSpaces) + 1 - begin);
}

std::string FragmentOf(const Passage& passage, std::span<const uint32_t> characters,
                       const HighlightField& options) {
  std::string out;
  size_t at = passage.begin;
  for (const PassageMatch& match : passage.matches) {
    const size_t end = std::max(match.end, at);
    if (match.begin < at) continue;
    AppendCharacters(characters.subspan(at, match.begin - at), out);
    out += options.pre_tags[0];
    AppendCharacters(characters.subspan(match.begin, end - match.begin), out);
    out += options.post_tags[0];
    at = end;
  }
  if (at < passage.end) AppendCharacters(characters.subspan(at, passage.end - at), out);
  return Trimmed(out);
}

// The best passages of all values, in the order of the text.
struct ChosenPassage {
  const MatchedValue* value = nullptr;
  Passage passage;
};

std::vector<ChosenPassage> ChoosePassages(const std::vector<MatchedValue>& values,
                                          std::span<const uint32_t> frequencies,
                                          const HighlightField& options) {
  size_t all_length = 0;
  for (const MatchedValue& value : values) all_length += value.characters.size() + 1;
  const bool whole = options.number_of_fragments == 0;
  const auto size = whole ? std::nullopt : std::optional(options.fragment_size);
  std::vector<ChosenPassage> chosen;
  for (const MatchedValue& value : values) {
    const PassageText text{value.characters, value.offset, all_length - 1};
    for (Passage& passage : PassagesOf(text, value.matches, frequencies, size)) {
      chosen.push_back({&value, std::move(passage)});
    }
  }
  if (whole || chosen.size() <= options.number_of_fragments) return chosen;
  std::vector<size_t> order(chosen.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  // As in Lucene, the later of two equal passages counts.
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const float score_a = chosen[a].passage.score;
    const float score_b = chosen[b].passage.score;
    return score_a != score_b ? score_a > score_b : a > b;
  });
  order.resize(options.number_of_fragments);
  std::sort(order.begin(), order.end());
  std::vector<ChosenPassage> best;
  for (const size_t i : order) best.push_back(std::move(chosen[i]));
  return best;
}

}  // namespace

Json Highlighter::Highlight(const FieldTexts& document) {
  Json highlight = Json::object();
  for (const HighlightField& options : fields_) {
    for (const auto& [field, values] : document) {
      if (!MatchesNamePattern(options.pattern, field) || highlight.contains(field)) continue;
      std::vector<std::string> fragments = Fragments(field, values, options);
      if (!fragments.empty()) highlight[field] = std::move(fragments);
    }
  }
  return highlight.empty() ? Json() : highlight;
}

std::vector<std::string> Highlighter::Fragments(const std::string& field,
                                                const std::vector<std::string>& values,
                                                const HighlightField& options) {
  std::map<std::string, uint32_t, std::less<>> numbers;  // of words
  WordFrequencies frequency_of;
  std::vector<MatchedValue> matched;
  size_t offset = 0;
  for (const std::string& text : values) {
    HighlightSink sink(text);
    analyzer_.Analyze(text, 0, sink);
    const std::vector<FoundWord> found = options.require_field_match
                                             ? words_.Find(field, sink.tokens, frequency_of)
                                             : words_.FindOfAnyField(sink.tokens, frequency_of);
    MatchedValue& value = matched.emplace_back();
    value.text = text;
    value.offset = offset;
    DecodeCodePoints(text, value.characters);
    offset += value.characters.size() + 1;
    for (const FoundWord& place : found) {
      const HighlightToken& token = sink.tokens[place.token];
      const auto number = static_cast<uint32_t>(numbers.size());
      const auto known = numbers.try_emplace(std::string(place.word), number).first;
      value.matches.push_back({token.begin, token.end, known->second});
    }
  }
  std::vector<uint32_t> frequencies(numbers.size());
  for (const auto& [word, number] : numbers) frequencies[number] = frequency_of[word];
  std::vector<std::string> fragments;
  for (const ChosenPassage& chosen : ChoosePassages(matched, frequencies, options)) {
    fragments.push_back(FragmentOf(chosen.passage, chosen.value->characters, options));
  }
  if (fragments.empty() && options.no_match_size > 0 && !matched.empty()) {
    const auto& characters = matched[0].characters;
    const Passage lead{0, LeadEnd(characters, options.no_match_size), {}, 0};
    fragments.push_back(FragmentOf(lead, characters, options));
  }
  return fragments;
}

}  // namespace pmdex
