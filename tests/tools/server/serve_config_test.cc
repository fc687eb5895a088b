#include "tools/server/serve_config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "absl/strings/str_cat.h"

namespace pmdex {
namespace serve_config_test {

TEST(ServeConfig, ReadsTextsNumbersAndLists) {
  const auto entries = ParseServeConfig(
      "listen = [\"127.0.0.1:1\", \"unix:/x\"]\nthreads = 2\n\nprefault = true\n"
      "index = \"a=/b\"\n");
  ASSERT_TRUE(entries.ok()) << entries.status();
  ASSERT_EQ(entries->size(), 4u);
  EXPECT_EQ((*entries)[0].values, (std::vector<std::string>{"127.0.0.1:1", "unix:/x"}));
  EXPECT_EQ((*entries)[1].key, "threads");
  EXPECT_EQ((*entries)[1].values, std::vector<std::string>{"2"});
  EXPECT_EQ((*entries)[2].line, 4u);
  EXPECT_EQ((*entries)[2].values, std::vector<std::string>{"true"});
}

TEST(ServeConfig, NamesTheLineOfAnError) {
  for (const char* wrong : {"a = 1\nb = ", "a = 1\n[table]\nb = 1", "a = 1\nb = 1.5",
                            "a = 1\nb = [[1]]", "a = 1\nb = 1979-05-27", "a = 1\n\xc5\xa0 = 1"}) {
    const auto entries = ParseServeConfig(wrong);
    ASSERT_FALSE(entries.ok()) << wrong;
    EXPECT_NE(entries.status().message().find("line 2"), absl::string_view::npos)
        << entries.status();
  }
  EXPECT_FALSE(ParseServeConfig(std::string(100'000, '[')).ok());
}

TEST(ServeConfig, ReturnsWhatWasWritten) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::string text;
    std::vector<ConfigEntry> wanted;
    const auto value = [&](std::string& written) {
      const uint32_t number = random() % 1000;
      switch (random() % 3) {
        case 0:
          absl::StrAppend(&written, number);
          return absl::StrCat(number);
        case 1:
          absl::StrAppend(&written, number % 2 == 0 ? "true" : "false");
          return std::string(number % 2 == 0 ? "true" : "false");
        default:
          absl::StrAppend(&written, "\"a\\n\\\"", number, "=\"");
          return absl::StrCat("a\n\"", number, "=");
      }
    };
    const uint32_t keys = random() % 8;
    for (uint32_t key = 0; key < keys; ++key) {
      for (uint32_t blank = random() % 3; blank > 0; --blank) text += "# comment\n";
      ConfigEntry entry;
      entry.key = absl::StrCat("key-", key);
      entry.line = static_cast<uint32_t>(std::count(text.begin(), text.end(), '\n')) + 1;
      absl::StrAppend(&text, entry.key, " = ");
      const bool is_list = random() % 2 == 0;
      if (is_list) text += "[";
      for (uint32_t i = is_list ? random() % 4 : 1; i > 0; --i) {
        entry.values.push_back(value(text));
        if (is_list) text += ", ";
      }
      text += is_list ? "]\n" : "\n";
      wanted.push_back(std::move(entry));
    }
    const auto entries = ParseServeConfig(text);
    ASSERT_TRUE(entries.ok()) << entries.status() << text;
    ASSERT_EQ(entries->size(), wanted.size()) << text;
    for (size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_EQ((*entries)[i].key, wanted[i].key);
      EXPECT_EQ((*entries)[i].values, wanted[i].values) << text;
      EXPECT_EQ((*entries)[i].line, wanted[i].line) << text;
    }
  }
}

}  // namespace serve_config_test
}  // namespace pmdex
