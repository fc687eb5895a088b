// The frequency of a phrase in single documents against matchers that read every position.
#include "query/algorithm/phrase/phrase_check.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/windowed_index.h"

namespace pmdex {
namespace phrase_check_test {

constexpr uint32_t kDocs = 9000;

class PhraseCheckTest : public WindowedIndexTest<testing::Test, kDocs> {
 protected:
  // Every word with a list of its own.
  struct Phrase {
    QueryBinding binding;
    std::vector<PostingListView> lists;
    std::vector<PhraseWord> words;
    std::vector<PostingWindows> terms;
  };
  Phrase Open(const std::string& text) {
    Phrase phrase{Bind(text), {}, {}, {}};
    const BoundQuery& root = *phrase.binding.root;
    EXPECT_EQ(root.kind, BoundKind::kPhrase);
    for (uint32_t i = 0; i < root.terms.size(); ++i) {
      const auto list = segment().Postings(*root.terms[i].entries[0]);
      EXPECT_TRUE(list.ok()) << list.status();
      phrase.lists.push_back(*list);
      phrase.words.push_back({i, i, root.offsets[i]});
      phrase.terms.emplace_back(*list, context_);
    }
    return phrase;
  }
  static float Expected(const Phrase& phrase, DocId doc) {
    const BoundQuery& root = *phrase.binding.root;
    std::vector<std::vector<uint32_t>> positions(phrase.lists.size());
    std::vector<std::string> texts;
    for (size_t i = 0; i < phrase.lists.size(); ++i) {
      const auto posting = phrase.lists[i].PostingOf(doc);
      if (!posting.has_value()) return 0;
      EXPECT_TRUE(phrase.lists[i].ReadPositions(*posting, positions[i]).ok());
      texts.push_back(root.terms[i].text);
    }
    return root.slop == 0
               ? ExactPhraseMatcher(root.offsets).Frequency(positions)
               : SloppyPhraseMatcher(texts, root.offsets, root.slop).Frequency(positions);
  }

  CursorContext context_{kDocs, "segment", absl::OkStatus()};
};

TEST_F(PhraseCheckTest, FindsHowOftenADocumentHasThePhrase) {
  for (const char* text : {"body:\"t0 t1\"", "body:\"t2 t0 t1\"", "body:\"t0 t0\"",
                           "body:\"t9 t0\"", "body:\"t1 t0\"~2", "body:\"t3 t1 t0\"~4"}) {
    SCOPED_TRACE(text);
    Phrase phrase = Open(text);
    PhraseCheck check(*phrase.binding.root, phrase.words, BestQueryKernels());
    uint32_t matches = 0;
    for (DocId doc = 0; doc < kDocs; ++doc) {
      std::vector<uint32_t> postings(phrase.terms.size(), PhraseCheck::kUnknown);
      const auto frequency = check.Frequency(doc, phrase.terms, postings);
      ASSERT_TRUE(frequency.ok()) << frequency.status();
      ASSERT_EQ(*frequency, Expected(phrase, doc)) << doc;
      matches += *frequency > 0 ? 1 : 0;
    }
    EXPECT_GT(matches, 0u);
  }
  EXPECT_TRUE(context_.damage.ok()) << context_.damage;
}

TEST_F(PhraseCheckTest, LooksUpThePostingsThatItIsNotGiven) {
  Phrase phrase = Open("body:\"t0 t1\"");
  PhraseCheck check(*phrase.binding.root, phrase.words, BestQueryKernels());
  DocId doc = 0;
  while (Expected(phrase, doc) == 0) ++doc;
  std::vector<uint32_t> postings = {*phrase.lists[0].PostingOf(doc), PhraseCheck::kUnknown};
  EXPECT_EQ(*check.Frequency(doc, phrase.terms, postings), Expected(phrase, doc));
  EXPECT_EQ(postings[1], *phrase.lists[1].PostingOf(doc));
}

TEST_F(PhraseCheckTest, FindsNothingInADocumentWithoutOneOfTheTerms) {
  Phrase phrase = Open("body:\"t0 t9\"");
  PhraseCheck check(*phrase.binding.root, phrase.words, BestQueryKernels());
  DocId doc = 0;
  while (phrase.lists[1].PostingOf(doc).has_value()) ++doc;
  std::vector<uint32_t> postings(2, PhraseCheck::kUnknown);
  EXPECT_EQ(*check.Frequency(doc, phrase.terms, postings), 0);
}

}  // namespace phrase_check_test
}  // namespace pmdex
