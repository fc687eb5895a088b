// The search of --tune with rates and a clock that the test decides.
#include "engine/ingest/tuning/tuner.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/tuning/tuning.h"
#include "engine/ingest/tuning/tuning_sample.h"

namespace pmdex {
namespace tuner_test {

BuildParameters Resolved(const IngestOptions& options) {
  return ResolveParameters(options, StoreGranularity::kPage);
}

class TunerTest : public testing::Test {
 protected:
  TunerTest() {
    options_.memory_bytes = uint64_t{1} << 30;
    options_.indexer_threads = 4;
    setup_.cpus = 4;
    setup_.now = [this] { return seconds_; };
    setup_.measure = [this](const IngestOptions& options) -> absl::StatusOr<double> {
      seconds_ += 0.1;
      tried_.push_back(Resolved(options));
      return rate_(tried_.back());
    };
  }
  TuningResult Run() {
    const auto result = Tune(options_, setup_);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *result : TuningResult{};
  }
  static std::vector<std::string> Chosen(const TuningResult& result) {
    std::vector<std::string> chosen;
    for (const MeasuredValue& measured : result.measured) {
      if (measured.chosen) chosen.push_back(measured.parameter + " " + measured.value);
    }
    return chosen;
  }

  double seconds_ = 1000;
  std::function<double(const BuildParameters&)> rate_ = [](const BuildParameters&) {
    return 100.0;
  };
  std::vector<BuildParameters> tried_;
  IngestOptions options_;
  TunerSetup setup_;
};

using Strings = std::vector<std::string>;

TEST_F(TunerTest, KeepsTheDefaultsWhereNothingIsFaster) {
  const TuningResult result = Run();
  EXPECT_EQ(Chosen(result),
            (Strings{"indexer threads 4", "reader threads 1", "writer threads default",
                     "block size 1MiB", "index depth 8", "split factor 1", "huge pages auto"}));
  EXPECT_EQ(ToString(Resolved(result.options)), ToString(Resolved(options_)));
  EXPECT_TRUE(result.in_time);
  for (const MeasuredValue& measured : result.measured) EXPECT_EQ(measured.runs, 2);
}

TEST_F(TunerTest, TakesWhatIsFasterAndGoesOnFromThere) {
  rate_ = [](const BuildParameters& tuning) {
    double rate = 100;
    if (tuning.reader_threads == 2) rate *= 1.5;
    // Small blocks pay only once there are two readers.
    if (tuning.memory.block_bytes == 256 << 10) rate *= tuning.reader_threads == 2 ? 1.2 : 0.5;
    return rate;
  };
  const TuningResult result = Run();
  EXPECT_EQ(Chosen(result),
            (Strings{"indexer threads 4", "reader threads 2", "writer threads default",
                     "block size 256KiB", "index depth 8", "split factor 1", "huge pages auto"}));
  EXPECT_EQ(result.options.reader_threads, 2);
  EXPECT_EQ(result.options.block_bytes, uint64_t{256} << 10);
}

TEST_F(TunerTest, TiesAndSmallGainsGoToTheDefault) {
  rate_ = [](const BuildParameters& tuning) {
    return tuning.memory.block_bytes == 4 << 20 ? 104.9 : 100;
  };
  EXPECT_EQ(Run().options.block_bytes, 0u);
  rate_ = [](const BuildParameters& tuning) {
    return tuning.memory.block_bytes == 4 << 20 ? 105.1 : 100;
  };
  EXPECT_EQ(Run().options.block_bytes, uint64_t{4} << 20);
}

TEST_F(TunerTest, AGainThatDoesNotComeAgainIsNotBelieved) {
  int runs = 0;
  rate_ = [&runs](const BuildParameters& tuning) {
    if (tuning.huge_pages != HugePageUse::kOff) return 100.0;
    return ++runs <= 2 ? 140.0 : 90.0;
  };
  const TuningResult result = Run();
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(result.options.huge_pages, HugePageUse::kAuto);
}

TEST_F(TunerTest, AValueThatIsFasterOnlyAtTimesIsNotBelieved) {
  int runs = 0;
  rate_ = [&runs](const BuildParameters& tuning) {
    if (tuning.huge_pages != HugePageUse::kOff) return 100.0;
    return ++runs % 2 == 1 ? 200.0 : 99.0;  // a median of 149.5
  };
  EXPECT_EQ(Run().options.huge_pages, HugePageUse::kAuto);
  EXPECT_EQ(runs, 2);
}

TEST_F(TunerTest, MeasuresTheValuesOfAParameterInTurn) {
  options_.block_bytes = 1 << 20;
  options_.reader_threads = 1;
  options_.writer_threads = 1;
  options_.index_depth = 8;
  options_.split_factor = 4;
  setup_.indexers_given = true;
  Run();
  std::vector<HugePageUse> order;
  for (const BuildParameters& tuning : tried_) order.push_back(tuning.huge_pages);
  using enum HugePageUse;
  // The first run only warms up.
  EXPECT_EQ(order, (std::vector<HugePageUse>{kAuto, kAuto, kOff, kAuto, kOff}));
}

TEST_F(TunerTest, LeavesWhatIsGivenAlone) {
  options_.block_bytes = 128 << 10;
  options_.reader_threads = 3;
  options_.writer_threads = 2;
  options_.index_depth = 16;
  options_.split_factor = 2;
  options_.huge_pages = HugePageUse::kOn;
  setup_.indexers_given = true;
  EXPECT_TRUE(Run().measured.empty());
  for (const BuildParameters& tuning : tried_) {
    EXPECT_EQ(ToString(tuning), ToString(Resolved(options_)));
  }
}

TEST_F(TunerTest, StaysWithinTheMachineAndTheMemory) {
  options_.memory_bytes = uint64_t{64} << 20;  // blocks of four times the default do not fit
  Run();
  for (const BuildParameters& tuning : tried_) {
    EXPECT_GE(tuning.indexer_threads, 1);
    EXPECT_LE(tuning.indexer_threads, 4);
    EXPECT_LE(tuning.reader_threads, 4);
    EXPECT_LE(tuning.writer_threads, tuning.indexer_threads);
    EXPECT_LE(tuning.memory.block_bytes, 1u << 20);
  }
  tried_.clear();
  setup_.cpus = 1;
  options_.indexer_threads = 1;
  Run();
  for (const BuildParameters& tuning : tried_) EXPECT_EQ(tuning.indexer_threads, 1);
}

TEST_F(TunerTest, EndsWhenTheTimeIsUp) {
  setup_.budget_seconds = 0.85;  // eight runs: the warm-up, one parameter, a part of the next
  rate_ = [](const BuildParameters& tuning) { return tuning.reader_threads == 2 ? 200.0 : 100.0; };
  const TuningResult result = Run();
  EXPECT_FALSE(result.in_time);
  EXPECT_EQ(Chosen(result), Strings{"indexer threads 4"});
  EXPECT_EQ(result.options.reader_threads, 0);  // half a comparison is none
  EXPECT_NEAR(result.seconds, 0.9, 0.11);
}

TEST_F(TunerTest, AnErrorOfAMeasurementEndsIt) {
  setup_.measure = [](const IngestOptions&) -> absl::StatusOr<double> {
    return MakeStatus(absl::StatusCode::kResourceExhausted, "no space");
  };
  EXPECT_EQ(Tune(options_, setup_).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(TunerTest, EvidenceNamesTheSampleTheMachineAndEveryRate) {
  rate_ = [](const BuildParameters& tuning) {
    return tuning.huge_pages == HugePageUse::kOff ? 50.0 : 100.0;
  };
  options_.block_bytes = 1 << 20;
  options_.reader_threads = 1;
  options_.writer_threads = 1;
  options_.index_depth = 8;
  options_.split_factor = 4;
  setup_.indexers_given = true;
  TuningSample sample;
  sample.bytes = 3 << 20;
  sample.files = 7;
  sample.format = InputFormat::kJsonl;
  EXPECT_EQ(DescribeEvidence(Run(), sample, 4, 2),
            "MiB/s on a sample of 3.0 MiB (7 files, format jsonl), 4 CPUs, NUMA nodes 2, in 0.5 s; "
            "huge pages auto: 100.0 (chosen), off: 50.0");
}

}  // namespace tuner_test
}  // namespace pmdex
