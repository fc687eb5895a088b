#include "query/access/link_entries.h"

#include <gtest/gtest.h>

#include "tests/engine/ingest/ingest_fixture.h"

namespace pmdex {
namespace link_entries_test {

class LinkEntriesTest : public IngestFixture {
 protected:
  LinkEntriesTest() { options_.format = InputFormat::kJsonl; }
};

TEST_F(LinkEntriesTest, AreThoseOfTheTypeOfLinks) {
  options_.schema["type"] = {FieldType::kKeyword, Multiplicity::kOpen};
  const std::string lines = R"({"id": "1", "type": "l"}
{"id": "2", "type": "f"}
{"id": "3", "body": "x"}
)";
  Run({Write("a.jsonl", lines)});
  Run({Write("a.jsonl", lines)}, OpenMode::kAppend);
  const auto snapshot = *Snapshot::Open(*directory_);
  for (const uint64_t doc : {0u, 1u, 2u, 3u, 4u, 5u, 6u}) {
    EXPECT_EQ(IsLinkEntry(*snapshot, doc), doc == 0 || doc == 3) << doc;
  }
}

TEST_F(LinkEntriesTest, AreNoneWhereTheTypeIsNoKeyword) {
  Run({Write("a.jsonl", R"({"id": "1", "type": 7}
)")});
  const auto snapshot = *Snapshot::Open(*directory_);
  EXPECT_FALSE(IsLinkEntry(*snapshot, 0));
}

}  // namespace link_entries_test
}  // namespace pmdex
