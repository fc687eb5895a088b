#include "query/planning/read_segments.h"

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/language/query_parser.h"
#include "query/planning/query_binder.h"
#include "tests/support/reference_index.h"

namespace pmdex {
namespace read_segments_test {

TEST(ReadSegments, AreThoseWithAWordOfTheQuery) {
  ReferenceIndex reference(AnalyzerKind::kStandard);
  for (const char* body : {"a b", "b c", "c d", "a d"}) reference.Add({body, {{"body", body}}});
  const auto snapshot = reference.BuildSnapshot(1, /*positions=*/true, /*store_text=*/false);
  const auto analyzer = NewAnalyzer(AnalyzerKind::kStandard);
  const auto read = [&](const std::string& text) {
    const auto query = QueryParser(*analyzer, snapshot->field_names()).Parse(text);
    const auto binding = BindQuery(**query, *snapshot, SimilarityKind::kBm25);
    std::vector<size_t> segments;
    ReadSegments(*binding).ForEach([&](size_t segment) { segments.push_back(segment); });
    return segments;
  };
  using Segments = std::vector<size_t>;
  EXPECT_EQ(read("a"), (Segments{0, 3}));
  EXPECT_EQ(read("a c"), (Segments{0, 1, 2, 3}));
  EXPECT_EQ(read("\"c d\""), (Segments{1, 2, 3}));
  EXPECT_EQ(read("b -c"), (Segments{0, 1, 2}));
  EXPECT_EQ(read("nowhere"), Segments{});
  EXPECT_EQ(read("a*"), (Segments{0, 1, 2, 3}));  // it is looked for everywhere
  EXPECT_EQ(read("a (b d*)"), (Segments{0, 1, 2, 3}));
}

}  // namespace read_segments_test
}  // namespace pmdex
