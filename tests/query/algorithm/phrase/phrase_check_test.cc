// The frequency of a phrase in single documents against matchers that read every position.
#include "query/algorithm/phrase/phrase_check.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/query/algorithm/phrase/opened_phrase.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace phrase_check_test {

constexpr uint32_t kDocs = 9000;

class PhraseCheckTest : public WindowedIndexTest<testing::Test, kDocs> {
 protected:
  OpenedPhrase Open(const std::string& text) { return OpenPhrase(Bind(text), segment(), context_); }

  CursorContext context_{kDocs, "segment", absl::OkStatus()};
};

TEST_F(PhraseCheckTest, FindsHowOftenADocumentHasThePhrase) {
  for (const char* text : {"body:\"t0 t1\"", "body:\"t2 t0 t1\"", "body:\"t0 t0\"",
                           "body:\"t9 t0\"", "body:\"t1 t0\"~2", "body:\"t3 t1 t0\"~4"}) {
    SCOPED_TRACE(text);
    OpenedPhrase phrase = Open(text);
    PhraseCheck check(*phrase.binding.root, phrase.words, BestQueryKernels());
    uint32_t matches = 0;
    for (DocId doc = 0; doc < kDocs; ++doc) {
      std::vector<uint32_t> postings(phrase.terms.size(), PhraseCheck::kUnknown);
      const auto frequency = check.Frequency(doc, phrase.terms, postings);
      ASSERT_TRUE(frequency.ok()) << frequency.status();
      ASSERT_EQ(*frequency, FrequencyByMatcher(phrase, doc)) << doc;
      matches += *frequency > 0 ? 1 : 0;
    }
    EXPECT_GT(matches, 0u);
  }
  EXPECT_TRUE(context_.damage.ok()) << context_.damage;
}

TEST_F(PhraseCheckTest, LooksUpThePostingsThatItIsNotGiven) {
  OpenedPhrase phrase = Open("body:\"t0 t1\"");
  PhraseCheck check(*phrase.binding.root, phrase.words, BestQueryKernels());
  DocId doc = 0;
  while (FrequencyByMatcher(phrase, doc) == 0) ++doc;
  std::vector<uint32_t> postings = {*phrase.lists[0].PostingOf(doc), PhraseCheck::kUnknown};
  EXPECT_EQ(*check.Frequency(doc, phrase.terms, postings), FrequencyByMatcher(phrase, doc));
  EXPECT_EQ(postings[1], *phrase.lists[1].PostingOf(doc));
}

TEST_F(PhraseCheckTest, FindsNothingInADocumentWithoutOneOfTheTerms) {
  OpenedPhrase phrase = Open("body:\"t0 t9\"");
  PhraseCheck check(*phrase.binding.root, phrase.words, BestQueryKernels());
  DocId doc = 0;
  while (phrase.lists[1].PostingOf(doc).has_value()) ++doc;
  std::vector<uint32_t> postings(2, PhraseCheck::kUnknown);
  EXPECT_EQ(*check.Frequency(doc, phrase.terms, postings), 0);
}

}  // namespace phrase_check_test
}  // namespace pmdex
