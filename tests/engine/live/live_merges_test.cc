// Merges in DRAM beside a merge that takes long.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "engine/live/dram_segments.h"
#include "tests/engine/live/live_test_support.h"

namespace pmdex {
namespace live_merges_test {

struct Gate {
  void Open() {
    is_open = true;
    is_open.notify_all();
  }
  std::atomic<bool> is_open = false;
  std::atomic<int> waited = 0;
};

// Splits at white space. Threads other than the one that made the gate wait for it at the word
// "slow".
class WaitingAnalyzer final : public Analyzer {
 public:
  WaitingAnalyzer(Gate& gate, std::thread::id owner) : gate_(gate), owner_(owner) {}
  uint32_t Analyze(std::string_view text, uint32_t first_position, TokenSink& sink) override {
    if (text == "slow" && std::this_thread::get_id() != owner_) {
      ++gate_.waited;
      gate_.is_open.wait(false);
    }
    return words_->Analyze(text, first_position, sink);
  }
  std::string Normalize(std::string_view term) const override { return words_->Normalize(term); }
  AnalyzerKind kind() const override { return AnalyzerKind::kCustom; }

 private:
  Gate& gate_;
  const std::thread::id owner_;
  const std::unique_ptr<Analyzer> words_ = NewAnalyzer(AnalyzerKind::kWhitespace);
};

class LiveMerges : public testing::TestWithParam<int> {
 protected:
  ~LiveMerges() override { gate_.Open(); }  // before the index ends
  LiveMerges() {
    LiveOptions options = Storing();
    options.settings->analyzer = AnalyzerKind::kCustom;
    options.custom = {"waiting", [this, owner = std::this_thread::get_id()] {
                        return std::make_unique<WaitingAnalyzer>(gate_, owner);
                      }};
    index_ = OpenStoring(*directory_, options);
  }

  void Put(const std::string& text) {
    ASSERT_TRUE(index_->Put(Text("d" + std::to_string(documents_++), text)).ok());
  }

  const std::unique_ptr<Directory> directory_ = NewDramDirectory("live");
  Gate gate_;
  std::unique_ptr<LiveIndex> index_;
  int documents_ = 0;
};

// The merge of the first document waits until the end. Snapshots neither wait for it nor have ever
// more segments, and they leave the segments of that merge to it. Parameter: how many documents are
// added between two snapshots.
TEST_P(LiveMerges, OfFewDocumentsGoOnBesideAMergeThatTakesLong) {
  ASSERT_NE(index_, nullptr);
  ASSERT_NO_FATAL_FAILURE(Put("slow"));
  ASSERT_TRUE(index_->TakeSnapshot().ok());
  size_t most = 0;
  bool is_first_alone = true;
  for (int snapshots = 0; snapshots < 300 && most < 200; ++snapshots) {
    for (int i = 0; i < GetParam(); ++i) ASSERT_NO_FATAL_FAILURE(Put("word"));
    const auto snapshot = index_->TakeSnapshot();
    ASSERT_TRUE(snapshot.ok());
    const auto segments = (*snapshot)->segments();
    // Until the slow merge begins, snapshots may merge its documents.
    const bool begins = segments.size() >= DramSegments::kMergedAtOnce;
    while (begins && gate_.waited == 0) std::this_thread::yield();
    most = std::max(most, segments.size());
    is_first_alone = is_first_alone && segments[0]->doc_count() == 1;
  }
  EXPECT_LT(most, 200u);
  EXPECT_TRUE(is_first_alone);
  EXPECT_EQ(gate_.waited, 1);
  gate_.Open();
  ASSERT_TRUE(index_->Commit().ok());
  EXPECT_EQ(Visible(*index_).size(), static_cast<size_t>(documents_));
}

INSTANTIATE_TEST_SUITE_P(Documents, LiveMerges, testing::Values(1, 3, 100));

}  // namespace live_merges_test
}  // namespace pmdex
