#include "tools/server/elasticsearch/search/highlight_words.h"

#include <sstream>
#include <string>

#include "gtest/gtest.h"

#include "query/language/query_parser.h"

namespace pmdex {
namespace highlight_words_test {

std::unique_ptr<Query> Parsed(const std::string& text) {
  const auto analyzer = NewAnalyzer(AnalyzerKind::kStandard);
  const std::vector<std::string> fields = {"f"};
  return QueryParser(*analyzer, fields).Parse(text).value();
}

std::vector<HighlightToken> TokensOf(const std::string& text) {
  std::vector<HighlightToken> tokens;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    tokens.push_back({word, static_cast<uint32_t>(tokens.size()), 0, 0});
  }
  return tokens;
}

struct Places {
  std::string text;  // "token:word/frequency" for each place; P for the name of a pattern
  size_t words = 0;  // different ones
};

// The places in the field, or in any field if it is empty.
Places PlacesOf(const Query& query, const std::string& text, const std::string& field = "f") {
  const HighlightWords words(query);
  const std::vector<HighlightToken> tokens = TokensOf(text);
  WordFrequencies frequencies;
  const std::vector<FoundWord> found = field.empty() ? words.FindOfAnyField(tokens, frequencies)
                                                     : words.Find(field, tokens, frequencies);
  Places places;
  for (const FoundWord& place : found) {
    const bool is_pattern = place.word != tokens[place.token].term;
    const std::string word(is_pattern ? "P" : place.word);
    places.text += (places.text.empty() ? "" : " ") + std::to_string(place.token) + ":" + word +
                   "/" + std::to_string(frequencies.find(place.word)->second);
  }
  std::map<std::string_view, int> different;
  for (const FoundWord& place : found) ++different[place.word];
  places.words = different.size();
  return places;
}

TEST(HighlightWords, AreTermsOnce) {
  EXPECT_EQ(PlacesOf(*Parsed("a b a"), "a x b a").text, "0:a/2 2:b/1 3:a/2");
  EXPECT_EQ(PlacesOf(*Parsed("a -b"), "a b").text, "0:a/1");
  EXPECT_EQ(PlacesOf(*Parsed("g:a b"), "a b").text, "1:b/1");
  EXPECT_EQ(PlacesOf(*Parsed("g:a b"), "a b", "").text, "0:a/1 1:b/1");
  EXPECT_EQ(PlacesOf(*Parsed("g:a b"), "a b", "h").text, "");
}

TEST(HighlightWords, AreOneForAllTermsOfAPattern) {
  const Places places = PlacesOf(*Parsed("a* /b./ a* c~1"), "ab ac bd cd");
  EXPECT_EQ(places.text, "0:P/2 1:P/2 1:P/2 2:P/1 3:P/2");
  EXPECT_EQ(places.words, 3u);
}

TEST(HighlightWords, StandAtOnePlaceForAWordAndAPattern) {
  EXPECT_EQ(PlacesOf(*Parsed("ab a*"), "ab ac").text, "0:ab/1 0:P/2 1:P/2");
}

TEST(HighlightWords, CountThoseOfAPhraseWhereverTheyStand) {
  EXPECT_EQ(PlacesOf(*Parsed("\"a b\""), "b a b a").text, "1:a/2 2:b/2");
  EXPECT_EQ(PlacesOf(*Parsed("\"a b\" b"), "b a b").text, "0:b/2 1:a/1 2:b/2 2:b/2");
}

TEST(HighlightWords, AreOneForAllTermsOfASet) {
  Query set;
  set.kind = QueryKind::kConstantScore;
  set.clauses.push_back({Occur::kFilter, Parsed("a b")});
  EXPECT_EQ(PlacesOf(set, "a x b a").text, "0:P/3 2:P/3 3:P/3");
  EXPECT_EQ(PlacesOf(set, "a x b a").words, 1u);
  set.clauses[0].query = Parsed("a");
  EXPECT_EQ(PlacesOf(set, "a x b a").text, "0:a/2 3:a/2");
  set.clauses[0].query = Parsed("a g:b");
  EXPECT_EQ(PlacesOf(set, "a x b a").text, "0:a/2 3:a/2");
}

}  // namespace highlight_words_test
}  // namespace pmdex
