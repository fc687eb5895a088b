#include "query/expansion/term_expansion.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "query/language/regexp_automaton.h"
#include "tests/query/cursor_support.h"
#include "tests/query/expansion/segment_of_terms.h"
#include "tests/support/random_corpus.h"
#include "tests/support/recording_file.h"
#include "tests/support/reference_index.h"
#include "tests/support/segment_bytes.h"

namespace pmdex {
namespace term_expansion_test {

// Terms in one to 3,000 of 4,000 documents, so that every representation of a list occurs.
class TermExpansionTest : public testing::Test {
 protected:
  TermExpansionTest() : input_({.positions = false}) {
    field_ = input_.AddField("field");
    SeededRandom random(1);
    for (DocId doc = 0; doc < 4000; ++doc) {
      input_.AddDocument("doc" + std::to_string(doc));
      for (size_t word = 0; word < 400; ++word) {
        const size_t one_in = word == 0 ? 2 : 20 * word;
        if (!random.OneIn(one_in)) continue;
        const std::string term =
            std::string(word % 3 == 0 ? "ab" : "abc") + std::to_string(word) + "\u00e9";
        input_.AddPosting(field_, term, {doc, 1, {}});
      }
    }
    input_.Finish();
  }

  BoundQuery Query(BoundKind kind, std::string text) {
    BoundQuery query;
    query.kind = kind;
    query.field = "field";
    query.text = std::move(text);
    return query;
  }

  std::vector<DocId> Expected(const BoundQuery& query) {
    std::set<DocId> docs;
    for (const auto& [key, postings] : input_.terms()) {
      const bool matches = query.kind == BoundKind::kPrefix
                               ? key.second.starts_with(query.text)
                               : ReferenceIndex::WildcardMatches(query.text, key.second);
      if (!matches) continue;
      for (const VectorPosting& posting : postings) docs.insert(posting.doc);
    }
    return {docs.begin(), docs.end()};
  }

  VectorSegmentInput input_;
  FieldId field_;
};

TEST_F(TermExpansionTest, KnowsOfFieldsWithoutATermThatMatches) {
  const auto segment = SegmentBytes(input_).Open().value();
  const auto may_have = [&](QueryKind kind, std::string text, std::string field = "field") {
    pmdex::Query query;
    query.kind = kind;
    query.field = std::move(field);
    query.text = std::move(text);
    RegexpProblem problem;
    RegexpBudget budget(RegexpAutomaton::kStepsPerQuery);
    if (kind == QueryKind::kRegexp) {
      query.regexp = RegexpAutomaton::Compile(query.text, budget, problem);
    }
    DeadlineWatch watch(kNoDeadline);
    return MayHaveTerms(query, *segment, watch).value();
  };
  EXPECT_TRUE(may_have(QueryKind::kPrefix, "abc39"));
  EXPECT_TRUE(may_have(QueryKind::kPrefix, ""));
  EXPECT_FALSE(may_have(QueryKind::kPrefix, "abc39x"));
  EXPECT_FALSE(may_have(QueryKind::kPrefix, "abc39", "nowhere"));
  EXPECT_TRUE(may_have(QueryKind::kWildcard, "abc?9*"));
  EXPECT_FALSE(may_have(QueryKind::kWildcard, "abc39?x"));
  EXPECT_TRUE(may_have(QueryKind::kWildcard, "*x")) << "too many terms to look at each";
  EXPECT_TRUE(may_have(QueryKind::kRegexp, "ab+c39.."));
  EXPECT_FALSE(may_have(QueryKind::kRegexp, ".*x"));
}

TEST_F(TermExpansionTest, IsTheUnionOfAllTermsThatMatch) {
  const auto segment = SegmentBytes(input_).Open().value();
  CursorContext context{segment->doc_count(), "segment", absl::OkStatus()};
  size_t found = 0;
  for (const char* text : {"a", "ab", "abc", "abc39", "abc397", "ab0", "b", "ab3\u00e9"}) {
    for (const char* wildcards : {"", "*", "?\u00e9", "*9?"}) {
      const bool is_prefix = *wildcards == '\0';
      const BoundQuery query = Query(is_prefix ? BoundKind::kPrefix : BoundKind::kWildcard,
                                     std::string(text) + wildcards);
      auto docs = ExpandTerms(query, *segment, context);
      ASSERT_TRUE(docs.ok());
      DocSetCursor cursor(std::move(*docs), 1.0f);
      const std::vector<DocId> walked = Walk(cursor);
      ASSERT_EQ(walked, Expected(query)) << query.text;
      found += walked.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(found, 15u);
  EXPECT_TRUE(context.damage.ok());
}

TEST_F(TermExpansionTest, GivesTheFirstDocumentsOfAllTermsThatMatch) {
  SegmentBytes uncompressed(input_);
  const auto segment = uncompressed.Open().value();
  CursorContext context{segment->doc_count(), "segment", absl::OkStatus()};
  for (const char* text : {"a", "abc", "abc39", "ab0", "b", "nothing"}) {
    const BoundQuery query = Query(BoundKind::kPrefix, text);
    const std::vector<DocId> expected = Expected(query);
    for (const size_t most : {size_t{1}, size_t{7}, size_t{100}, size_t{5000}}) {
      const auto docs = ExpandToFirstDocs(query, *segment, most, context);
      ASSERT_TRUE(docs.ok());
      const size_t count = std::min(most, expected.size());
      ASSERT_EQ(*docs, std::vector<DocId>(expected.begin(),
                                          expected.begin() + static_cast<ptrdiff_t>(count)))
          << text << ", " << most;
    }
  }
  EXPECT_TRUE(context.damage.ok());
}

// The largest single request to the medium for the postings of an expansion.
uint64_t MostAskedAtOnce(SegmentBytes& bytes, const BoundQuery& query) {
  PrefetchLog log;
  const auto segment =
      Segment::Open(std::make_unique<RecordingFile>(bytes.bytes(), log), "segment", std::nullopt)
          .value();
  const auto postings = segment->view().RawSection(SectionKind::kPostings);
  const auto first = static_cast<uint64_t>(postings.data() - segment->view().bytes().data());
  CursorContext context{segment->doc_count(), "segment", absl::OkStatus()};
  EXPECT_NE(ExpandTerms(query, *segment, context).value().size_bound(), 0u);
  uint64_t most = 0;
  for (const PrefetchRange& range : log) {
    if (range.offset >= first && range.offset < first + postings.size()) {
      most = std::max(most, range.size_bytes);
    }
  }
  return most;
}

TEST_F(TermExpansionTest, AsksForMoreAndMoreWhereListsAreNeighbours) {
  VectorSegmentInput input({.positions = false});
  const FieldId field = input.AddField("field");
  for (DocId doc = 0; doc < 8; ++doc) {
    input.AddDocument("doc" + std::to_string(doc));
    for (int term = 10'000; term < 20'000; ++term) {
      input.AddPosting(field, "a" + std::to_string(term), {doc, 1, {}});
    }
  }
  input.Finish();
  SegmentBytes bytes(input);
  constexpr uint64_t kUnit = 64 << 10;  // about each list
  EXPECT_GT(MostAskedAtOnce(bytes, Query(BoundKind::kPrefix, "a1")), 2 * kUnit);
  EXPECT_LE(MostAskedAtOnce(bytes, Query(BoundKind::kWildcard, "a*7")), 2 * kUnit);
  EXPECT_LE(MostAskedAtOnce(bytes, Query(BoundKind::kPrefix, "a1234")), 2 * kUnit);
}

// With and without characters by which signatures rule terms out.
TEST_F(TermExpansionTest, OfARegularExpressionIsTheUnionOfAllTermsThatMatch) {
  const auto segment = SegmentBytes(input_).Open().value();
  for (const char* text : {".*b12.*", "[a-z]*[0-9]+\u00e9", ".*\u00e9", "abc1.*", ".*q.*",
                           "(a|[b-z])bc?.*9\u00e9", "[a-z]+3[0-9]*7.", "ab[0-9c]*0\u00e9", ".*"}) {
    RegexpProblem problem;
    RegexpBudget budget(RegexpAutomaton::kStepsPerQuery);
    BoundQuery query = Query(BoundKind::kRegexp, text);
    query.regexp = RegexpAutomaton::Compile(text, budget, problem);
    ASSERT_NE(query.regexp, nullptr) << problem.what;
    std::set<DocId> expected;
    for (const auto& [key, postings] : input_.terms()) {
      if (!query.regexp->Matches(key.second)) continue;
      for (const VectorPosting& posting : postings) expected.insert(posting.doc);
    }
    CursorContext context{segment->doc_count(), "segment", absl::OkStatus()};
    auto docs = ExpandTerms(query, *segment, context);
    ASSERT_TRUE(docs.ok()) << docs.status();
    DocSetCursor cursor(std::move(*docs), 1.0f);
    EXPECT_EQ(Walk(cursor), std::vector<DocId>(expected.begin(), expected.end())) << text;
    pmdex::Query unbound;
    unbound.kind = QueryKind::kRegexp;
    unbound.field = "field";
    unbound.text = text;
    unbound.regexp = query.regexp;
    DeadlineWatch watch(kNoDeadline);
    EXPECT_EQ(*MayHaveTerms(unbound, *segment, watch), !expected.empty()) << text;
  }
}

// The terms that the walk reads: a prefix says where it begins and ends.
TEST(EstimateTerms, CountsWholeBlocksOfThePrefix) {
  SeededRandom random(4);
  for (const auto& alphabet : kAlphabets) {
    const std::set<std::string> terms = RandomTerms(random, 3000, alphabet);
    const auto segment = SegmentOfTerms(terms);
    for (int round = 0; round < 100; ++round) {
      BoundQuery query;
      query.field = "field";
      const std::string prefix = round == 0 ? "" : RandomText(random, alphabet, 3);
      query.kind = round % 2 == 0 ? BoundKind::kWildcard : BoundKind::kPrefix;
      query.text = round % 2 == 0 ? prefix + "*?" : prefix;
      const auto count = static_cast<uint64_t>(
          std::count_if(terms.begin(), terms.end(),
                        [&](const std::string& term) { return term.starts_with(prefix); }));
      const uint64_t estimate = EstimateTerms(query, *segment);
      EXPECT_GE(estimate, count) << prefix;
      EXPECT_LE(estimate, count + 3 * kTermsPerBlock) << prefix;
      query.kind = BoundKind::kWildcard;
      query.text = prefix + "*q";  // no term has this character, as most signatures tell
      EXPECT_LE(EstimateTerms(query, *segment), count / 8 + kTermsPerBlock);
      query.field = "nowhere";
      EXPECT_EQ(EstimateTerms(query, *segment), 0u);
    }
  }
}

TEST_F(TermExpansionTest, IsEmptyWithoutTheField) {
  const auto segment = SegmentBytes(input_).Open().value();
  CursorContext context{segment->doc_count(), "segment", absl::OkStatus()};
  BoundQuery query = Query(BoundKind::kPrefix, "a");
  query.field = "other";
  EXPECT_EQ(ExpandTerms(query, *segment, context).value().size_bound(), 0u);
}

TEST_F(TermExpansionTest, EndsAtTheDeadline) {
  const auto segment = SegmentBytes(input_).Open().value();
  for (const BoundKind kind : {BoundKind::kPrefix, BoundKind::kWildcard}) {
    const BoundQuery query = Query(kind, kind == BoundKind::kPrefix ? "a" : "a*");
    CursorContext context{segment->doc_count(), "segment", absl::OkStatus()};
    context.deadline = std::chrono::steady_clock::time_point::max();
    EXPECT_NE(ExpandTerms(query, *segment, context).value().size_bound(), 0u);
    EXPECT_FALSE(context.timed_out);
    context.deadline = std::chrono::steady_clock::time_point::min();
    EXPECT_EQ(ExpandTerms(query, *segment, context).value().size_bound(), 0u);
    EXPECT_TRUE(context.timed_out);
    EXPECT_TRUE(ExpandToFirstDocs(query, *segment, 5, context).value().empty());
    context.deadline = kNoDeadline;  // what is missing stays missing
    EXPECT_NE(ExpandTerms(query, *segment, context).value().size_bound(), 0u);
    EXPECT_TRUE(context.timed_out);
  }
}

TEST_F(TermExpansionTest, ReportsAPlaceThatMakesNoSense) {
  SegmentBytes bytes(input_);
  const std::span<std::byte> place = bytes.line_rest(field_, "ab0\u00e9");
  ASSERT_EQ(place[0], std::byte{kLineOfExtent});  // u32 bucket and u32 df follow
  place[8] = std::byte{1};
  bytes.Reseal();
  const auto segment = bytes.Open().value();
  CursorContext context{segment->doc_count(), "segment", absl::OkStatus()};
  const auto docs = ExpandTerms(Query(BoundKind::kPrefix, "ab"), *segment, context);
  EXPECT_EQ(docs.status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(TermExpansionTest, ReportsDocidsOutOfRange) {
  SegmentBytes bytes(input_);
  const std::span<std::byte> place = bytes.line_rest(field_, "ab399\u00e9");
  ASSERT_NE(place[0], std::byte{kLineOfExtent});  // u24 docids follow
  place[3] = std::byte{1};
  bytes.Reseal();
  const auto segment = bytes.Open().value();
  CursorContext context{segment->doc_count(), "segment", absl::OkStatus()};
  EXPECT_TRUE(ExpandTerms(Query(BoundKind::kPrefix, "ab"), *segment, context).ok());
  EXPECT_EQ(context.damage.code(), absl::StatusCode::kDataLoss);
}

}  // namespace term_expansion_test
}  // namespace pmdex
