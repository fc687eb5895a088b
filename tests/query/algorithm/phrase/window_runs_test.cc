// The runs of documents of a window, few and many, against those of the list.
#include "query/algorithm/phrase/window_runs.h"

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/windowed_index.h"

namespace pmdex {
namespace window_runs_test {

constexpr uint32_t kDocs = 9000;

class WindowRunsTest : public WindowedIndexTest<testing::Test, kDocs> {
 protected:
  CursorContext context_{kDocs, "segment", absl::OkStatus()};
};

TEST_F(WindowRunsTest, AreThoseOfTheList) {
  uint32_t in_place = 0;
  for (const std::string name : {"t0", "t4", "t9", "t11"}) {
    const QueryBinding binding = Bind("body:" + name);
    const auto list = segment().Postings(*binding.root->terms[0].entries[0]);
    ASSERT_TRUE(list.ok()) << list.status();
    PostingWindows term(*list, context_);
    WindowRuns finder(BestQueryKernels());
    const auto lanes = std::make_unique<WindowRuns::Lanes>();
    for (const uint32_t one_in : {1u, 3u, 700u}) {
      for (uint32_t window = 0; window < WindowCount(kDocs); ++window) {
        WindowBits of_term, candidates;
        std::vector<uint16_t> docs;
        term.Fill(window, of_term);
        of_term.ForEach([&](uint32_t doc) {
          if (doc % one_in != 0) return true;
          candidates.Set(doc);
          docs.push_back(static_cast<uint16_t>(doc));
          return true;
        });
        RunArrays runs{nullptr, lanes->begins.data(), lanes->counts.data(), nullptr};
        finder.Find(window, term, docs, candidates, runs);
        for (uint32_t i = 0; i < docs.size(); ++i) {
          const PositionRun expected =
              list->PositionsInPlace(*list->PostingOf(window * kWindowDocs + docs[i]));
          ASSERT_EQ(runs.counts[i], expected.size()) << name << " " << docs[i];
          if (expected.empty()) continue;
          ASSERT_EQ(runs[i].data(), expected.data());
          ++in_place;
        }
      }
    }
  }
  EXPECT_GT(in_place, 10000u);
}

}  // namespace window_runs_test
}  // namespace pmdex
