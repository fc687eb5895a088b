#include "tools/flag_checks.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

namespace pmdex {
namespace flag_checks_test {

// What `--size TEXT` gives; nullopt if it is refused.
std::optional<uint64_t> SizeOf(const std::string& text) {
  CLI::App app;
  uint64_t size_bytes = 0;
  app.add_option("--size", size_bytes)->transform(SizeValue());
  try {
    app.parse({"--size=" + text});
  } catch (const CLI::ParseError&) {
    return std::nullopt;
  }
  return size_bytes;
}

TEST(SizeValue, TakesUnitsAndNothingNegative) {
  EXPECT_EQ(SizeOf("0"), 0u);
  EXPECT_EQ(SizeOf("512"), 512u);
  EXPECT_EQ(SizeOf("2M"), uint64_t{2} << 20);
  EXPECT_EQ(SizeOf("2GiB"), uint64_t{2} << 30);
  EXPECT_EQ(SizeOf("2kb"), 2048u);
  for (const char* text : {"-1", " -1", "-1G", "", " ", "x", "1x", "99999999999999999999"}) {
    EXPECT_EQ(SizeOf(text), std::nullopt) << text;
  }
}

TEST(NotEmpty, RefusesWhatIsEmpty) {
  CLI::App app;
  std::string name;
  app.add_option("--name", name)->check(NotEmpty());
  EXPECT_THROW(app.parse(std::vector<std::string>{"--name="}), CLI::ParseError);
  EXPECT_NO_THROW(app.parse(std::vector<std::string>{"--name=x"}));
  EXPECT_EQ(name, "x");
}

TEST(ParseFileMode, TakesWhatLetsTheOwnerReadAndWrite) {
  EXPECT_EQ(ParseFileMode("0640").value(), 0640u);
  EXPECT_EQ(ParseFileMode("666").value(), 0666u);
  for (const char* text : {"", "0440", "0700", "0648", "x", "-1", "0640 ", "01600"}) {
    EXPECT_EQ(ParseFileMode(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

}  // namespace flag_checks_test
}  // namespace pmdex
