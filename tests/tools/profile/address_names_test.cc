#include "tools/profile/address_names.h"

#include <cstdint>
#include <string>

#include "gtest/gtest.h"

#include "tests/support/effort.h"
#include "tools/report/report_files.h"

namespace pmdex {
namespace address_names_test {

// A function of this program that the linker keeps.
[[gnu::noinline]] int FunctionToFind(int value) {
  return value * 3 + 1;
}

TEST(AddressNames, FindsFunctionsOfThisProcess) {
  const auto names = AddressNames::OfProcess("self");
  ASSERT_TRUE(names.ok()) << names.status();
  const auto address = reinterpret_cast<uint64_t>(&FunctionToFind);
  EXPECT_EQ(names->NameAt(address), "address_names_test::FunctionToFind");
  EXPECT_EQ(names->NameAt(address + 1), "address_names_test::FunctionToFind");
  EXPECT_EQ(names->NameAt(1), "[unknown]");
}

TEST(AddressNames, NamesTheFileWhereItHasNoSymbols) {
  const AddressNames names(
      "55d000000000-55d000001000 r--p 00000000 08:01 12 /usr/bin/x\n"
      "55d000001000-55d000002000 r-xp 00001000 08:01 12                       /usr/bin/a b\n"
      "not a line\n"
      "7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0                        [vdso]\n",
      {});
  EXPECT_EQ(names.NameAt(0x55d000001800), "[a b]");
  EXPECT_EQ(names.NameAt(0x55d000000800), "[unknown]");  // no code
  EXPECT_EQ(names.NameAt(0x7ffd00000010), "[[vdso]]");
}

TEST(AddressNames, SaysThatAProcessIsGone) {
  EXPECT_FALSE(AddressNames::OfProcess("0").ok());
}

TEST(FunctionTable, IsEmptyForWhatIsNoElfFileOrATruncatedOne) {
  EXPECT_TRUE(FunctionTable::Of("").Names().empty());
  EXPECT_TRUE(FunctionTable::Of("#!/bin/sh\n").Names().empty());
  const auto file = ReadReportFile(PMDEX_BINARY);
  ASSERT_TRUE(file.ok());
  EXPECT_GT(FunctionTable::Of(*file).Names().size(), 1000u);
  for (size_t size = 0; size < 200; ++size) {
    EXPECT_TRUE(FunctionTable::Of(std::string_view(*file).substr(0, size)).Names().empty());
  }
}

TEST(FunctionTable, SurvivesFlippedBytesOfTheHeader) {
  auto file = ReadReportFile(PMDEX_BINARY);
  ASSERT_TRUE(file.ok());
  for (size_t i = 0; i < 64; i += kIsSanitized ? 5 : 1) {
    (*file)[i] = static_cast<char>(~(*file)[i]);
    (void)FunctionTable::Of(*file).NameAt(0x1000);
    (*file)[i] = static_cast<char>(~(*file)[i]);
  }
}

TEST(ShortFunctionName, LeavesOutWhatIsNotTheName) {
  EXPECT_EQ(ShortFunctionName("pmdex::(anonymous namespace)::Binder::Bind(pmdex::Query const&) "
                              "[clone .cold]"),
            "Binder::Bind");
  EXPECT_EQ(ShortFunctionName("void pmdex::TakeWords<pmdex::Avx2<pmdex::LogAscii> >(char const*)"),
            "TakeWords");
  EXPECT_EQ(ShortFunctionName("pmdex::PhraseCursor<pmdex::ExactPhraseMatcher>::Next()"),
            "PhraseCursor::Next");
  EXPECT_EQ(ShortFunctionName("pmdex::Leaf::operator()(int)"), "pmdex::Leaf::operator()");
  EXPECT_EQ(ShortFunctionName("memmove"), "memmove");
  EXPECT_EQ(ShortFunctionName(""), "");
}

}  // namespace address_names_test
}  // namespace pmdex
