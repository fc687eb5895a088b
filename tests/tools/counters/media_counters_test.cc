#include "tools/counters/media_counters.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <cerrno>
#include <map>

#include "tests/support/run_program.h"

namespace pmdex {
namespace media_counters_test {

void WriteController(const TemporaryDirectory& root, const std::string& name, const char* type,
                     const char* cpus) {
  const std::string folder = "sys/bus/event_source/devices/" + name + "/";
  root.Write(folder + "type", type);
  root.Write(folder + "cpumask", cpus);
}

// Counters as files that hold their count: the number of the controller, times ten for writes.
class FakeControllers {
 public:
  OpenEvent Opener() {
    return [this](perf_event_attr* attributes, int thread, int cpu, int, unsigned) {
      EXPECT_EQ(thread, -1);
      EXPECT_EQ(attributes->exclude_kernel, 0u) << "controllers cannot tell who asks";
      ++opened[{attributes->type, cpu}];
      const uint64_t count[3] = {
          has_dimms ? attributes->type * (attributes->config == 0xe7 ? 10u : 1u) : 0, 1000,
          running_ns};
      EXPECT_EQ(attributes->read_format,
                PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING);
      const std::string path =
          files_.Write(std::to_string(++files_made_),
                       std::string(reinterpret_cast<const char*>(count), sizeof(count)));
      return open(path.c_str(), O_RDONLY | O_CLOEXEC);
    };
  }
  std::map<std::pair<uint32_t, int>, int> opened;  // by type and CPU
  bool has_dimms = true;
  uint64_t running_ns = 1000;  // of 1,000

 private:
  TemporaryDirectory files_;
  int files_made_ = 0;
};

TEST(MediaCounters, AddUpAllControllersOfAllSockets) {
  const TemporaryDirectory root;
  WriteController(root, "uncore_imc_0", "21\n", "0,28\n");
  WriteController(root, "uncore_imc_1", "22\n", "0-1\n");
  WriteController(root, "uncore_cha_0", "30\n", "0\n");
  FakeControllers fake;
  const auto counters = MediaCounters::Open(CascadeLakeTable(), root.path() + "/", fake.Opener());
  ASSERT_TRUE(counters.ok()) << counters.status();
  const std::map<std::pair<uint32_t, int>, int> expected = {
      {{21, 0}, 2}, {{21, 28}, 2}, {{22, 0}, 2}, {{22, 1}, 2}};
  EXPECT_EQ(fake.opened, expected);
  const auto bytes = (*counters)->Read();
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(bytes->read, 64u * 2 * (21 + 22));
  EXPECT_EQ(bytes->written, 64u * 2 * (21 + 22) * 10);
}

TEST(MediaCounters, GiveNoZeroWhereThereIsNoDimm) {
  const TemporaryDirectory root;
  WriteController(root, "uncore_imc_0", "21\n", "0\n");
  FakeControllers fake;
  fake.has_dimms = false;
  const auto counters = MediaCounters::Open(IceLakeTable(), root.path() + "/", fake.Opener());
  ASSERT_TRUE(counters.ok()) << counters.status();
  const auto bytes = (*counters)->Read();
  EXPECT_TRUE(absl::IsNotFound(bytes.status()));
  EXPECT_NE(bytes.status().message().find("no persistent-memory DIMM was counted"),
            absl::string_view::npos);
}

TEST(MediaCounters, DiscardWhatWasCountedAPartOfTheTime) {
  const TemporaryDirectory root;
  WriteController(root, "uncore_imc_0", "21\n", "0\n");
  FakeControllers fake;
  fake.running_ns = 500;
  const auto counters = MediaCounters::Open(IceLakeTable(), root.path() + "/", fake.Opener());
  ASSERT_TRUE(counters.ok()) << counters.status();
  EXPECT_TRUE(absl::IsUnavailable((*counters)->Read().status()));
}

TEST(MediaCounters, SayWhyTheyCannotCount) {
  const TemporaryDirectory root;
  const std::string path = root.path() + "/";
  EXPECT_TRUE(absl::IsUnimplemented(MediaCounters::Open(Zen4Table(), path).status()));
  EXPECT_TRUE(absl::IsUnimplemented(MediaCounters::Open(SkylakeTable(), path).status()));
  EXPECT_TRUE(absl::IsNotFound(MediaCounters::Open(IceLakeTable(), path).status()));
  WriteController(root, "uncore_imc_0", "21\n", "0\n");
  const auto refused =
      MediaCounters::Open(IceLakeTable(), path, [](perf_event_attr*, int, int, int, unsigned) {
        errno = EACCES;
        return -1;
      });
  EXPECT_NE(refused.status().message().find("uncore_imc_0"), absl::string_view::npos);
  EXPECT_NE(refused.status().message().find("Permission denied"), absl::string_view::npos);
}

TEST(MediaCounters, PassOverControllersThatSayNothingOfThemselves) {
  const TemporaryDirectory root;
  WriteController(root, "uncore_imc_0", "\n", "0\n");
  WriteController(root, "uncore_imc_1", "21\n", "\n");
  EXPECT_TRUE(absl::IsNotFound(MediaCounters::Open(IceLakeTable(), root.path() + "/").status()));
}

}  // namespace media_counters_test
}  // namespace pmdex
