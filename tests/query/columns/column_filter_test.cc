// Ranges of columns: every way to answer them gives what a comparison of the values gives.
#include "query/columns/column_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <string>
#include <vector>

#include "engine/columns/date_text.h"
#include "query/columns/column_keys.h"
#include "query/columns/snapshot_columns.h"
#include "query/searcher.h"
#include "tests/support/column_index.h"
#include "tests/support/deletions.h"
#include "tests/support/effort.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace column_filter_test {

std::string TextOf(FieldType type, const ColumnValue& value) {
  switch (type) {
    case FieldType::kI64:
      return std::to_string(std::bit_cast<int64_t>(value.bits));
    case FieldType::kU64:
      return std::to_string(value.bits);
    case FieldType::kBool:
      return value.bits != 0 ? "true" : "false";
    case FieldType::kDate:
      return FormatDate(std::bit_cast<int64_t>(value.bits));
    case FieldType::kKeyword:
      return value.keyword;
    default: {
      char buffer[64];
      const auto end =
          std::to_chars(std::begin(buffer), std::end(buffer), std::bit_cast<double>(value.bits));
      return std::string(buffer, end.ptr);
    }
  }
}

// Less than 0, 0 or more than 0.
int Compare(FieldType type, const ColumnValue& a, const ColumnValue& b) {
  const auto sign = [](const auto& x, const auto& y) { return x < y ? -1 : y < x ? 1 : 0; };
  switch (type) {
    case FieldType::kI64:
    case FieldType::kDate:
      return sign(std::bit_cast<int64_t>(a.bits), std::bit_cast<int64_t>(b.bits));
    case FieldType::kF64:
      return sign(std::bit_cast<double>(a.bits), std::bit_cast<double>(b.bits));
    case FieldType::kKeyword:
      return sign(a.keyword, b.keyword);
    default:
      return sign(a.bits, b.bits);
  }
}

const ColumnValue* PickValue(const RandomColumn& column, SeededRandom& random) {
  for (int tries = 0; tries < 1000; ++tries) {
    const auto& values = column.values[random.Below(column.values.size())];
    if (!values.empty()) return &values[random.Below(values.size())];
  }
  return nullptr;
}

struct Condition {
  std::string query;
  std::vector<bool> matches;  // indexed by document
};

template <typename Matches>
Condition ConditionOf(const RandomColumn& column, std::string query, const Matches& matches) {
  Condition condition{column.name + ":" + std::move(query), {}};
  for (const auto& values : column.values) {
    condition.matches.push_back(std::any_of(values.begin(), values.end(), matches));
  }
  return condition;
}

Condition RandomCondition(const ColumnIndex& index, SeededRandom& random) {
  const RandomColumn& column = index.columns[random.Below(index.columns.size())];
  const ColumnValue* low = PickValue(column, random);
  const ColumnValue* high = PickValue(column, random);
  if (low == nullptr) return ConditionOf(column, "*", [](const ColumnValue&) { return true; });
  const FieldType type = column.type;
  const auto quoted = [&](const ColumnValue& value) { return "\"" + TextOf(type, value) + "\""; };
  if (Compare(type, *high, *low) < 0) std::swap(low, high);
  switch (random.Below(6)) {
    case 0:
      return ConditionOf(column, quoted(*low),
                         [=](const ColumnValue& value) { return Compare(type, value, *low) == 0; });
    case 1: {
      const bool equal = random.OneIn(2);
      return ConditionOf(
          column, (equal ? ">=" : ">") + quoted(*low),
          [=](const ColumnValue& value) { return Compare(type, value, *low) >= (equal ? 0 : 1); });
    }
    case 2: {
      const bool equal = random.OneIn(2);
      return ConditionOf(
          column, (equal ? "<=" : "<") + quoted(*low),
          [=](const ColumnValue& value) { return Compare(type, value, *low) <= (equal ? 0 : -1); });
    }
    case 3:
      return ConditionOf(column, random.OneIn(2) ? "*" : "[* TO *]",
                         [](const ColumnValue&) { return true; });
    default: {
      const bool from = random.OneIn(2);
      const bool to = random.OneIn(2);
      return ConditionOf(
          column, (from ? "[" : "{") + quoted(*low) + " TO " + quoted(*high) + (to ? "]" : "}"),
          [=](const ColumnValue& value) {
            return Compare(type, value, *low) >= (from ? 0 : 1) &&
                   Compare(type, value, *high) <= (to ? 0 : -1);
          });
    }
  }
}

std::vector<uint64_t> DocsOf(const SearchResult& result) {
  std::vector<uint64_t> docs;
  for (const Hit& hit : result.hits) docs.push_back(hit.doc);
  std::sort(docs.begin(), docs.end());
  return docs;
}

std::vector<uint64_t> DocsOf(const std::vector<bool>& matches) {
  std::vector<uint64_t> docs;
  for (size_t i = 0; i < matches.size(); ++i) {
    if (matches[i]) docs.push_back(i);
  }
  return docs;
}

class ColumnSearchTest : public testing::TestWithParam<bool> {
 protected:
  static constexpr uint32_t kDocs = 14'100;
  const ColumnIndex index_ = MakeColumnIndex(11, {9000, 100, 5000}, GetParam());
  const Searcher searcher_{index_.snapshot};
  SeededRandom random_{5};

  SearchResult Search(const std::string& query, SearchOptions options) {
    options.k = kDocs;
    options.count = true;
    const auto result = searcher_.Search(query, options);
    EXPECT_TRUE(result.ok()) << query << ": " << result.status();
    return result.ok() ? *result : SearchResult();
  }
};

TEST_P(ColumnSearchTest, FindsTheDocumentsWhoseValuesAreInTheRange) {
  for (int round = 0; round < Rounds(150); ++round) {
    const Condition condition = RandomCondition(index_, random_);
    SCOPED_TRACE(condition.query);
    const std::vector<uint64_t> expected = DocsOf(condition.matches);
    for (const SimdLevel level : {SimdLevel::kScalar, BestQueryKernels().level}) {
      SearchOptions options;
      options.kernels = &QueryKernelsOf(level);
      const SearchResult found = Search(condition.query, options);
      ASSERT_EQ(DocsOf(found), expected);
      ASSERT_EQ(found.total, expected.size());
      for (const Hit& hit : found.hits) ASSERT_EQ(hit.score, 1.0f);
    }
    SearchOptions exhaustive;
    exhaustive.exhaustive = true;
    ASSERT_EQ(DocsOf(Search(condition.query, exhaustive)), expected);
  }
}

TEST_P(ColumnSearchTest, CombinesRangesWithWordsAndWithOneAnother) {
  const char* const words[] = {"all", "w2", "w7", "w300"};
  const char* const forms[] = {"+# +@", "+@ -#", "@ #", "+@ +# +$", "@ (+# +$)", "+@ #^3", "# $"};
  for (int round = 0; round < Rounds(120); ++round) {
    std::string query = forms[random_.Below(std::size(forms))];
    const auto replace = [&query](char c, const std::string& by) {
      const size_t at = query.find(c);
      if (at != std::string::npos) query.replace(at, 1, by);
    };
    replace('#', RandomCondition(index_, random_).query);
    replace('$', RandomCondition(index_, random_).query);
    replace('@', words[random_.Below(std::size(words))]);
    SCOPED_TRACE(query);
    SearchOptions exhaustive;
    exhaustive.exhaustive = true;
    const auto expected = searcher_.Search(query, exhaustive);
    SearchOptions pruned;
    pruned.count = true;
    const auto found = searcher_.Search(query, pruned);
    ASSERT_TRUE(expected.ok() && found.ok()) << expected.status() << found.status();
    ASSERT_EQ(found->total, expected->total);
    ASSERT_EQ(found->hits.size(), expected->hits.size());
    for (size_t i = 0; i < found->hits.size(); ++i) {
      ASSERT_EQ(found->hits[i].doc, expected->hits[i].doc) << i;
      ASSERT_EQ(found->hits[i].score, expected->hits[i].score) << i;
    }
  }
}

// Counts look the documents of a word's list up in the columns; the exhaustive search does not.
TEST_P(ColumnSearchTest, CountsRangesBesideWordsWithAndWithoutDeletions) {
  const char* const words[] = {"+w300", "+w300 +w7", "+w300 +w2", "+all", "+w7"};
  for (const Deletions deletions : kEveryDeletions) {
    SCOPED_TRACE(ToString(deletions));
    const Searcher searcher(WithDeletions(*index_.snapshot, deletions));
    for (int round = 0; round < Rounds(60); ++round) {
      std::string query = words[random_.Below(std::size(words))];
      query += " +" + RandomCondition(index_, random_).query;
      if (random_.OneIn(3)) query += " +" + RandomCondition(index_, random_).query;
      SearchOptions count;
      count.k = 0;
      count.count = true;
      SearchOptions exhaustive;
      exhaustive.exhaustive = true;
      const auto found = searcher.Search(query, count);
      const auto expected = searcher.Search(query, exhaustive);
      ASSERT_TRUE(found.ok() && expected.ok()) << found.status() << expected.status();
      ASSERT_EQ(found->total, expected->total) << query;
    }
  }
}

TEST_P(ColumnSearchTest, ReadsKeywordsByPrefixAndPattern) {
  const auto expect = [&](const std::string& query, std::string_view column, const auto& matches) {
    const Condition condition = ConditionOf(
        index_.column(column), "", [&](const auto& value) { return matches(value.keyword); });
    EXPECT_EQ(DocsOf(Search(query, {})), DocsOf(condition.matches)) << query;
  };
  using S = const std::string&;
  expect("level:w*", "level", [](S text) { return text.starts_with("w"); });
  expect("level:?arn", "level", [](S text) { return text == "warn" || text == "Warn"; });
  expect("name:n1*7", "name",
         [](S text) { return text.starts_with("n1") && text.ends_with("7") && text.size() > 2; });
  expect("tags:(error OR debug)", "tags",
         [](S text) { return text == "error" || text == "debug"; });
  expect("tags:*r*", "tags", [](S text) { return text.find('r') != std::string::npos; });
  expect("level:nothing", "level", [](S) { return false; });
}

TEST_P(ColumnSearchTest, TellsWhatIsNoValueOfTheType) {
  const std::pair<const char*, const char*> kWrong[] = {
      {"n:[1 TO x]", "column 9: 'x' is no value of type i64"},
      {"n:{y TO 2}", "column 4: 'y' is no value of type i64"},
      {"flag:maybe", "column 6: 'maybe' is no value of type bool"},
      {"time:>soon", "column 6: 'soon' is no value of type date"},
      {"n:1~", "column 4: a value of a field that is not text has no ~"},
      {"n:1*", "column 3: a field of type i64 has no wildcards"},
      {"n:/1/", "column 3: a field of type i64 has no regular expressions"},
      {"level:[a TO b]~1", "column 15: a value of a field that is not text has no ~"},
      {"body:[a TO b]", "column 6: the field body is text, which has no ranges"},
      {"[1 TO 2]", "column 1: a range needs a field name and a colon before it"},
      {"n:[1 TO 2", "column 3: a range is written [a TO b]"},
      {"n:[1 2]", "column 6: a range is written [a TO b]"},
      {"n:>", "column 4: a bound is missing"}};
  for (const auto& [query, what] : kWrong) {
    const auto result = searcher_.Search(query, {});
    ASSERT_FALSE(result.ok()) << query;
    EXPECT_EQ(std::string(Message(result.status())).substr(0, std::string(what).size()), what);
  }
}

TEST_P(ColumnSearchTest, UnderstandsSignsSizesAndBoundsBeyondTheType) {
  const RandomColumn& n = index_.column("n");
  const auto count = [&](const std::string& query) { return Search(query, {}).total; };
  const auto with = [&](const auto& matches) {
    return DocsOf(ConditionOf(n, "",
                              [&](const ColumnValue& value) {
                                return matches(std::bit_cast<int64_t>(value.bits));
                              })
                      .matches)
        .size();
  };
  EXPECT_EQ(count("n:-5"), with([](int64_t v) { return v == -5; }));
  EXPECT_EQ(count("n:\\-5"), count("n:-5"));
  EXPECT_EQ(count("n:[-5 TO -1]"), with([](int64_t v) { return -5 <= v && v <= -1; }));
  EXPECT_EQ(count("n:>=3.5"), with([](int64_t v) { return v >= 4; }));
  EXPECT_EQ(count("n:{* TO 3.5}"), with([](int64_t v) { return v <= 3; }));
  EXPECT_EQ(count("n:3.5"), 0u);
  EXPECT_EQ(count("n:3.0"), with([](int64_t v) { return v == 3; }));
  EXPECT_EQ(count("n:>1e30"), 0u);
  EXPECT_EQ(count("n:<1e30"), kDocs);
  EXPECT_EQ(count("n:>-99999999999999999999"), kDocs);
  EXPECT_EQ(count("id:>-1"), kDocs);
  EXPECT_EQ(count("id:<0"), 0u);
  EXPECT_EQ(count("nums:[1K TO 2k]"), count("nums:[1024 TO 2048]"));
  EXPECT_EQ(count("f:0"), count("f:-0.0"));
  EXPECT_GT(count("f:0"), 0u);
  EXPECT_EQ(count("f:>1e308") + count("f:<=1e308"), count("f:*"));
  EXPECT_EQ(count("absent:[1 TO 2]"), 0u);
  EXPECT_EQ(count("absent:>x"), 0u);
  EXPECT_EQ(count("time:2023-11"), count("time:[2023-11-01 TO 2023-11-30]"));
  EXPECT_EQ(count("time:>2023-11-30") + count("time:<=2023-11-30"), count("time:*"));
  EXPECT_EQ(count("time:[now-7d TO now]"), 0u);
}

INSTANTIATE_TEST_SUITE_P(Tiers, ColumnSearchTest, testing::Bool(), [](const auto& compressed) {
  return compressed.param ? "Compressed" : "Uncompressed";
});

// The two ways to find all documents, and the one for a single document, agree.
TEST(ColumnFilter, ScansWindowsAndReadsTheOrderAlike) {
  const ColumnIndex index = MakeColumnIndex(3, {9000});
  const Segment& segment = *index.snapshot->segments()[0];
  SeededRandom random(9);
  for (int round = 0; round < Rounds(200); ++round) {
    const ColumnView& column = segment.columns()[random.Below(segment.columns().size())];
    ColumnKeys keys;
    keys.low = column.KeyAt(random.Below(column.value_count())).value();
    keys.high =
        random.OneIn(3) ? keys.low : column.KeyAt(random.Below(column.value_count())).value();
    if (keys.low > keys.high) std::swap(keys.low, keys.high);
    SCOPED_TRACE(std::string(column.name()));
    const ColumnFilter filter(column, keys);
    CursorContext context{segment.doc_count(), "segment", absl::OkStatus()};
    const auto order = filter.FindOrder().value();
    const auto set = filter.ReadOrder(order, segment.doc_count(), context);
    ASSERT_TRUE(set.ok() && context.damage.ok());
    uint64_t docs = 0;
    for (uint32_t window = 0; window < WindowCount(segment.doc_count()); ++window) {
      WindowBits scanned;
      ASSERT_TRUE(filter.Fill(window, BestQueryKernels(), scanned).ok());
      WindowBits read;
      set->Fill(window, read);
      ASSERT_EQ(scanned.words, read.words);
      docs += scanned.Count();
      std::vector<DocId> few;
      uint64_t few_match = 0;
      for (int i = 0; i < 50; ++i) {
        const auto in_window = static_cast<uint32_t>(random.Below(kWindowDocs));
        const DocId doc = window * kWindowDocs + in_window;
        if (doc >= segment.doc_count()) continue;
        const bool expected = (scanned.words[in_window / 64] >> (in_window % 64) & 1) != 0;
        ASSERT_EQ(filter.Contains(doc).value(), expected);
        few.push_back(doc);
        few_match |= uint64_t{expected} << (few.size() - 1);
      }
      ASSERT_EQ(filter.Matching(few).value(), few_match);
    }
    EXPECT_LE(docs, order.end - order.begin);
    if (filter.is_exact()) {
      EXPECT_EQ(docs, order.end - order.begin);
    }
  }
}

}  // namespace column_filter_test
}  // namespace pmdex
