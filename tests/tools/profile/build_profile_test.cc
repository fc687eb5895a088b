#include "tools/profile/build_profile.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "tests/support/run_program.h"
#include "tools/profile/build_profile_report.h"

namespace pmdex {
namespace build_profile_test {

using nlohmann::json;

// Every event counts 1,000 between two reads; a group counts half of the time.
class HalfTimeSource : public CounterSource {
 public:
  absl::StatusOr<std::unique_ptr<OpenCounters>> OpenForThread(std::span<const CounterEvent> events,
                                                              int /*thread*/) override {
    for (const CounterEvent& event : events) {
      if (event.name == refused) return InvalidArgument("refused on purpose");
    }
    return std::make_unique<HalfTimeCounters>(events.size());
  }
  std::string_view refused;

 private:
  class HalfTimeCounters : public OpenCounters {
   public:
    explicit HalfTimeCounters(size_t events) : events_(events) {}
    absl::StatusOr<CounterReading> Read() override {
      ++reads_;
      return CounterReading{reads_ * 100, reads_ * 50,
                            std::vector<uint64_t>(events_, reads_ * 500)};
    }

   private:
    const size_t events_;
    uint64_t reads_ = 0;
  };
};

ProfileMachine Zen5Machine(CounterSource& source) {
  ProfileMachine machine;
  machine.cpu.vendor = "AuthenticAMD";
  machine.cpu.family = 0x1a;
  machine.source = &source;
  return machine;
}

PipelineReport SomeWaits() {
  PipelineReport waits;
  waits.write.bytes = 1000;
  waits.index.lifetime_seconds = 5;
  waits.index.input_wait_seconds = 2;
  return waits;
}

void RunThreads(BuildProfiler& profiler, PipelineStage stage, int threads) {
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([&] { const ObservedThread observed(&profiler, stage); });
  }
  for (std::thread& thread : running) thread.join();
}

TEST(BuildProfiler, AddsUpTheThreadsOfAStageAndScalesThem) {
  HalfTimeSource source;
  BuildProfiler profiler(Zen5Machine(source), absl::NotFoundError("no controllers"));
  RunThreads(profiler, PipelineStage::kIndex, 3);
  RunThreads(profiler, PipelineStage::kRead, 1);
  const auto profile = profiler.Profile();
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_EQ(profile->source, "hardware");
  ASSERT_EQ(profile->stages.size(), 2u);
  const StageProfile& index = profile->stages.at(PipelineStage::kIndex);
  EXPECT_DOUBLE_EQ(index.counts.at("cycles"), 3000);
  EXPECT_DOUBLE_EQ(index.counts.at("page_faults"), 3000);
  EXPECT_DOUBLE_EQ(index.least_share, 0.5);
  ASSERT_NE(index.metrics.Find("ipc"), nullptr);
  EXPECT_DOUBLE_EQ(index.metrics.Find("ipc")->value, 1);
  EXPECT_EQ(index.metrics.Find("cycles_per_query"), nullptr) << "a build has no queries";
  EXPECT_DOUBLE_EQ(profile->stages.at(PipelineStage::kRead).counts.at("cycles"), 1000);
  const std::string text = BuildProfileToText(*profile, SomeWaits());
  EXPECT_NE(text.find("each counted 50 % of the time"), std::string::npos) << text;
  EXPECT_NE(text.find("what the medium wrote was not measured: no controllers"), std::string::npos);
}

TEST(BuildProfiler, LeavesOutGroupsThatAreRefused) {
  HalfTimeSource source;
  source.refused = "branches";
  BuildProfiler profiler(Zen5Machine(source), absl::NotFoundError("none"));
  RunThreads(profiler, PipelineStage::kWrite, 2);
  const auto profile = profiler.Profile();
  ASSERT_TRUE(profile.ok());
  EXPECT_FALSE(profile->stages.at(PipelineStage::kWrite).counts.contains("branches"));
  ASSERT_EQ(profile->notes.size(), 1u);
  EXPECT_EQ(profile->notes[0], "the group 'branches' was not counted: refused on purpose");
}

TEST(BuildProfileReport, SetsMediaBytesAgainstSegmentBytes) {
  HalfTimeSource source;
  BuildProfiler profiler(Zen5Machine(source), absl::NotFoundError("none"));
  RunThreads(profiler, PipelineStage::kWrite, 1);
  auto profile = profiler.Profile();
  ASSERT_TRUE(profile.ok());
  profile->media = MediaBytes{500, 3000};
  JsonWriter writer;
  WriteBuildProfile(*profile, SomeWaits(), writer);
  const json document = json::parse(writer.result());
  EXPECT_EQ(document["media"]["written_bytes"], 3000);
  EXPECT_EQ(document["media"]["write_amplification"], 3);
  EXPECT_EQ(document["machine"]["table"], "zen5");
  EXPECT_TRUE(document["stages"]["write"]["metrics"].contains("ipc"));
  EXPECT_NE(BuildProfileToText(*profile, SomeWaits()).find("3 times the bytes of segments"),
            std::string::npos);
}

TEST(BuildProfiler, CountsARealBuild) {
  const TemporaryDirectory directory;
  std::string lines;
  for (int i = 0; i < 20000; ++i) lines += "line " + std::to_string(i) + " of some text\n";
  const ProgramResult run =
      RunProgram({PMDEX_BINARY, "index", "--index", directory / "index", "--format", "lines",
                  "--profile", "--json", directory.Write("input.txt", lines)});
  ASSERT_EQ(run.exit_status, 0) << run.err;
  const json profile = json::parse(run.out)["profile"];
  EXPECT_EQ(profile["source"] == "hardware", profile["machine"]["pmu"]);
  EXPECT_FALSE(profile["media"].empty());
  if (!profile["notes"].empty()) GTEST_SKIP() << profile["notes"].dump();
  for (const char* stage : {"walk", "read", "index", "write"}) {
    EXPECT_GT(profile["stages"][stage]["counts"]["task_clock_ns"], 0) << stage;
  }
  EXPECT_GT(profile["stages"]["index"]["counts"]["page_faults"], 0);
}

}  // namespace build_profile_test
}  // namespace pmdex
