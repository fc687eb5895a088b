// Tests the probes of `pmdex doctor`. Probes that read files run on recorded trees; probes that
// call the kernel or a library run on this machine.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "pmem/cxl_devices.h"
#include "pmem/directory.h"
#include "pmem/exhaustion.h"
#include "pmem/file_descriptor.h"
#include "pmem/granularity_probe.h"
#include "pmem/huge_pages.h"
#include "pmem/numa_topology.h"
#include "pmem/place_probe.h"
#include "pmem/pmu_probe.h"
#include "pmem/sysfs.h"
#include "pmem/topology.h"

namespace pmdex {
namespace probes_test {

namespace fs = std::filesystem;

class RecordedTree : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv("PMEM2_FORCE_GRANULARITY");
    root_ = testing::TempDir() + "pmdex_tree_XXXXXX";
    ASSERT_NE(mkdtemp(root_.data()), nullptr);
  }
  void TearDown() override { fs::remove_all(root_); }

  void Record(const std::string& path, std::string_view text) {
    const fs::path file = fs::path(root_) / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  std::string root_;
};

using Sysfs = RecordedTree;
using CxlDevices = RecordedTree;
using HugePagesTest = RecordedTree;
using NumaTopology = RecordedTree;
using PlaceProbe = RecordedTree;
using GranularityProbe = RecordedTree;

TEST_F(Sysfs, ReadsNumbersInBothBases) {
  Record("a", "42\n");
  Record("b", "0x1f\n");
  Record("c", "-1\n");
  Record("d", "42 apples\n");
  Record("e", "");
  EXPECT_EQ(ReadSysInt(root_, "a"), 42);
  EXPECT_EQ(ReadSysInt(root_, "b"), 31);
  EXPECT_EQ(ReadSysInt(root_, "c"), -1);
  EXPECT_EQ(ReadSysInt(root_, "d"), std::nullopt);
  EXPECT_EQ(ReadSysInt(root_, "e"), std::nullopt);
  EXPECT_EQ(ReadSysInt(root_, "missing"), std::nullopt);
}

TEST_F(Sysfs, ReadsTheBracketedChoice) {
  Record("a", "always [madvise] never\n");
  Record("b", "plain\n");
  EXPECT_EQ(ReadSysChoice(root_, "a"), "madvise");
  EXPECT_EQ(ReadSysChoice(root_, "b"), "plain");
  EXPECT_EQ(ReadSysChoice(root_, "missing"), std::nullopt);
}

TEST_F(Sysfs, ListsNamesSortedAndNothingWhereThereIsNoDirectory) {
  Record("d/b", "");
  Record("d/a", "");
  EXPECT_THAT(ListSysNames(root_, "d"), testing::ElementsAre("a", "b"));
  EXPECT_THAT(ListSysNames(root_, "missing"), testing::IsEmpty());
}

TEST_F(CxlDevices, AreReadFromTheBus) {
  Record("sys/bus/cxl/devices/mem0/pmem/size", "0x40000000\n");
  Record("sys/bus/cxl/devices/mem0/ram/size", "0x0\n");
  Record("sys/bus/cxl/devices/mem0/numa_node", "1\n");
  Record("sys/bus/cxl/devices/mem10/ram/size", "0x10000000\n");
  Record("sys/bus/cxl/devices/mem10/numa_node", "-1\n");
  Record("sys/bus/cxl/devices/decoder0.0/size", "0x1\n");
  Record("sys/bus/cxl/devices/memory/size", "0x1\n");
  const auto devices = ReadCxlDevices(root_);
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0].name, "mem0");
  EXPECT_EQ(devices[0].persistent_bytes, 1u << 30);
  EXPECT_EQ(devices[0].numa_node, 1);
  EXPECT_EQ(devices[1].volatile_bytes, 256u << 20);
  EXPECT_EQ(devices[1].numa_node, std::nullopt);
}

TEST_F(CxlDevices, AreNoneWithoutABus) {
  EXPECT_THAT(ReadCxlDevices(root_), testing::IsEmpty());
}

TEST_F(HugePagesTest, ReadsModesAndPools) {
  const std::string pools = "sys/kernel/mm/hugepages/";
  Record("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  Record("sys/kernel/mm/transparent_hugepage/shmem_enabled", "always advise [never]\n");
  Record(pools + "hugepages-1048576kB/nr_hugepages", "0\n");
  Record(pools + "hugepages-2048kB/nr_hugepages", "10\n");
  Record(pools + "hugepages-2048kB/free_hugepages", "4\n");
  Record(pools + "other/nr_hugepages", "4\n");
  const HugePages facts = ReadHugePages(root_);
  EXPECT_EQ(facts.thp_mode, "madvise");
  EXPECT_EQ(facts.shmem_mode, "never");
  ASSERT_EQ(facts.pools.size(), 2u);
  EXPECT_EQ(facts.pools[0].page_bytes, 2u << 20);
  EXPECT_EQ(facts.pools[0].pages, 10u);
  EXPECT_EQ(facts.pools[0].free_pages, 4u);
  EXPECT_EQ(facts.pools[1].page_bytes, 1u << 30);
}

TEST_F(HugePagesTest, KnowsNothingOnAKernelWithoutThem) {
  const HugePages facts = ReadHugePages(root_);
  EXPECT_EQ(facts.thp_mode, std::nullopt);
  EXPECT_THAT(facts.pools, testing::IsEmpty());
  EXPECT_EQ(ReadMappingLimits(root_).max_maps, std::nullopt);
}

TEST_F(NumaTopology, FindsTheNodesOfAPersistentMemoryDevice) {
  const std::string space = "sys/devices/LNXSYSTM:00/ndbus0/region0/namespace0.0";
  Record(space + "/block/pmem0/size", "1\n");
  Record(space + "/target_node", "2\n");
  Record(space + "/numa_node", "0\n");
  fs::create_directories(root_ + "/sys/dev/block");
  fs::create_symlink(root_ + "/" + space + "/block/pmem0", root_ + "/sys/dev/block/259:0");
  const NumaPlace place = FindNumaPlaceOfDevice(259, 0, root_);
  EXPECT_EQ(place.memory_node, 2);
  EXPECT_EQ(place.cpu_node, 0);
}

TEST_F(NumaTopology, SaysUnknownForAnOrdinaryDisk) {
  const std::string device = "sys/devices/pci0000:00/0000:00:04.0";
  Record(device + "/numa_node", "-1\n");
  Record(device + "/virtio0/block/vda/vda1/partition", "1\n");
  fs::create_directories(root_ + "/sys/dev/block");
  fs::create_symlink(root_ + "/" + device + "/virtio0/block/vda/vda1",
                     root_ + "/sys/dev/block/254:1");
  const NumaPlace place = FindNumaPlaceOfDevice(254, 1, root_);
  EXPECT_EQ(place.memory_node, std::nullopt);
  EXPECT_EQ(place.cpu_node, std::nullopt);
  EXPECT_EQ(FindNumaPlaceOfDevice(0, 99, root_).cpu_node, std::nullopt);
}

TEST_F(NumaTopology, SaysNotFoundForAPathThatDoesNotExist) {
  EXPECT_EQ(FindNumaPlace(root_ + "/no").status().code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(FindNumaPlace(root_).ok());
}

TEST_F(NumaTopology, SeesACpuAndMemoryOnThisMachine) {
  const auto nodes = ReadNumaNodes();
  if (nodes.empty()) GTEST_SKIP() << "this kernel has no NUMA";
  size_t cpus = 0;
  uint64_t memory_bytes = 0;
  for (const NumaNode& node : nodes) {
    cpus += node.cpus.size();
    memory_bytes += node.memory_bytes;
  }
  EXPECT_GT(cpus, 0u);
  EXPECT_GT(memory_bytes, 0u);
}

TEST(CpuList, JoinsRuns) {
  EXPECT_EQ(FormatCpuList({}), "");
  EXPECT_EQ(FormatCpuList({3}), "3");
  EXPECT_EQ(FormatCpuList({0, 1, 2, 3, 8, 10, 11}), "0-3,8,10-11");
}

TEST_F(PlaceProbe, FindsTheInnermostAndLastMount) {
  Record("proc/self/mountinfo",
         "21 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\n"
         "30 21 0:30 / /mnt rw - tmpfs tmpfs rw,size=1k\n"
         "31 21 259:0 / /mnt/my\\040pmem rw,relatime shared:1 master:2 - xfs /dev/pmem0 rw,dax\n"
         "32 21 259:1 / /mnt/my\\040pmem ro - ext4 /dev/pmem1 ro\n");
  EXPECT_EQ(FindMount("/home", root_).device, "/dev/vda");
  EXPECT_EQ(FindMount("/home", root_).options, "rw,relatime,discard");
  EXPECT_EQ(FindMount("/mnt", root_).filesystem, "tmpfs");
  EXPECT_EQ(FindMount("/mnt2", root_).filesystem, "ext4");
  EXPECT_EQ(FindMount("/mnt/my pmem/x", root_).device, "/dev/pmem1");
  EXPECT_EQ(FindMount("/mnt/my pmem2", root_).filesystem, "tmpfs");
}

TEST_F(PlaceProbe, KnowsNoMountWithoutMountinfo) {
  EXPECT_EQ(FindMount("/home", root_).filesystem, "");
}

TEST(AlignedPieces, CountsPiecesThatOneAlignedExtentCovers) {
  constexpr uint64_t kMiB = 1 << 20;
  const auto aligned = [](const std::vector<Extent>& extents) {
    const AlignedPieces count = CountAlignedPieces(extents, 4 * kMiB);
    EXPECT_EQ(count.pieces, 2u);
    return count.aligned_pieces;
  };
  EXPECT_EQ(aligned({}), 0u);
  EXPECT_EQ(aligned({{0, 2 * kMiB, 4 * kMiB}}), 2u);
  EXPECT_EQ(aligned({{0, 3 * kMiB, 4 * kMiB}}), 0u) << "shifted by half a piece";
  EXPECT_EQ(aligned({{0, 2 * kMiB, kMiB}, {kMiB, 3 * kMiB, 3 * kMiB}}), 2u) << "contiguous extents";
  EXPECT_EQ(aligned({{0, 2 * kMiB, kMiB}, {kMiB, 8 * kMiB, 3 * kMiB}}), 0u) << "broken inside";
  EXPECT_EQ(aligned({{0, 2 * kMiB, 2 * kMiB}, {2 * kMiB, 9 * kMiB, 2 * kMiB}}), 1u);
  EXPECT_EQ(aligned({{2 * kMiB, 2 * kMiB, 2 * kMiB}}), 1u) << "a hole first";
  EXPECT_EQ(CountAlignedPieces({{0, 0, kMiB}}, kMiB).pieces, 0u);
}

TEST_F(PlaceProbe, AgreesWithTheDirectoryAndLeavesNothingBehind) {
  const auto facts = ProbePlace(root_);
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_EQ(facts->path, fs::canonical(root_).string());
  EXPECT_TRUE(facts->writable.ok()) << facts->writable;
  EXPECT_FALSE(facts->mount.filesystem.empty());
  EXPECT_EQ(facts->map_sync, facts->granularity != StoreGranularity::kPage);
  EXPECT_EQ(facts->granularity, (*OpenFileDirectory(root_, {}))->granularity());
  EXPECT_TRUE(fs::is_empty(root_));
  EXPECT_EQ(ProbePlace(root_ + "/no").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(PlaceProbe, SaysWhenTheGranularityIsForced) {
  setenv("PMEM2_FORCE_GRANULARITY", "BYTE", 1);
  const auto facts = ProbePlace(root_);
  unsetenv("PMEM2_FORCE_GRANULARITY");
  ASSERT_TRUE(facts.ok());
  EXPECT_TRUE(facts->granularity_forced);
  EXPECT_EQ(facts->granularity, StoreGranularity::kByte);
}

TEST_F(GranularityProbe, MapsAFileThatIsThereWhereNothingCanBeCreated) {
  Record("file", "content");
  setenv("PMEM2_FORCE_GRANULARITY", "CACHE_LINE", 1);
  // /proc/self/fdinfo refuses new files, whoever asks.
  const FileDescriptor unwritable(open("/proc/self/fdinfo", O_RDONLY | O_DIRECTORY));
  EXPECT_FALSE(OpenProbeFile(unwritable.get()).ok());
  EXPECT_EQ(*ProbeGranularity(unwritable.get()), StoreGranularity::kPage);
  const FileDescriptor writable(open(root_.c_str(), O_RDONLY | O_DIRECTORY));
  EXPECT_EQ(*ProbeGranularity(writable.get()), StoreGranularity::kCacheLine);
  unsetenv("PMEM2_FORCE_GRANULARITY");
}

// Taking the page cache for granted would be an answer: it chooses the default index, among others.
TEST_F(GranularityProbe, IsAnErrorWhereThisProcessHasNoDescriptor) {
  const FileDescriptor directory(open(root_.c_str(), O_RDONLY | O_DIRECTORY));
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none = {0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto granularity = ProbeGranularity(directory.get());
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(ExhaustedResource(granularity.status()), Resource::kDescriptors);
}

TEST(PmuProbe, SaysWhyThereAreNoCounters) {
  EXPECT_EQ(PmuStateOfErrno(ENOENT), PmuState::kAbsent);
  EXPECT_EQ(PmuStateOfErrno(EACCES), PmuState::kNotPermitted);
  EXPECT_EQ(PmuStateOfErrno(EPERM), PmuState::kNotPermitted);
  EXPECT_EQ(PmuStateOfErrno(EINVAL), PmuState::kUnsupported);
}

TEST_F(Sysfs, PmuProbeReadsTheParanoidLevelAndIsConsistent) {
  Record("proc/sys/kernel/perf_event_paranoid", "3\n");
  const PmuFacts facts = ProbePmu(root_);
  EXPECT_EQ(facts.paranoid_level, 3);
  if (facts.error != 0) {
    EXPECT_EQ(facts.state, PmuStateOfErrno(facts.error));
  } else {
    EXPECT_TRUE(facts.state == PmuState::kWorks || facts.state == PmuState::kCountsNothing);
  }
}

TEST(PmemTopology, IsReadWithoutPrivilegesAndAgreesWithTheBus) {
  const auto topology = ReadPmemTopology();
  ASSERT_TRUE(topology.ok()) << topology.status();
  size_t regions = 0;
  for (const std::string& name : ListSysNames("/", "sys/bus/nd/devices")) {
    regions += name.starts_with("region");
  }
  EXPECT_EQ(topology->regions.size(), regions);
}

}  // namespace probes_test
}  // namespace pmdex
