#include "engine/segment/documents/id_blocks.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "pmem/directory.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace id_blocks_test {

// What a writer makes of some ids.
struct Written {
  explicit Written(const std::vector<std::string>& ids) {
    const auto directory = NewDramDirectory("ids");
    const auto file = directory->Create("file", 16 << 20).value();
    SectionStream stream(*file, SectionKind::kIdBlocks, 4096, 8 << 20);
    IdBlockWriter writer(stream, static_cast<uint32_t>(ids.size()));
    for (const std::string& id : ids) writer.Append(id);
    const std::span<const std::byte> table = writer.Finish();
    starts.assign(table.begin(), table.end());
    EXPECT_FALSE(stream.overran());
    const uint64_t size = stream.size_bytes();
    stream.Finish();
    EXPECT_TRUE(file->Seal(AlignUp(4096 + size, 256)).ok());
    const auto read = directory->Open("file").value();
    const auto bytes = read->bytes().subspan(4096, size);
    blocks.assign(bytes.begin(), bytes.end());
  }

  std::vector<std::byte> blocks, starts;
};

std::vector<std::string> RandomIds(SeededRandom& random, size_t count) {
  std::vector<std::string> ids;
  std::string id;
  for (size_t i = 0; i < count; ++i) {
    id.resize(random.Below(id.size() + 1));
    const size_t more = random.OneIn(20) ? random.Below(700) : random.Below(12);
    for (size_t j = 0; j < more; ++j) id.push_back(static_cast<char>('a' + random.Below(3)));
    ids.push_back(id);
  }
  return ids;
}

TEST(IdBlocks, GiveBackEveryId) {
  SeededRandom random(1);
  for (int turn = 0; turn < 50; ++turn) {
    const std::vector<std::string> ids = RandomIds(random, random.Below(200));
    const Written written(ids);
    const uint64_t blocks = IdBlocksOf(static_cast<uint32_t>(ids.size()));
    ASSERT_EQ(written.starts.size(), (blocks + 1) * kTableOffsetBytes);
    EXPECT_EQ(TableOffset(written.starts, blocks), written.blocks.size());
    for (uint64_t block = 0; block < blocks; ++block) {
      const uint64_t begin = TableOffset(written.starts, block);
      const std::span<const std::byte> bytes = std::span(written.blocks).subspan(begin);
      std::string id;
      const size_t end = std::min((block + 1) * kIdsPerBlock, ids.size());
      for (size_t i = block * kIdsPerBlock; i < end; ++i) {
        const auto behind = ReadBlockId(bytes, static_cast<uint32_t>(i % kIdsPerBlock), id);
        ASSERT_TRUE(behind.has_value());
        ASSERT_EQ(id, ids[i]);
        EXPECT_TRUE(i + 1 < end || begin + *behind == TableOffset(written.starts, block + 1));
      }
    }
  }
}

TEST(IdBlocks, HoldTheLongestId) {
  const std::string longest(kMostIdBytes, 'x');
  const Written written({longest, longest, longest.substr(1)});
  std::string id;
  const size_t sizes[] = {kMostIdBytes, kMostIdBytes, kMostIdBytes - 1};
  for (uint32_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(ReadBlockId(written.blocks, i, id).has_value());
    EXPECT_EQ(id, longest.substr(0, sizes[i]));
  }
  EXPECT_FALSE(ReadBlockId(written.blocks, 3, id).has_value());
}

TEST(IdBlocks, StoreWhatPathsShareOnce) {
  std::vector<std::string> ids;
  for (int i = 0; i < 800; ++i) {
    ids.push_back("/usr/src/linux/drivers/net/ethernet/file" + std::to_string(i / 4) + ".c#" +
                  std::to_string(i % 4));
  }
  EXPECT_LT(Written(ids).blocks.size(), ids.size() * 13);
}

// Any bytes are refused or give ids that are not too long.
TEST(IdBlocks, TakeAnyBytes) {
  SeededRandom random(3);
  size_t refused = 0;
  for (int turn = 0; turn < 5000; ++turn) {
    std::vector<std::byte> bytes(random.Below(60));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.Next() >> random.Below(64));
    std::string id;
    const auto index = static_cast<uint32_t>(random.Below(kIdsPerBlock));
    const auto behind = ReadBlockId(bytes, index, id);
    refused += behind.has_value() ? 0 : 1;
    ASSERT_TRUE(!behind.has_value() || (*behind <= bytes.size() && id.size() <= kMostIdBytes));
  }
  EXPECT_GT(refused, 1000u);
  std::vector<std::byte> too_long(4 + 3 * size_t{kMostIdBytes}, std::byte{0xff});
  too_long[0] = std::byte{0};  // 65,535 bytes, and then as many that share 255
  std::string id;
  EXPECT_TRUE(ReadBlockId(too_long, 0, id).has_value());
  EXPECT_FALSE(ReadBlockId(too_long, 1, id).has_value());
}

}  // namespace id_blocks_test
}  // namespace pmdex
