#include "query/result/snippet.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "gtest/gtest.h"

#include "engine/analysis/code_points.h"
#include "query/searcher.h"
#include "tests/support/reference_index.h"

namespace pmdex {
namespace snippet_test {

// The snippet of the first hit, with its matches in brackets.
std::string Snippet(const std::string& text, std::string_view query, bool stored = true) {
  ReferenceIndex reference(AnalyzerKind::kEnglish);
  reference.Add({"0", {{"body", text}}});
  const Searcher searcher(reference.BuildSnapshot(1, true, stored));
  SearchOptions options;
  options.snippets = true;
  const auto result = searcher.Search(query, options);
  EXPECT_TRUE(result.ok() && result->hits.size() == 1) << result.status();
  std::string snippet = result->snippets[0];
  std::replace(snippet.begin(), snippet.end(), kSnippetMatchBegin, '[');
  std::replace(snippet.begin(), snippet.end(), kSnippetMatchEnd, ']');
  return snippet;
}

TEST(Snippet, MarksTheWordsAsTheyStandInTheText) {
  EXPECT_EQ(Snippet("The dogs were Running home.", "run dog"), "The [dogs] were [Running] home.");
  EXPECT_EQ(Snippet("one two three", "tw* thr?e"), "one [two] [three]");
  EXPECT_EQ(Snippet("one two", "one -four"), "[one] two");
}

TEST(Snippet, ShowsTheWindowWithTheMostDifferentWords) {
  std::string text = "fox fox fox ";
  for (int i = 0; i < 100; ++i) text += "filler ";
  text += "the quick brown fox jumps ";
  for (int i = 0; i < 100; ++i) text += "filler ";
  const std::string snippet = Snippet(text, "quick fox");
  EXPECT_NE(snippet.find("[quick] brown [fox]"), std::string::npos) << snippet;
  EXPECT_TRUE(snippet.starts_with("\u2026")) << snippet;
  EXPECT_TRUE(snippet.ends_with("\u2026")) << snippet;
  EXPECT_LE(CountCodePoints(snippet), kSnippetCharacters + 10);
}

TEST(Snippet, NeverCutsInsideACharacter) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += "\u00e9";
  text += " fox ";
  for (int i = 0; i < 400; ++i) text += "\u4e2d";
  const std::string snippet = Snippet(text, "fox");
  EXPECT_NE(snippet.find("[fox]"), std::string::npos);
  for (std::string_view rest = snippet; !rest.empty();) {
    const size_t size = CodePointBytes(rest);
    EXPECT_TRUE(size > 1 || static_cast<unsigned char>(rest[0]) < 0x80);
    rest.remove_prefix(size);
  }
}

TEST(Snippet, CleansWhiteSpaceAndControlCharacters) {
  EXPECT_EQ(Snippet("a\x01\tquick\n\n fox\x02", "fox"), "a quick [fox]");
}

TEST(Snippet, ShowsTheBeginningWithoutAMatch) {
  EXPECT_EQ(Snippet("one two", "*"), "one two");
}

TEST(Snippet, IsEmptyWhenNothingIsStored) {
  EXPECT_EQ(Snippet("one two", "one", /*stored=*/false), "");
}

}  // namespace snippet_test
}  // namespace pmdex
