#include "engine/ingest/ingest_options.h"

#include <gtest/gtest.h>

namespace pmdex {
namespace ingest_options_test {

TEST(InputFormat, NamesParseBack) {
  for (const InputFormat format : {InputFormat::kAuto, InputFormat::kFiles, InputFormat::kLines,
                                   InputFormat::kJsonl, InputFormat::kTrec}) {
    const auto parsed = ParseInputFormat(ToString(format));
    ASSERT_TRUE(parsed.ok()) << ToString(format);
    EXPECT_EQ(*parsed, format);
  }
}

TEST(InputFormat, OtherNamesAreRefused) {
  for (const char* name : {"", "JSONL", "xml", "unknown"}) {
    const auto parsed = ParseInputFormat(name);
    EXPECT_TRUE(absl::IsInvalidArgument(parsed.status())) << name;
    EXPECT_NE(parsed.status().message().find("trec"), absl::string_view::npos) << parsed.status();
  }
}

TEST(DirectIo, NamesParseBack) {
  for (const DirectIo use : {DirectIo::kAuto, DirectIo::kOn, DirectIo::kOff}) {
    const auto parsed = ParseDirectIo(ToString(use));
    ASSERT_TRUE(parsed.ok()) << ToString(use);
    EXPECT_EQ(*parsed, use);
  }
}

TEST(DirectIo, OtherNamesAreRefused) {
  for (const char* name : {"", "ON", "maybe"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseDirectIo(name).status())) << name;
  }
}

}  // namespace ingest_options_test
}  // namespace pmdex
