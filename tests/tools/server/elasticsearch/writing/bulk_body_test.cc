#include "tools/server/elasticsearch/writing/bulk_body.h"

#include <gtest/gtest.h>

#include <string>

#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/json_text.h"

namespace pmdex {
namespace bulk_body_test {

absl::StatusOr<std::vector<BulkItem>> Read(std::string_view body,
                                           std::string_view index = "books") {
  return ReadBulkBody(body, index, ElasticsearchLimits{});
}
std::string ReasonOf(std::string_view body, std::string_view index = "books") {
  const auto items = Read(body, index);
  return items.ok() ? "accepted" : ErrorJson(items.status())["reason"].get<std::string>();
}

TEST(BulkBody, HasAnActionAndADocumentEach) {
  const auto items = Read(
      "{\"index\": {\"_id\": \"1\"}}\r\n{\"a\": 1}\r\n\n"
      "{\"create\": {\"_index\": \"other\", \"_id\": 7}}\n{}\n"
      "{\"delete\": {\"_id\": \"x\", \"if_seq_no\": 3, \"if_primary_term\": 2}}\n"
      "{\"index\": {}}\nno JSON at all\n"
      "{\"update\": {\"_id\": \"u\", \"retry_on_conflict\": 3}}\n"
      "{\"doc\": {\"b\": 2}, \"upsert\": {\"c\": 3}, \"detect_noop\": false}\n");
  ASSERT_TRUE(items.ok()) << items.status();
  ASSERT_EQ(items->size(), 5u);
  const auto& list = *items;
  EXPECT_EQ(list[0].action, "index");
  EXPECT_EQ(list[0].index, "books");
  EXPECT_EQ(list[0].operation.id, "1");
  EXPECT_EQ(list[0].operation.source, "{\"a\": 1}\r");
  EXPECT_EQ(list[1].index, "other");
  EXPECT_EQ(list[1].operation.id, "7");
  EXPECT_EQ(list[1].operation.kind, WriteKind::kCreate);
  EXPECT_EQ(list[2].operation.kind, WriteKind::kDelete);
  EXPECT_EQ(list[2].operation.at, (WriteSequence{2, 3}));
  EXPECT_EQ(list[3].operation.source, "no JSON at all");  // an error of its item
  EXPECT_EQ(list[3].operation.id, "");
  EXPECT_EQ(list[4].operation.part, Json::parse("{\"b\": 2}"));
  EXPECT_EQ(*list[4].operation.upsert, Json::parse("{\"c\": 3}"));
  EXPECT_FALSE(list[4].operation.detects_noop);
}

TEST(BulkBody, IsRefusedAsAWholeWithTheLine) {
  EXPECT_EQ(ReasonOf(""), "request body is required");
  EXPECT_EQ(ReasonOf("\n \n"), "request body is required");
  EXPECT_EQ(ReasonOf("{\"delete\":{\"_id\":\"1\"}}"),
            "The bulk request must be terminated by a newline [\\n]");
  EXPECT_NE(ReasonOf("\n{\"delete\":{\"_id\":\"1\",\"routing\":\"x\"}}\n")
                .find("line [2] contains an unknown parameter [routing]"),
            std::string::npos);
  EXPECT_NE(ReasonOf("{\"drop\":{}}\n").find("found [drop]"), std::string::npos);
  EXPECT_NE(ReasonOf("nonsense\n").find("line [1]"), std::string::npos);
  EXPECT_NE(ReasonOf("[]\n").find("line [1]"), std::string::npos);
  EXPECT_NE(ReasonOf("{}\n").find("line [1]"), std::string::npos);
  EXPECT_NE(ReasonOf("{\"index\":5}\n{}\n").find("line [1]"), std::string::npos);
  EXPECT_NE(ReasonOf("{\"index\":{}}\n").find("behind line [1]"), std::string::npos);
  EXPECT_NE(ReasonOf("{\"delete\":{}}\n").find("id is missing"), std::string::npos);
  EXPECT_NE(ReasonOf("{\"delete\":{\"_id\":\"\"}}\n").find("id is missing"), std::string::npos);
  EXPECT_NE(ReasonOf("{\"update\":{\"_id\":\"\"}}\n{\"doc\":{}}\n").find("id is missing"),
            std::string::npos);
  EXPECT_NE(ReasonOf("{\"index\":{}}\n{}\n", "").find("index is missing"), std::string::npos);
  EXPECT_NE(ReasonOf("{\"index\":{\"_id\":\"1\",\"if_seq_no\":3}}\n{}\n").find("primary term"),
            std::string::npos);
  EXPECT_NE(ReasonOf("{\"create\":{\"_id\":\"1\",\"if_seq_no\":3,\"if_primary_term\":1}}\n{}\n")
                .find("compare and set"),
            std::string::npos);
  EXPECT_NE(ReasonOf("{\"update\":{\"_id\":\"1\"}}\n{\"script\":{}}\n").find("[script]"),
            std::string::npos);
  EXPECT_NE(ReasonOf("{\"update\":{\"_id\":\"1\"}}\n{\"upsert\":{}}\n").find("doc is missing"),
            std::string::npos);
  EXPECT_NE(
      ReasonOf("{\"index\":{\"_id\":\"" + std::string(513, 'x') + "\"}}\n{}\n").find("is too long"),
      std::string::npos);
}

}  // namespace bulk_body_test
}  // namespace pmdex
