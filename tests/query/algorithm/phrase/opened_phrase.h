// A phrase of a query with the lists of its words, for tests of what finds phrases in a window.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "query/algorithm/phrase/phrase_word.h"
#include "query/algorithm/postings/posting_windows.h"
#include "query/cursor/cursor.h"
#include "query/cursor/exact_phrase.h"
#include "query/cursor/sloppy_phrase.h"
#include "query/planning/query_binder.h"

namespace pmdex {

// Every word has a list of its own.
struct OpenedPhrase {
  QueryBinding binding;
  std::vector<PostingListView> lists;
  std::vector<PhraseWord> words;
  std::vector<PostingWindows> terms;
};

// binding: of a query that is a phrase, in an index of this segment alone.
inline OpenedPhrase OpenPhrase(QueryBinding binding, const Segment& segment,
                               CursorContext& context) {
  OpenedPhrase phrase{std::move(binding), {}, {}, {}};
  const BoundQuery& root = *phrase.binding.root;
  EXPECT_EQ(root.kind, BoundKind::kPhrase);
  for (uint32_t i = 0; i < root.terms.size(); ++i) {
    const auto list = segment.Postings(*root.terms[i].entries[0]);
    EXPECT_TRUE(list.ok()) << list.status();
    phrase.lists.push_back(*list);
    phrase.words.push_back({i, i, root.offsets[i]});
    phrase.terms.emplace_back(*list, context);
  }
  return phrase;
}

// How often a document has the phrase, by matchers that read every position.
inline float FrequencyByMatcher(const OpenedPhrase& phrase, DocId doc) {
  const BoundQuery& root = *phrase.binding.root;
  std::vector<std::vector<uint32_t>> positions(phrase.lists.size());
  std::vector<std::string> texts;
  for (size_t i = 0; i < phrase.lists.size(); ++i) {
    const auto posting = phrase.lists[i].PostingOf(doc);
    if (!posting.has_value()) return 0;
    EXPECT_TRUE(phrase.lists[i].ReadPositions(*posting, positions[i]).ok());
    texts.push_back(root.terms[i].text);
  }
  return root.slop == 0 ? ExactPhraseMatcher(root.offsets).Frequency(positions)
                        : SloppyPhraseMatcher(texts, root.offsets, root.slop).Frequency(positions);
}

}  // namespace pmdex
