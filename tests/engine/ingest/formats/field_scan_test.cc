#include "engine/ingest/formats/field_scan.h"

#include <string>
#include <vector>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/tuning/tuning.h"
#include "tests/engine/ingest/ingest_fixture.h"

namespace pmdex {
namespace field_scan_test {

using Names = std::vector<std::string>;

class FieldScanTest : public IngestFixture {
 protected:
  Names Scan(Names names, size_t limit) {
    auto scanned = ScanFieldNames(options_, ResolveParameters(options_, directory_->granularity()),
                                  std::move(names), limit);
    EXPECT_TRUE(scanned.ok()) << scanned.status();
    return scanned.ok() ? *std::move(scanned) : Names{};
  }
};

TEST_F(FieldScanTest, KeepsTheFirstNamesInTheOrderOfTheWalk) {
  options_.format = InputFormat::kJsonl;
  Write("tree/b",
        "{\"d\": \"x\", \"a\": {\"deep\": [\"x\", \"y\"], \"id\": \"z\"}}\n{\"last\": \"x\"}");
  Write("tree/a/1",
        "not json\n{\"id\": \"1\", \"c\": \"x\", \"n\": 5}\n{\"c\": \"x\", \"\": \"y\"}\n");
  options_.inputs = {Path("tree")};
  EXPECT_EQ(Scan({}, 100), (Names{"c", "", "d", "a.deep", "a.id", "last"}));
  EXPECT_EQ(Scan({"old", "d"}, 5), (Names{"old", "d", "c", "", "a.deep"}));
  EXPECT_EQ(Scan({"old", "d"}, 2), (Names{"old", "d"}));
}

TEST_F(FieldScanTest, LeavesOutWhatNeedsNoPlaceOrNeverHasOne) {
  const std::string longest(kMaxFieldNameBytes, 'x');
  options_.inputs = {Write("a.jsonl", "{\"body\": \"x\", \"path\": \"x\", \"_other\": \"x\", \"" +
                                          longest + "\": \"x\", \"y" + longest + "\": \"x\"}"),
                     Write("b.txt", "{\"no\": \"json\"}"), "-"};
  EXPECT_EQ(Scan({}, 100), Names{longest});
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
