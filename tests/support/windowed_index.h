// An index for tests of algorithms that work on windows of documents. It has terms from "t0", in
// nearly all documents, to "t11", in few, in the fields body and title, over several windows and
// with all representations. Some documents are long, some frequencies escape, and many documents
// are equal, so that their scores tie.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "engine/analysis/analyzer.h"
#include "engine/store/snapshot.h"
#include "pmem/directory.h"
#include "query/language/query_parser.h"
#include "query/planning/query_binder.h"
#include "query/result/scored_docs.h"
#include "tests/support/deletions.h"
#include "tests/support/effort.h"

namespace pmdex {

// Makes a segment for each of the counts, with the whitespace analyzer and positions. The directory
// must outlive the snapshot.
std::shared_ptr<const Snapshot> WriteWindowedIndex(Directory& directory,
                                                   const std::vector<uint32_t>& doc_counts);

// A test suite of kind Base with such an index, which is written once for the suite. Tests may also
// use it with deleted documents.
template <typename Base, uint32_t... kDocCounts>
class WindowedIndexTest : public Base {
 protected:
  static void SetUpTestSuite() {
    directory_ = NewDramDirectory("windowed");
    const auto whole = WriteWindowedIndex(*directory_, {kDocCounts...});
    for (const Deletions deletions : kEveryDeletions) {
      versions_[static_cast<size_t>(deletions)] = WithDeletions(*whole, deletions);
    }
    UseDeletions(Deletions::kNone);
  }
  static void TearDownTestSuite() {
    snapshot_.reset();
    versions_ = {};
    directory_.reset();
  }

  ~WindowedIndexTest() override { UseDeletions(Deletions::kNone); }

  // Lets snapshot_ be the index with these deletions, until the test ends.
  static void UseDeletions(Deletions deletions) {
    snapshot_ = versions_[static_cast<size_t>(deletions)];
  }
  // Calls check() for the index without deletions and with deletions of every kind.
  template <typename Check>
  static void WithEveryDeletions(Check check) {
    for (const Deletions deletions : kEveryDeletions) {
      const bool is_extreme =
          deletions == kEveryDeletions.front() || deletions == kEveryDeletions.back();
      if (kIsSanitized && !is_extreme) continue;
      SCOPED_TRACE(ToString(deletions));
      UseDeletions(deletions);
      check();
      if (testing::Test::HasFatalFailure()) return;
    }
    UseDeletions(Deletions::kNone);
  }

  static QueryBinding Bind(const std::string& text,
                           SimilarityKind similarity = SimilarityKind::kBm25) {
    const auto analyzer = NewAnalyzer(AnalyzerKind::kWhitespace);
    const auto query = QueryParser(*analyzer, snapshot_->field_names()).Parse(text);
    EXPECT_TRUE(query.ok()) << query.status();
    auto binding = BindQuery(**query, *snapshot_, similarity);
    EXPECT_TRUE(binding.ok()) << binding.status();
    return *std::move(binding);
  }
  // Same documents, same scores to the bit, same order.
  static void ExpectSame(const std::vector<ScoredDoc>& found,
                         const std::vector<ScoredDoc>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(found[i].doc, expected[i].doc) << i;
      ASSERT_EQ(found[i].score, expected[i].score) << i;
    }
  }
  static const Segment& segment() { return *snapshot_->segments()[0]; }

  inline static std::unique_ptr<Directory> directory_;
  inline static std::shared_ptr<const Snapshot> snapshot_;
  inline static std::array<std::shared_ptr<const Snapshot>, kEveryDeletions.size()> versions_;
};

}  // namespace pmdex
