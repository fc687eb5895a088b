#include "tools/new_index.h"

#include <gtest/gtest.h>

#include "engine/store/snapshot.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace new_index_test {

TEST(NewIndex, IsMadeInADirectoryThatIsMissing) {
  const TemporaryDirectory root;
  const std::string path = root / "a/b";
  {
    const auto index = CreateIndex(path, {}, "union a b");
    ASSERT_TRUE(index.ok()) << index.status();
    ASSERT_TRUE(index->writer->Publish().ok());
    const auto snapshot = Snapshot::Open(*index->directory).value();
    EXPECT_EQ(snapshot->manifest().properties.at("inputs"), "union a b");
  }
  EXPECT_TRUE(absl::IsAlreadyExists(CreateIndex(path, {}, "").status()));
}

TEST(NewIndex, IsNotMadeBesideFilesOfOthers) {
  const TemporaryDirectory root;
  root.Write("letter", "dear");
  EXPECT_TRUE(absl::IsFailedPrecondition(CreateIndex(root.path(), {}, "").status()));
}

}  // namespace new_index_test
}  // namespace pmdex
