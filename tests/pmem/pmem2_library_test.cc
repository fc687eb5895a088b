// That the program starts and reads without libpmem2 is tests/tools/medium_calls_test.cc.
#include "pmem/pmem2_library.h"

#include "gtest/gtest.h"

namespace pmdex {
namespace pmem2_library_test {

TEST(Pmem2Library, HasEveryFunctionOfTheTable) {
  const auto library = LoadPmem2();
  ASSERT_TRUE(library.ok()) << library.status();
#define PMDEX_EXPECT_FUNCTION(name) EXPECT_NE((*library)->name, nullptr) << #name;
  PMDEX_PMEM2_FUNCTIONS(PMDEX_EXPECT_FUNCTION)
#undef PMDEX_EXPECT_FUNCTION
  EXPECT_EQ(*LoadPmem2(), *library) << "it was loaded twice";
}

TEST(Pmem2Library, IsTheOneOfATestUntilThatEnds) {
  const Pmem2Library* const real = LoadPmem2().value();
  const Pmem2Library empty;
  SetPmem2ForTest(&empty);
  EXPECT_EQ(LoadPmem2().value(), &empty);
  SetPmem2ForTest(nullptr);
  EXPECT_EQ(LoadPmem2().value(), real);
}

}  // namespace pmem2_library_test
}  // namespace pmdex
