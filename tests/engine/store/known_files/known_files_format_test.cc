#include "engine/store/known_files/known_files_format.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>

namespace pmdex {
namespace known_files_format_test {

KnownFileRecords SomeRecords(uint32_t seed) {
  std::mt19937_64 random(seed);
  KnownFileRecords records;
  for (int i = 0; i < 50; ++i) {
    std::string path(1 + random() % 40, 'x');
    for (char& c : path) c = static_cast<char>(1 + random() % 255);  // newlines, no UTF-8
    if (random() % 4 == 0) {
      records[path] = std::nullopt;
      continue;
    }
    records[path] = KnownFile{{random(), static_cast<int64_t>(random()), random(), random(),
                               static_cast<int64_t>(random())},
                              static_cast<KnownState>(1 + random() % 3),
                              random() % 2 == 0};
  }
  return records;
}

TEST(KnownFilesFormat, DecodesWhatItEncoded) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    const KnownFileRecords records = SomeRecords(seed);
    const auto decoded = DecodeKnownFiles(EncodeKnownFiles(records), "f");
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_EQ(*decoded, records);
  }
  const auto none = DecodeKnownFiles(EncodeKnownFiles({}), "f");
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_TRUE(none->empty());
}

TEST(KnownFilesFormat, NoticesEveryFlippedBitAndEveryOtherLength) {
  const std::vector<std::byte> bytes = EncodeKnownFiles(SomeRecords(1));
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::vector<std::byte> damaged = bytes;
    damaged[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    EXPECT_FALSE(DecodeKnownFiles(damaged, "f").ok()) << bit;
  }
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(DecodeKnownFiles(std::span(bytes).first(length), "f").ok()) << length;
  }
  std::vector<std::byte> longer = bytes;
  longer.push_back({});
  EXPECT_FALSE(DecodeKnownFiles(longer, "f").ok());
}

TEST(KnownFilesFormat, TellsANewerFormatFromDamage) {
  std::vector<std::byte> bytes = EncodeKnownFiles({});
  bytes[8] = std::byte{3};
  EXPECT_TRUE(absl::IsUnimplemented(DecodeKnownFiles(bytes, "f").status()));
  bytes[8] = std::byte{1};  // older: the files are read again, as after damage
  EXPECT_TRUE(absl::IsDataLoss(DecodeKnownFiles(bytes, "f").status()));
  bytes[8] = std::byte{2};
  bytes[0] = std::byte{0};
  EXPECT_TRUE(absl::IsDataLoss(DecodeKnownFiles(bytes, "f").status()));
}

TEST(KnownFilesFormat, ParsesOnlyItsOwnNames) {
  EXPECT_EQ(KnownFilesName(7), "known-files-0000000000000007");
  EXPECT_EQ(ParseKnownFilesName(KnownFilesName(12345)), 12345u);
  for (const char* name : {"known-files-7", "known-files-", "known-files-00000000000000x7",
                           "known-files-0000000000000007.tmp", "manifest-0000000000000007",
                           "known-files-+000000000000007"}) {
    EXPECT_EQ(ParseKnownFilesName(name), std::nullopt) << name;
  }
}

TEST(KnownFilesFormat, RefusesAListThatIsNone) {
  const std::vector<ListedKnownFiles> files = {{3, 4096}, {9, 48}};
  EXPECT_EQ(EncodeKnownFilesList(files), "3:4096 9:48");
  const auto decoded = DecodeKnownFilesList("3:4096 9:48");
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(*decoded, files);
  EXPECT_TRUE(DecodeKnownFilesList("")->empty());
  for (const char* value : {"3", "3:", ":3", "3:4 ", "3:4  5:6", "5:6 3:4", "3:4 3:4", "x:4",
                            "3:-4", "99999999999999999999999:1"}) {
    EXPECT_TRUE(absl::IsDataLoss(DecodeKnownFilesList(value).status())) << value;
  }
}

}  // namespace known_files_format_test
}  // namespace pmdex
