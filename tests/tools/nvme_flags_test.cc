#include "tools/nvme_flags.h"

#include <gtest/gtest.h>

#include <string>

namespace pmdex {
namespace nvme_flags_test {

TEST(NvmeFlags, MakeACacheOnlyForDirectReads) {
  EXPECT_EQ(SnapshotOptionsOf("search", {})->unit_cache, nullptr);
  const auto direct = SnapshotOptionsOf("search", {"direct", 1 << 20});
  ASSERT_TRUE(direct.ok());
  ASSERT_NE(direct->unit_cache, nullptr);
  EXPECT_EQ(direct->unit_cache->capacity_bytes(), 1u << 20);
  const auto wrong = SnapshotOptionsOf("search", {"map", 1 << 20});
  EXPECT_TRUE(absl::IsInvalidArgument(wrong.status()));
  EXPECT_EQ(wrong.status().message(), "search: --cache goes with --nvme-io direct");
}

TEST(NvmeFlags, SayThatThereIsNoMemoryForACache) {
  const auto huge = SnapshotOptionsOf("search", {"direct", uint64_t{1} << 60});
  EXPECT_TRUE(absl::IsResourceExhausted(huge.status())) << huge.status();
}

TEST(NvmeFlags, TellNoHitRateBeforeAnythingWasRead) {
  const BlockCache cache(1 << 20, ReadQueue::Method::kPread);
  JsonWriter json;
  json.BeginObject();
  WriteCache(cache, json);
  json.EndObject();
  EXPECT_EQ(json.result(),
            "{\"cache\":{\"capacity_bytes\":1048576,\"io\":\"pread\",\"hits\":0,\"misses\":0,"
            "\"bytes_read\":0,\"errors\":0}}");
  EXPECT_EQ(CacheInWords(cache), "cache: 0 hits and 0 misses (0.0 % hits), 0 B read by pread");
}

}  // namespace nvme_flags_test
}  // namespace pmdex
