#include "tools/profile/build_profile.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "tests/support/run_program.h"
#include "tests/tools/profile/fake_counters.h"
#include "tools/profile/build_profile_report.h"

namespace pmdex {
namespace build_profile_test {

using nlohmann::json;

// Every event counts 1,000 between two reads; a group counts half of the time.
class HalfTimeSource : public CounterSource {
 public:
  absl::StatusOr<std::unique_ptr<OpenCounters>> OpenForThread(std::span<const CounterEvent> events,
                                                              int /*thread*/) override {
    const bool is_starved = std::any_of(
        events.begin(), events.end(), [&](const CounterEvent& one) { return one.name == starved; });
    for (const CounterEvent& event : events) {
      if (event.name == refused) return InvalidArgument("refused on purpose");
    }
    return std::make_unique<HalfTimeCounters>(events.size(), is_starved ? 0 : 50);
  }
  std::string_view refused;
  std::string_view starved;  // a group with this event never counts

 private:
  class HalfTimeCounters : public OpenCounters {
   public:
    HalfTimeCounters(size_t events, uint64_t running_ns)
        : events_(events), running_ns_(running_ns) {}
    absl::StatusOr<CounterReading> Read() override {
      ++reads_;
      return CounterReading{reads_ * 100, reads_ * running_ns_,
                            std::vector<uint64_t>(events_, reads_ * 500)};
    }

   private:
    const size_t events_;
    const uint64_t running_ns_;
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
  BuildProfiler profiler(Zen5Machine(source), absl::NotFoundError("no controllers"),
                         absl::NotFoundError("no ipmctl"));
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
  EXPECT_NE(text.find("inconsistent, not among the metrics:\n"), std::string::npos) << text;
  EXPECT_NE(text.find("the categories of level 1 add up to 0.500"), std::string::npos) << text;
  EXPECT_NE(text.find("what the DIMMs wrote to their media was not measured: no ipmctl\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("persistent memory was not measured: no controllers\n"), std::string::npos);
}

TEST(BuildProfiler, ShowsAllLevelsOfEachStage) {
  FakeCounterSource source;
  BuildProfiler profiler(Zen4Machine(source), absl::NotFoundError("no controllers"),
                         absl::NotFoundError("no ipmctl"));
  RunThreads(profiler, PipelineStage::kIndex, 1);
  const auto profile = profiler.Profile();
  ASSERT_TRUE(profile.ok()) << profile.status();
  const std::string text = BuildProfileToText(*profile, SomeWaits());
  const std::string titles = text.substr(0, text.find('\n'));
  for (const char* title : {"IPC", "retiring", "backend", "microcode", "core", "memory"}) {
    EXPECT_NE(titles.find(title), std::string::npos) << title << ": " << titles;
  }
}

TEST(BuildProfiler, LeavesOutGroupsThatAreRefused) {
  HalfTimeSource source;
  source.refused = "branches";
  BuildProfiler profiler(Zen5Machine(source), absl::NotFoundError("none"),
                         absl::NotFoundError("none"));
  RunThreads(profiler, PipelineStage::kWrite, 2);
  const auto profile = profiler.Profile();
  ASSERT_TRUE(profile.ok());
  EXPECT_FALSE(profile->stages.at(PipelineStage::kWrite).counts.contains("branches"));
  ASSERT_EQ(profile->notes.size(), 1u);
  EXPECT_EQ(profile->notes[0], "the group 'branches' was not counted: refused on purpose");
}

// A kernel that has no perf events for this process.
class RefusingSource : public CounterSource {
 public:
  absl::StatusOr<std::unique_ptr<OpenCounters>> OpenForThread(std::span<const CounterEvent>,
                                                              int /*thread*/) override {
    return ErrnoStatus(EPERM, "counting anything");
  }
};

// Uses the CPU for so long, and touches fresh memory.
void ComputeFor(double ns) {
  const auto page = static_cast<size_t>(getpagesize());
  std::vector<char> memory(1000 * page);
  volatile char* const touched = memory.data();
  const ThreadUsage begin = UsageOfThisThread();
  for (size_t i = 0; (UsageOfThisThread() - begin).cpu_ns() < ns; ++i) {
    touched[i % 1000 * page] = static_cast<char>(i);
  }
}

TEST(BuildProfiler, HasTheAccountsOfTheKernelWherePerfEventsAreRefused) {
  RefusingSource source;
  ProfileMachine machine = Zen5Machine(source);
  machine.pmu = {PmuCause::kSeccomp, "a filter forbids it", "another filter"};
  BuildProfiler profiler(machine, absl::NotFoundError("none"), absl::NotFoundError("none"));
  RunThreads(profiler, PipelineStage::kWalk, 1);
  std::thread([&] {
    const ObservedThread observed(&profiler, PipelineStage::kIndex);
    ComputeFor(150e6);
  }).join();
  const auto profile = profiler.Profile();
  ASSERT_TRUE(profile.ok()) << profile.status();
  const auto& accounts = profile->stages.at(PipelineStage::kIndex).accounts;
  ASSERT_TRUE(accounts.has_value());
  EXPECT_GE(accounts->cpu_ns(), 150e6);
  EXPECT_LT(profile->stages.at(PipelineStage::kWalk).accounts->cpu_ns(), accounts->cpu_ns());
  JsonWriter writer;
  WriteBuildProfile(*profile, SomeWaits(), writer);
  const json document = json::parse(writer.result());
  const json& index = document["stages"]["index"];
  EXPECT_EQ(index["accounts"]["source"], "getrusage(RUSAGE_THREAD)");
  EXPECT_EQ(index["accounts"]["cpu_s"], accounts->cpu_ns() / 1e9);
  EXPECT_GT(index["accounts"]["user_s"], 0);
  EXPECT_TRUE(index["counts"].empty()) << "accounts are no events: " << index;
  ASSERT_EQ(profile->notes.size(), 2u);
  EXPECT_NE(profile->notes[0].find("the kernel's accounts"), std::string::npos);
  EXPECT_NE(profile->notes[0].find("counting anything"), std::string::npos) << profile->notes[0];
  const std::string text = BuildProfileToText(*profile, SomeWaits());
  EXPECT_NE(text.find("system s"), std::string::npos) << text;
  EXPECT_NE(text.find(absl::StrFormat(" %.2f ", accounts->cpu_ns() / 1e9)), std::string::npos)
      << text;
}

TEST(BuildProfiler, HasNoAccountsWhereEventsAreCounted) {
  HalfTimeSource source;
  BuildProfiler profiler(Zen5Machine(source), absl::NotFoundError("none"),
                         absl::NotFoundError("none"));
  RunThreads(profiler, PipelineStage::kIndex, 1);
  const auto profile = profiler.Profile();
  ASSERT_TRUE(profile.ok());
  EXPECT_FALSE(profile->stages.at(PipelineStage::kIndex).accounts.has_value());
  EXPECT_EQ(BuildProfileToText(*profile, SomeWaits()).find("system s"), std::string::npos);
  EXPECT_TRUE(profile->notes.empty());
}

TEST(BuildProfiler, SaysThatItHasNoTableForACpu) {
  HalfTimeSource source;
  ProfileMachine machine = Zen5Machine(source);
  machine.cpu.family = 0x99;
  BuildProfiler profiler(machine, absl::NotFoundError("none"), absl::NotFoundError("none"));
  RunThreads(profiler, PipelineStage::kIndex, 1);
  const auto profile = profiler.Profile();
  ASSERT_TRUE(profile.ok());
  ASSERT_EQ(profile->notes.size(), 1u);
  EXPECT_NE(profile->notes[0].find("no table for this CPU"), std::string::npos);
}

TEST(BuildProfiler, NotesGroupsThatNeverCounted) {
  HalfTimeSource source;
  source.starved = "branches";
  BuildProfiler profiler(Zen5Machine(source), absl::NotFoundError("none"),
                         absl::NotFoundError("none"));
  RunThreads(profiler, PipelineStage::kWrite, 1);
  const auto profile = profiler.Profile();
  ASSERT_TRUE(profile.ok());
  ASSERT_EQ(profile->notes.size(), 1u);
  EXPECT_EQ(profile->notes[0].find("write: the group 'branches' never counted"), 0u);
}

// A profile of a build, with these bytes.
class BuildProfileReportTest : public ::testing::Test {
 protected:
  json Media(const PipelineReport& waits) {
    JsonWriter writer;
    WriteBuildProfile(profile_, waits, writer);
    return json::parse(writer.result())["media"];
  }

  BuildProfile profile_;
};

TEST_F(BuildProfileReportTest, LeavesOutAccountsThatNobodyKeeps) {
  const auto accounts_of = [&](const char* stage) {
    JsonWriter writer;
    WriteBuildProfile(profile_, SomeWaits(), writer);
    return json::parse(writer.result())["stages"][stage]["accounts"];
  };
  profile_.stages[PipelineStage::kRead].accounts = ThreadUsage{20e6, 10e6, 0, 0, 0, 0};
  profile_.stages[PipelineStage::kIndex].accounts = ThreadUsage{1.5e9, 0.5e9, 0, 0, 0, 0};
  EXPECT_EQ(accounts_of("index"), (json{{"source", "getrusage(RUSAGE_THREAD)"},
                                        {"cpu_s", 2.0},
                                        {"user_s", 1.5},
                                        {"system_s", 0.5}}));
  EXPECT_FALSE(accounts_of("read").contains("user_s")) << "the time of three ticks";
  EXPECT_EQ(BuildProfileToText(profile_, SomeWaits()).find("vol. switches"), std::string::npos);
  profile_.stages[PipelineStage::kIndex].accounts->minor_faults = 7;
  profile_.stages[PipelineStage::kIndex].accounts->involuntary_switches = 3;
  EXPECT_EQ(accounts_of("index")["minor_faults"], 7);
  EXPECT_EQ(accounts_of("read")["minor_faults"], 0);
  EXPECT_EQ(accounts_of("read")["involuntary_switches"], 0);
  EXPECT_NE(BuildProfileToText(profile_, SomeWaits()).find("invol. switches"), std::string::npos);
}

TEST_F(BuildProfileReportTest, SetsTheBytesOfMediaAgainstThoseOfSegments) {
  profile_.dimms = DimmBytes{2, 700, 4000, 600, 3000};
  profile_.controllers = MediaBytes{500, 3000};
  const json media = Media(SomeWaits());
  EXPECT_EQ(media["dimms"], (json{{"source", "ipmctl show -performance"},
                                  {"dimms", 2},
                                  {"read_bytes", 700},
                                  {"written_bytes", 4000},
                                  {"requested_read_bytes", 600},
                                  {"requested_write_bytes", 3000},
                                  {"write_amplification", 4}}));
  EXPECT_EQ(media["memory_controllers"], (json{{"source", "uncore_imc"},
                                               {"read_bytes", 500},
                                               {"written_bytes", 3000},
                                               {"write_amplification", 3}}));
  const std::string text = BuildProfileToText(profile_, SomeWaits());
  EXPECT_NE(
      text.find("the machine's DIMMs (2, by ipmctl): 700 B read from and 3.9 KiB written to "
                "their media, 4 times the bytes of segments; asked to read 600 B and to write "
                "2.9 KiB\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("(uncore_imc), persistent memory: 500 B read, 2.9 KiB written, 3 times the "
                      "bytes of segments\n"),
            std::string::npos)
      << text;
}

TEST_F(BuildProfileReportTest, HasNoZeroForWhatWasNotMeasured) {
  profile_.dimms = absl::UnavailableError("\x1b[31mfailed");
  profile_.controllers = absl::NotFoundError("none");
  json media = Media(SomeWaits());
  EXPECT_EQ(media["dimms"].size(), 1u);
  EXPECT_EQ(media["memory_controllers"], (json{{"not_measured", "none"}}));
  EXPECT_EQ(BuildProfileToText(profile_, SomeWaits()).find('\x1b'), std::string::npos);
  profile_.dimms = DimmBytes{1, std::nullopt, 4000, 0, 0};
  profile_.controllers = MediaBytes{500, 3000};
  media = Media(PipelineReport());
  EXPECT_FALSE(media["dimms"].contains("read_bytes")) << "its counts contradict themselves";
  EXPECT_FALSE(media["dimms"].contains("write_amplification")) << "there are no segments";
  EXPECT_FALSE(media["memory_controllers"].contains("write_amplification"));
  const std::string text = BuildProfileToText(profile_, PipelineReport());
  EXPECT_EQ(text.find("times the bytes"), std::string::npos) << text;
  EXPECT_NE(text.find("by ipmctl): 3.9 KiB written to their media; asked"), std::string::npos)
      << text;
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
  for (const char* of : {"dimms", "memory_controllers"}) {
    const json& media = profile["media"][of];
    EXPECT_NE(media.contains("written_bytes"), media.contains("not_measured")) << media;
  }
  if (!profile["notes"].empty()) GTEST_SKIP() << profile["notes"].dump();
  for (const char* stage : {"walk", "read", "index", "write"}) {
    EXPECT_GT(profile["stages"][stage]["counts"]["task_clock_ns"], 0) << stage;
  }
  EXPECT_GT(profile["stages"]["index"]["counts"]["page_faults"], 0);
}

// An ipmctl that counts 1,000 lines of 64 bytes more in each call.
constexpr char kCountingIpmctl[] = R"(#!/bin/sh
echo call >>"$0.calls"
n=$(grep -c . "$0.calls")
[ "$*" = "show -performance" ] || exit 9
printf -- '---DimmID=0x0001---\n   MediaReads=0x%032x\n   MediaWrites=0x%032x\n' $((n * 3000)) $((n * 1000))
printf '   ReadRequests=0x%032x\n   WriteRequests=0x%032x\n' $((n * 2000)) $((n * 800))
)";

TEST(BuildProfiler, AsksIpmctlBeforeAndAfterABuild) {
  const TemporaryDirectory directory;
  const std::string input = directory.Write("input.txt", "some words\n");
  const auto index = [&](const std::string& name, const char* script) {
    const std::string program = directory.Write(name + "/ipmctl", script);
    EXPECT_EQ(chmod(program.c_str(), 0755), 0);
    ProgramOptions options;
    options.environment = {absl::StrCat("PATH=", directory / name, ":/usr/bin:/bin")};
    return RunProgram({PMDEX_BINARY, "index", "--index", directory / (name + ".index"), "--format",
                       "lines", "--profile", "--json", input},
                      options);
  };
  const ProgramResult counted = index("counts", kCountingIpmctl);
  ASSERT_EQ(counted.exit_status, 0) << counted.err;
  const json dimms = json::parse(counted.out)["profile"]["media"]["dimms"];
  EXPECT_EQ(dimms["dimms"], 1) << dimms;
  EXPECT_EQ(dimms["read_bytes"], 2000 * 64);
  EXPECT_EQ(dimms["written_bytes"], 1000 * 64);
  EXPECT_EQ(dimms["requested_read_bytes"], 2000 * 64);
  EXPECT_EQ(dimms["requested_write_bytes"], 800 * 64);
  EXPECT_GT(dimms["write_amplification"], 0);
  const ProgramResult failed = index("fails", "#!/bin/sh\necho no permission; exit 1\n");
  ASSERT_EQ(failed.exit_status, 0) << failed.err;
  EXPECT_EQ(json::parse(failed.out)["profile"]["media"]["dimms"],
            (json{{"not_measured", "ipmctl failed with status 1: no permission"}}));
}

}  // namespace build_profile_test
}  // namespace pmdex
