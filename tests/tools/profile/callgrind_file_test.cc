#include "tools/profile/callgrind_file.h"

#include <string>

#include "gtest/gtest.h"

namespace pmdex {
namespace callgrind_file_test {

constexpr char kFile[] =
    "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 1\ncmd:  ./x\n"
    "part: 1\n\ndesc: Timerange: Basic block 0 - 4\ndesc: Trigger: Client Request: query-0\n\n"
    "positions: line\nevents: Ir Dr\nsummary: 123 45\n\n"
    "fl=(1) a.cc\nfn=(1) pmdex::A()\n0 100 40\ncfn=(2) pmdex::B()\ncalls=1 0\n0 20 5\n\n"
    "fn=(2)\n0 20 5\n+3 3\n"
    "part: 2\n\ndesc: Trigger: Program termination\n\nevents: Ir Dr\n\nfn=(2)\n0 7 1\n";

TEST(CallgrindFile, AddsUpEachDumpWithoutTheCostOfCalls) {
  const auto file = ParseCallgrind(kFile);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->events, (std::vector<std::string>{"Ir", "Dr"}));
  ASSERT_EQ(file->dumps.size(), 2u);
  EXPECT_EQ(file->dumps[0].trigger, "Client Request: query-0");
  EXPECT_EQ(file->dumps[0].totals, (std::vector<uint64_t>{123, 45}));
  EXPECT_EQ(file->dumps[0].instructions.at("pmdex::A()"), 100u);
  EXPECT_EQ(file->dumps[0].instructions.at("pmdex::B()"), 23u);
  EXPECT_EQ(file->dumps[1].trigger, "Program termination");
  EXPECT_EQ(file->dumps[1].instructions.at("pmdex::B()"), 7u);
}

TEST(CallgrindFile, RefusesOtherFiles) {
  EXPECT_FALSE(ParseCallgrind("").ok());
  EXPECT_FALSE(ParseCallgrind("hello\n1 2 3\n").ok());
  EXPECT_FALSE(ParseCallgrind("part: 1\n").ok());
}

}  // namespace callgrind_file_test
}  // namespace pmdex
