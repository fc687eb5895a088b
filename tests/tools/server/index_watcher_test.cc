#include "tools/server/index_watcher.h"

#include <gtest/gtest.h>

#include <future>

#include "tests/tools/server/served_library.h"

namespace pmdex {
namespace index_watcher_test {

TEST(IndexWatcher, HasTheCatalogOpenEachNewGeneration) {
  const TemporaryDirectory directory;
  const std::string path = directory / "index";
  PublishLines(path, directory, "apple\n");
  auto catalog = IndexCatalog::Open({{"one", path}}, /*prefault=*/false);
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  Mutex mutex;
  std::vector<std::promise<void>> changes(2);
  size_t seen = 0;
  const auto watcher = IndexWatcher::Start(**catalog, [&] {
    MutexLock lock(&mutex);
    if (seen < changes.size()) changes[seen++].set_value();
  });
  ASSERT_TRUE(watcher.ok()) << watcher.status();
  for (uint64_t documents = 2; documents <= 3; ++documents) {
    PublishLines(path, directory, "pear\n");
    changes[documents - 2].get_future().wait();
    EXPECT_EQ((*(*catalog)->Current())[0]->searcher->snapshot().doc_count(), documents);
  }
}

}  // namespace index_watcher_test
}  // namespace pmdex
