// The planning model of `pmdex compare`: recorded loads, touched lines, and predictions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <limits>

#include "pmem/directory.h"
#include "tests/support/run_program.h"
#include "tools/compare/medium/access_recorder.h"
#include "tools/compare/medium/class_touches.h"
#include "tools/compare/medium/medium_model.h"
#include "tools/compare/medium/memory_probe.h"
#include "tools/compare/medium/predicted_classes.h"
#include "tools/compare/medium/touched_lines.h"

namespace pmdex {
namespace compare_medium_test {

using testing::ElementsAre;
using testing::HasSubstr;

uint32_t Loaded(std::vector<uint8_t> code) {
  code.resize(15);
  return LoadedBytes(code);
}

TEST(LoadedBytes, AreToldByPrefixAndOpcode) {
  EXPECT_EQ(Loaded({0x8b, 0x07}), 4u);                           // mov eax, [rdi]
  EXPECT_EQ(Loaded({0x48, 0x8b, 0x07}), 8u);                     // mov rax, [rdi]
  EXPECT_EQ(Loaded({0x66, 0x8b, 0x07}), 2u);                     // mov ax, [rdi]
  EXPECT_EQ(Loaded({0x8a, 0x07}), 1u);                           // mov al, [rdi]
  EXPECT_EQ(Loaded({0x0f, 0xb6, 0x07}), 1u);                     // movzx eax, byte [rdi]
  EXPECT_EQ(Loaded({0x0f, 0x10, 0x07}), 16u);                    // movups xmm0, [rdi]
  EXPECT_EQ(Loaded({0xc5, 0xfe, 0x6f, 0x07}), 32u);              // vmovdqu ymm0, [rdi]
  EXPECT_EQ(Loaded({0xc5, 0xfa, 0x6f, 0x07}), 16u);              // vmovdqu xmm0, [rdi]
  EXPECT_EQ(Loaded({0x62, 0xf1, 0x7e, 0x48, 0x6f, 0x07}), 64u);  // vmovdqu32 zmm0, [rdi]
}

class MappedBytes {
 public:
  explicit MappedBytes(size_t bytes) : bytes_(bytes) {
    memory_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::memset(memory_, 7, bytes);
    mprotect(memory_, bytes, PROT_READ);
  }
  ~MappedBytes() { munmap(memory_, bytes_); }
  std::span<const std::byte> span() const {
    return {static_cast<const std::byte*>(memory_), bytes_};
  }
  template <typename Value>
  Value Load(size_t offset) const {
    return *reinterpret_cast<const volatile Value*>(static_cast<const char*>(memory_) + offset);
  }

 private:
  size_t bytes_;
  void* memory_;
};

TEST(RecordAccesses, SeesEveryLoadOnceAndLeavesTheRangeReadable) {
  const MappedBytes memory(3 * 4096);
  const std::span<const std::byte> range = memory.span();
  uint64_t sum = 0;
  const auto accesses = RecordAccesses(
      std::span(&range, 1),
      [&] {
        sum += memory.Load<uint64_t>(8);
        sum += memory.Load<uint64_t>(8);
        sum += memory.Load<uint32_t>(8188);
        sum += memory.Load<uint8_t>(8192);
      },
      100);
  ASSERT_TRUE(accesses.ok()) << accesses.status();
  std::vector<uint64_t> offsets;
  for (const RecordedAccess& access : *accesses) offsets.push_back(access.offset);
  EXPECT_THAT(offsets, ElementsAre(8, 8, 8188, 8192));
  EXPECT_EQ((*accesses)[0].bytes, 8u);
  EXPECT_EQ(memory.Load<uint8_t>(4096), 7) << "after the work the range is readable again";
  EXPECT_EQ(sum, 2 * 0x0707070707070707u + 0x07070707u + 7u);
}

TEST(RecordAccesses, EndsRecordingWhereTooManyLoadsAre) {
  const MappedBytes memory(4096);
  const std::span<const std::byte> range = memory.span();
  uint64_t sum = 0;
  const auto accesses = RecordAccesses(
      std::span(&range, 1),
      [&] {
        for (size_t i = 0; i < 100; ++i) sum += memory.Load<uint8_t>(i);
      },
      10);
  EXPECT_EQ(accesses.status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(sum, 700u) << "the work ran to its end";
}

TEST(CountTouches, TellsSequentialFromRandomLinesAndUnits) {
  // Lines 0 and 1 (one access across the border), 1 again, 2, 40, 41.
  const std::vector<RecordedAccess> accesses = {
      {0, 60, 8}, {0, 64, 1}, {0, 128, 4}, {0, 40 * 64, 4}, {0, 41 * 64, 4}};
  const RecordedQuery query = CountTouches(accesses, [](uint32_t, uint64_t offset) {
    return std::string(offset < 1024 ? "low" : "high");
  });
  const SectionTouches& low = query.touches.sections.at("low");
  EXPECT_EQ(low.of_64.random, 1);
  EXPECT_EQ(low.of_64.sequential, 2);
  EXPECT_EQ(low.of_256.random, 1);
  EXPECT_EQ(low.of_256.sequential, 0);
  const SectionTouches total = query.touches.total();
  EXPECT_EQ(total.of_64.total(), 5);
  EXPECT_EQ(total.of_256.random, 2) << "line 40 begins a unit, and line 41 is in it";
  EXPECT_EQ(query.lines.size(), 5u);
}

ModelledClass Modelled(double random, double sequential, double hot_us, double dropped_us) {
  ModelledClass one;
  one.touches.of_64 = {random, sequential};
  one.touches.of_256 = {random / 2, sequential / 4};
  one.hot_us = hot_us;
  one.dropped_us = dropped_us;
  return one;
}

// Three classes that follow the model exactly, with f = 0.5, 100 ns and 2 ns.
std::vector<ModelledClass> ExactClasses() {
  return {Modelled(10, 0, 1, 1 + 0.5), Modelled(100, 1000, 5, 5 + 5 + 2),
          Modelled(40, 50, 2, 2 + 2 + 0.1)};
}

TEST(MediumModel, PredictsWhatFollowsTheModel) {
  MediumTimes medium;
  medium.unit_bytes = 64;
  medium.random_ns = 300;
  medium.sequential_factor = 3;
  const auto times = PredictTimes(ExactClasses(), {100, 2}, medium);
  for (const ModelledTime& time : times) EXPECT_NEAR(time.error, 0, 1e-9);
  ASSERT_TRUE(times[1].uncached_us.has_value());
  EXPECT_NEAR(*times[1].uncached_us, 5 + 15 + 6, 1e-9);
  EXPECT_NEAR(*times[1].of_dram, 26.0 / 12, 1e-9);
}

TEST(MediumModel, CountsUnitsOf256BytesForMediaThatHaveThem) {
  MediumTimes medium;
  medium.unit_bytes = 256;
  medium.random_ns = 300;
  medium.buffered_ns = 100;
  const auto times = PredictTimes(ExactClasses(), {100, 2}, medium);
  // 50 random units at half of 300 ns, 50 more lines of them at half of 100 ns, 1,000 lines at 2
  // ns.
  EXPECT_NEAR(*times[1].uncached_us, 5 + 7.5 + 2.5 + 2, 1e-9);
}

TEST(MediumModel, PredictsNothingForAClassThatItMissesInDram) {
  std::vector<ModelledClass> classes = ExactClasses();
  classes[0].dropped_us = 15;
  const auto times = PredictTimes(classes, {100, 2}, MediumTimes{});
  EXPECT_GT(times[0].error, kMostModelError);
  EXPECT_EQ(times[0].uncached_us, std::nullopt);
  const auto alone = PredictTimes({ExactClasses()[0]}, {100, 2}, MediumTimes{});
  EXPECT_EQ(alone[0].error, std::numeric_limits<double>::infinity());
}

TEST(MediumModel, PredictsNoChangeForWhatStaysInTheCaches) {
  const ModelledClass one = Modelled(10, 0, 1, 3);
  EXPECT_DOUBLE_EQ(PredictedMeanUs(one, 9, 1), 1);
  EXPECT_DOUBLE_EQ(PredictedMeanUs(one, 9, 3), 9);
  EXPECT_DOUBLE_EQ(PredictedMeanUs(one, 9, 2), 5);
}

TEST(AddPredictions, LabelsPredictionsAndSaysWhatIsNotPredicted) {
  ComparedConfiguration configuration;
  for (const char* name : {"a", "left out", "b", "c"}) {
    configuration.classes.emplace_back().name = name;
    configuration.classes.back().mean_us = 2;
  }
  std::vector<ModelledClass> exact = ExactClasses();
  exact[2].dropped_us = 60;  // of c
  PredictionBasis basis;
  basis.medium.name = "m";
  basis.medium.random_ns = 300;
  basis.dram = {100, 2};
  AddPredictions({exact[0], std::nullopt, exact[1], exact[2]}, basis, configuration);
  EXPECT_EQ(configuration.classes[1].model, std::nullopt);
  EXPECT_EQ(configuration.classes[3].predicted, std::nullopt);
  ASSERT_FALSE(configuration.notes.empty());
  EXPECT_THAT(configuration.notes.back(), HasSubstr("no prediction"));
}

TEST(LoadMedium, ReadsAFileAndRefusesNonsense) {
  EXPECT_EQ(LoadMedium("optane")->unit_bytes, 256u);
  EXPECT_FALSE(LoadMedium("cxl")->source.empty());
  const TemporaryDirectory directory;
  const auto medium =
      LoadMedium(directory.Write("m", R"({"name":"x","random_ns":400,"unit_bytes":256})"));
  ASSERT_TRUE(medium.ok()) << medium.status();
  EXPECT_EQ(medium->random_ns, 400);
  for (const char* broken : {"{}", "[", R"({"name":"x","random_ns":0})",
                             R"({"name":"x","random_ns":1,"unit_bytes":100})"}) {
    EXPECT_EQ(LoadMedium(directory.Write("b", broken)).status().code(),
              absl::StatusCode::kInvalidArgument)
        << broken;
  }
  EXPECT_EQ(LoadMedium(directory / "missing").status().code(), absl::StatusCode::kNotFound);
}

TEST(CacheKnee, IsTheLastSizeBeforeTheLatencyRises) {
  EXPECT_EQ(CacheKnee({1, 2, 4, 8}, {5, 6, 100, 110}), 2u);
  const auto knee = MeasureCacheKnee([](uint64_t bytes) -> absl::StatusOr<double> {
    return bytes <= (uint64_t{32} << 20) ? 12.0 : 120.0;
  });
  EXPECT_EQ(*knee, uint64_t{32} << 20);
}

TEST(MeasureMemory, MeasuresSomething) {
  const auto times = MeasureMemory(uint64_t{1} << 20);
  ASSERT_TRUE(times.ok()) << times.status();
  EXPECT_GT(times->random_ns, 0);
  EXPECT_GT(times->sequential_line_ns, 0);
}

// A word in all of many documents touches more lines when all of them are scored.
TEST(StudyClass, CountsTheLinesOfARealIndex) {
  const TemporaryDirectory directory;
  std::string lines;
  for (int i = 0; i < 3000; ++i) lines += "every line has number" + std::to_string(i) + "\n";
  const std::string corpus = directory.Write("c.txt", lines);
  ASSERT_EQ(RunProgram({PMDEX_BINARY, "index", corpus, "--format", "lines", "--index",
                        directory / "x", "--quiet"})
                .exit_status,
            0);
  const auto index = MeasuredIndex::Open(directory / "x");
  ASSERT_TRUE(index.ok()) << index.status();
  const BoundSet set = {"s", {"every"}, {3000}};
  TouchOptions options;
  options.timed = true;
  const auto all =
      StudyClass((*index)->searcher(), set, SearchOptionsOfMode("exhaustive"), options);
  ASSERT_TRUE(all.ok()) << all.status();
  // At least the length codes of 3,000 postings: a byte each.
  EXPECT_GE(all->mean.total().of_64.total(), 3000.0 / 64);
  EXPECT_LE(64 * all->mean.total().of_64.total(), static_cast<double>((*index)->Describe().bytes));
  EXPECT_GT(all->mean.sections.at("postings").of_64.sequential, 0);
  EXPECT_GT(all->modelled->dropped_us, 0);
  const auto pruned = StudyClass((*index)->searcher(), set, SearchOptionsOfMode("pruned"), {});
  ASSERT_TRUE(pruned.ok());
  EXPECT_LE(pruned->mean.total().of_64.total(), all->mean.total().of_64.total());
  EXPECT_EQ(pruned->modelled, std::nullopt);
  options.most_loads = 3;
  EXPECT_EQ(
      StudyClass((*index)->searcher(), set, SearchOptionsOfMode("pruned"), options).status().code(),
      absl::StatusCode::kOutOfRange);
}

}  // namespace compare_medium_test
}  // namespace pmdex
