#include "engine/ingest/formats/field_scan.h"

#include <string>
#include <utility>
#include <vector>

#include "engine/ingest/fields/field_collector.h"
#include "engine/ingest/ingest_options.h"
#include "engine/ingest/tuning/tuning.h"
#include "tests/engine/ingest/ingest_fixture.h"

namespace pmdex {
namespace field_scan_test {

using Names = std::vector<std::string>;

class FieldScanTest : public IngestFixture {
 protected:
  KnownFields ScanAll(const Names& before, size_t limit) {
    KnownFields known;
    for (const std::string& name : before) known.emplace(name, KnownField::Of(FieldSpec()));
    FieldCollector collector(std::move(known), {limit, false, false});
    const absl::Status scanned =
        ScanFields(options_, ResolveParameters(options_, directory_->granularity()), collector);
    EXPECT_TRUE(scanned.ok()) << scanned;
    return collector.Take();
  }
  Names Scan(const Names& before, size_t limit) {
    Names names;
    for (const auto& [name, field] : ScanAll(before, limit)) names.push_back(name);
    return names;
  }
};

TEST_F(FieldScanTest, KeepsTheFirstNamesInTheOrderOfTheWalk) {
  options_.format = InputFormat::kJsonl;
  Write("tree/b",
        "{\"d\": \"x\", \"a\": {\"deep\": [\"x\", \"y\"], \"id\": \"z\"}}\n{\"last\": \"x\"}");
  Write("tree/a/1",
        "not json\n{\"id\": \"1\", \"c\": \"x\", \"n\": 5}\n{\"c\": \"x\", \"\": \"y\"}\n");
  options_.inputs = {Path("tree")};
  EXPECT_EQ(Scan({}, 100), (Names{"", "a.deep", "a.id", "c", "d", "last", "n"}));
  EXPECT_EQ(Scan({"old", "d"}, 6), (Names{"", "a.deep", "c", "d", "n", "old"}));
  EXPECT_EQ(Scan({"old", "d"}, 2), (Names{"d", "old"}));
  EXPECT_EQ(ScanAll({}, 100).at("n").spec->type, FieldType::kI64);
  EXPECT_TRUE(ScanAll({}, 100).at("a.deep").spec->multi());
}

TEST_F(FieldScanTest, LeavesOutWhatNeedsNoPlaceOrNeverHasOne) {
  const std::string longest(kMaxFieldNameBytes, 'x');
  options_.inputs = {Write("a.jsonl", "{\"body\": \"x\", \"path\": \"x\", \"_other\": \"x\", \"" +
                                          longest + "\": \"x\", \"y" + longest + "\": \"x\"}"),
                     Write("b.txt", "{\"no\": \"json\"}"), "-"};
  EXPECT_EQ(Scan({}, 100), (Names{"body", "path", longest}));
  EXPECT_EQ(Scan({}, 1), (Names{"body", "path", longest})) << "two need no place";
}

// What comes behind the last name that is wanted is not waited for.
TEST_F(FieldScanTest, EndsInTheMiddleOfTheInput) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "{\"k" + std::to_string(i) + "\": \"some words\"}\n";
  options_.memory_bytes = uint64_t{1} << 20;
  options_.inputs = {Write("a.jsonl", text), Write("b.jsonl", text)};
  EXPECT_EQ(Scan({}, 3), (Names{"k0", "k1", "k2"}));
}

}  // namespace field_scan_test
}  // namespace pmdex
