#include "pmem/shared_library.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "pmem/ndctl_library.h"
#include "pmem/numa_library.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace shared_library_test {

TEST(SharedLibrary, FindsWhatALibraryHas) {
  const auto library = SharedLibrary::Load("libm.so.6");
  ASSERT_TRUE(library.ok()) << library.status();
  double (*cosine)(double) = nullptr;
  ASSERT_TRUE(FindInto(*library, "cos", cosine).ok());
  EXPECT_EQ(cosine(0), 1);
}

TEST(SharedLibrary, NamesTheLibraryThatIsMissing) {
  const auto library = SharedLibrary::Load("libpmdex-missing.so.1");
  EXPECT_TRUE(absl::IsUnimplemented(library.status())) << library.status();
  EXPECT_TRUE(Message(library.status()).starts_with("load libpmdex-missing.so.1: "))
      << library.status();
}

TEST(SharedLibrary, NamesTheSymbolThatIsMissing) {
  const auto library = SharedLibrary::Load("libm.so.6");
  ASSERT_TRUE(library.ok()) << library.status();
  const auto address = library->Find("pmdex_missing");
  EXPECT_TRUE(absl::IsUnimplemented(address.status())) << address.status();
  EXPECT_NE(Message(address.status()).find("pmdex_missing"), std::string_view::npos)
      << address.status();
}

TEST(SharedLibrary, KnowsTheSizeOfData) {
  const auto library = SharedLibrary::Load("libm.so.6");
  ASSERT_TRUE(library.ok()) << library.status();
  const auto data = library->FindData("signgam");  // an int
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_EQ(data->size(), sizeof(int));
}

TEST(SharedLibrary, PrefersWhatCameWithTheInstallation) {
  const TemporaryDirectory tree;
  std::filesystem::create_directories(tree / "bin");
  std::filesystem::create_directories(tree / "lib/pmdex");
  tree.Write("bin/pmdex", "");
  tree.Write("lib/pmdex/libone.so.1", "");
  const std::string program = tree / "bin/pmdex";
  const std::string installed =
      std::filesystem::canonical(tree / "bin").string() + "/../lib/pmdex/libone.so.1";
  EXPECT_EQ(InstalledLibrary(program.c_str(), "libone.so.1"), installed);
  EXPECT_EQ(InstalledLibrary(program.c_str(), "libtwo.so.1"), "");
  EXPECT_EQ(InstalledLibrary(nullptr, "libone.so.1"), "");
  std::filesystem::create_symlink(program, tree / "link");
  const std::string link = tree / "link";
  EXPECT_EQ(InstalledLibrary(link.c_str(), "libone.so.1"), installed);
}

TEST(NumaLibrary, LoadsOnce) {
  const auto library = LoadNuma();
  ASSERT_TRUE(library.ok()) << library.status();
  EXPECT_EQ(*library, *LoadNuma());
  EXPECT_GE((*library)->max_node(), 0);
}

TEST(NdctlLibrary, LoadsBothTablesWhole) {
  const auto ndctl = LoadNdctl();
  ASSERT_TRUE(ndctl.ok()) << ndctl.status();
  ndctl_ctx* context = nullptr;
  ASSERT_EQ((*ndctl)->new_(&context), 0);
  EXPECT_EQ((*ndctl)->unref_(context), nullptr);
  const auto daxctl = LoadDaxctl();
  ASSERT_TRUE(daxctl.ok()) << daxctl.status();
  EXPECT_NE((*daxctl)->region_get_next_, nullptr);
}

}  // namespace shared_library_test
}  // namespace pmdex
