// Opening cursors over a real segment; the cursors' own tests go into their promises.
#include "query/cursor/open_cursor.h"

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/language/query_parser.h"
#include "query/planning/query_binder.h"
#include "tests/query/cursor_support.h"
#include "tests/support/random_corpus.h"
#include "tests/support/reference_index.h"

namespace pmdex {
namespace open_cursor_test {

TEST(OpenCursor, EveryKindOfQueryKeepsThePromisesOfCursors) {
  RandomCorpus corpus(21);
  ReferenceIndex reference(AnalyzerKind::kStandard);
  for (const CorpusDocument& document : corpus.Documents(24)) reference.Add(document);
  const auto snapshot = reference.BuildSnapshot(24, true, false);
  const auto analyzer = NewAnalyzer(AnalyzerKind::kStandard);
  QueryParser parser(*analyzer, snapshot->field_names());
  for (int i = 0; i < 60; ++i) {
    const std::string text = corpus.Query(true);
    SCOPED_TRACE(text);
    const auto query = parser.Parse(text);
    ASSERT_TRUE(query.ok());
    std::vector<DocId> docs;
    for (const auto& [doc, score] : reference.Evaluate(**query, SimilarityKind::kBm25)) {
      docs.push_back(static_cast<DocId>(doc));
    }
    const auto binding = BindQuery(**query, *snapshot, SimilarityKind::kBm25);
    ASSERT_TRUE(binding.ok());
    const Segment& segment = *snapshot->segments()[0];
    CursorContext context{segment.doc_count(), segment.file_name(), absl::OkStatus()};
    ExpectKeepsPromises([&] { return *OpenCursor(*binding->root, segment, 0, context); }, docs, 26);
    EXPECT_TRUE(context.damage.ok());
  }
}

}  // namespace open_cursor_test
}  // namespace pmdex
