#include "tools/doctor.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "nlohmann/json.hpp"
#include "tools/doctor_checks.h"
#include "tools/doctor_facts.h"

namespace pmdex {
namespace doctor_test {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// The facts of a real virtual machine with an ordinary disk.
DoctorFacts PlainMachine() {
  DoctorFacts facts;
  facts.place.path = "/home/user";
  facts.place.mount = {"ext4", "/", "rw,relatime", "/dev/vda"};
  facts.place.free_bytes = uint64_t{80} << 30;
  facts.place.total_bytes = uint64_t{252} << 30;
  facts.place.extents = AlignedPieces{2, 0};
  facts.numa_nodes = {{0, uint64_t{16} << 30, uint64_t{8} << 30, {0, 1}}};
  facts.huge_pages.thp_mode = "madvise";
  facts.limits.max_maps = 65530;
  facts.limits.open_files = 1024;
  facts.simd = SimdLevel::kAvx2;
  facts.pmu = {PmuState::kAbsent, ENOENT, 2};
  return facts;
}

// A machine with two sockets, one interleaved region, and an ext4 aligned to 2 MiB on an fsdax
// namespace.
DoctorFacts PmemMachine() {
  DoctorFacts facts = PlainMachine();
  facts.place.path = "/mnt/pmem";
  facts.place.mount = {"ext4", "/mnt/pmem", "rw,relatime,stripe=512,dax=always", "/dev/pmem0"};
  facts.place.dax = true;
  facts.place.map_sync = true;
  facts.place.granularity = StoreGranularity::kCacheLine;
  facts.place.extents = AlignedPieces{2, 2};
  facts.numa_nodes.push_back({1, uint64_t{16} << 30, 0, {2, 3}});
  facts.numa_place = {2, 0};
  RegionFacts region;
  region.name = "region0";
  region.type = "pmem";
  region.persistence_domain = "memory_controller";
  region.size_bytes = uint64_t{512} << 30;
  region.target_node = 2;
  region.namespaces = {{"namespace0.0", "fsdax", "pmem0", uint64_t{504} << 30, true, 0}};
  facts.topology.regions = {region};
  facts.topology.dimms = {{"nmem0", "ok", 3, 0}};
  facts.pmu = {PmuState::kWorks, 0, 1};
  return facts;
}

DoctorCheck Find(const DoctorFacts& facts, std::string_view id) {
  for (DoctorCheck& check : DiagnoseDoctorFacts(facts)) {
    if (check.id == id) return check;
  }
  ADD_FAILURE() << "no check " << id;
  return {};
}

std::string Summary(const DoctorFacts& facts) {
  return DoctorSummary(facts, DiagnoseDoctorFacts(facts));
}

class DoctorTest : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv("PMEM2_FORCE_GRANULARITY");
    path_ = testing::TempDir() + "pmdex_doctor_XXXXXX";
    ASSERT_NE(mkdtemp(path_.data()), nullptr);
  }
  void TearDown() override { std::filesystem::remove_all(path_); }

  std::string path_;
};

TEST(DoctorChecks, GiveEveryCheckAnIdAValueAndAMeaning) {
  for (const DoctorFacts& facts : {PlainMachine(), PmemMachine(), DoctorFacts()}) {
    std::set<std::string> ids;
    for (const DoctorCheck& check : DiagnoseDoctorFacts(facts)) {
      EXPECT_TRUE(ids.insert(check.id).second) << check.id;
      EXPECT_THAT(check.value, Not(IsEmpty())) << check.id;
      EXPECT_THAT(check.meaning, testing::EndsWith(".")) << check.id;
      EXPECT_THAT(check.fix, Not(HasSubstr("\n"))) << check.id;
    }
    EXPECT_GE(ids.size(), 15u);
  }
}

TEST(DoctorChecks, SayPlainlyThatThereIsNoPersistentMemory) {
  const DoctorFacts facts = PlainMachine();
  EXPECT_THAT(Summary(facts), testing::StartsWith("No persistent memory here: "));
  EXPECT_THAT(Summary(facts), HasSubstr("any directory"));
  EXPECT_THAT(Summary(facts), Not(HasSubstr("warning")));
  for (const char* id : {"dax", "map_sync", "regions", "namespaces", "health", "bad_blocks"}) {
    EXPECT_EQ(Find(facts, id).state, CheckState::kAbsent) << id;
    EXPECT_EQ(Find(facts, id).fix, "") << id;
  }
  EXPECT_EQ(Find(facts, "huge_mapping").state, CheckState::kInfo)
      << "alignment matters on DAX only";
}

TEST(DoctorChecks, SayThatTmpfsDoesNotSurviveAReboot) {
  DoctorFacts facts = PlainMachine();
  facts.place.mount.filesystem = "tmpfs";
  EXPECT_THAT(Find(facts, "filesystem").meaning, HasSubstr("not a reboot"));
  EXPECT_THAT(Summary(facts), HasSubstr("gone after a reboot"));
}

TEST(DoctorChecks, FindNothingToMendOnAGoodDaxMount) {
  const DoctorFacts facts = PmemMachine();
  EXPECT_THAT(Summary(facts), HasSubstr("/mnt/pmem is on persistent memory"));
  EXPECT_THAT(Summary(facts), HasSubstr("CACHE_LINE"));
  EXPECT_THAT(Summary(facts), Not(HasSubstr("warning")));
  for (const char* id : {"dax", "map_sync", "granularity", "huge_mapping", "regions", "namespaces",
                         "health", "bad_blocks", "pmu"}) {
    EXPECT_EQ(Find(facts, id).state, CheckState::kOk) << id;
  }
  EXPECT_THAT(Find(facts, "namespaces").value, HasSubstr("504 GiB /dev/pmem0"));
  EXPECT_THAT(Find(facts, "numa").value, HasSubstr("PATH is on node 2"));
  EXPECT_THAT(Find(facts, "numa").fix, HasSubstr("--cpunodebind=0"));
}

TEST(DoctorChecks, NameTheMkfsThatAlignsExtents) {
  DoctorFacts facts = PmemMachine();
  facts.place.extents = AlignedPieces{2, 0};
  EXPECT_EQ(Find(facts, "huge_mapping").state, CheckState::kWarn);
  EXPECT_EQ(Find(facts, "huge_mapping").fix,
            "mkfs.ext4 -b 4096 -E stride=512,stripe_width=512 /dev/pmem0");
  EXPECT_THAT(Find(facts, "huge_mapping").meaning, HasSubstr("erases"));
  facts.place.mount.filesystem = "xfs";
  EXPECT_EQ(Find(facts, "huge_mapping").fix, "mkfs.xfs -f -d su=2m,sw=1 /dev/pmem0");
  EXPECT_THAT(Summary(facts), HasSubstr("1 warning."));
}

TEST(DoctorChecks, AreNotFooledByAProbeFileThatIsAlignedByChance) {
  // An ext4 or xfs created without alignment aligns the first file of 4 MiB, but not the next one.
  DoctorFacts facts = PmemMachine();
  for (const char* options : {"rw,dax=always", "rw,stripe=32,dax=always", "rw,stripe=x"}) {
    facts.place.mount.options = options;
    EXPECT_EQ(Find(facts, "huge_mapping").state, CheckState::kWarn) << options;
    EXPECT_THAT(Find(facts, "huge_mapping").value, HasSubstr("ext4 does not align")) << options;
    EXPECT_THAT(Find(facts, "huge_mapping").fix, HasSubstr("stride=512")) << options;
  }
  facts.place.mount.options = "rw,stripe=1024,dax=always";
  EXPECT_EQ(Find(facts, "huge_mapping").state, CheckState::kOk);
  facts.place.mount.filesystem = "xfs";
  facts.place.mount.options = "rw,dax=always,sunit=8,swidth=8";
  EXPECT_EQ(Find(facts, "huge_mapping").state, CheckState::kWarn);
  facts.place.mount.options = "rw,dax=always,sunit=4096,swidth=4096";
  EXPECT_EQ(Find(facts, "huge_mapping").state, CheckState::kOk);
}

TEST(DoctorChecks, SayWhenThePersistentMemoryIsANodeOfItsOwn) {
  DoctorFacts facts = PmemMachine();
  facts.numa_nodes.pop_back();
  facts.numa_place = {1, 0};
  EXPECT_THAT(Find(facts, "numa").value, HasSubstr("PATH is on node 1"));
  EXPECT_THAT(Find(facts, "numa").meaning, HasSubstr("a node of its own"));
  facts.numa_place = {0, 0};
  EXPECT_THAT(Find(facts, "numa").meaning, HasSubstr("equally near"));
  facts.numa_place = {};
  EXPECT_THAT(Find(facts, "numa").meaning, HasSubstr("equally near"));
}

TEST(DoctorChecks, NameTheMountThatTurnsDaxOn) {
  DoctorFacts facts = PmemMachine();
  facts.place.dax = false;
  facts.place.map_sync = false;
  facts.place.granularity = StoreGranularity::kPage;
  EXPECT_EQ(Find(facts, "dax").state, CheckState::kWarn);
  EXPECT_EQ(Find(facts, "dax").fix, "umount /mnt/pmem && mount -o dax=always /dev/pmem0 /mnt/pmem");
  EXPECT_THAT(Summary(facts), HasSubstr("has persistent memory, but /mnt/pmem is not on a DAX"));
}

TEST(DoctorChecks, TellDaxWithoutMapSyncFromTheRealThing) {
  DoctorFacts facts = PmemMachine();
  facts.place.map_sync = false;
  facts.place.granularity = StoreGranularity::kPage;
  EXPECT_EQ(Find(facts, "map_sync").state, CheckState::kWarn);
  EXPECT_THAT(Find(facts, "map_sync").meaning, HasSubstr("virtio-pmem"));
  EXPECT_THAT(Summary(facts), HasSubstr("without MAP_SYNC"));
}

TEST(DoctorChecks, WarnWhenTheEnvironmentForcesTheGranularity) {
  DoctorFacts facts = PlainMachine();
  facts.place.granularity = StoreGranularity::kByte;
  facts.place.granularity_forced = true;
  EXPECT_EQ(Find(facts, "granularity").state, CheckState::kWarn);
  EXPECT_EQ(Find(facts, "granularity").fix, "unset PMEM2_FORCE_GRANULARITY");
}

TEST_F(DoctorTest, SaysThatNothingCanBeBuiltOnDaxWithoutLibpmem2) {
  DoctorFacts facts = PmemMachine();
  EXPECT_EQ(Find(facts, "granularity").state, CheckState::kOk);
  facts.place.libpmem2 = absl::UnimplementedError("no such file");
  EXPECT_EQ(Find(facts, "granularity").state, CheckState::kWarn);
  EXPECT_EQ(Find(facts, "granularity").fix, "apt-get install libpmem2-1");
}

TEST(DoctorChecks, NameTheNamespaceThatIsMissing) {
  DoctorFacts facts = PmemMachine();
  facts.topology.regions[0].namespaces.clear();
  facts.topology.regions[0].available_bytes = uint64_t{512} << 30;
  EXPECT_EQ(Find(facts, "regions").fix, "ndctl create-namespace --mode=fsdax --region=region0");
  EXPECT_EQ(Find(facts, "namespaces").state, CheckState::kAbsent);
}

TEST(DoctorChecks, SayThatOtherNamespaceModesHoldNoFiles) {
  DoctorFacts facts = PmemMachine();
  facts.topology.regions[0].namespaces[0].mode = "devdax";
  facts.topology.dax_devices = {{"dax0.0", "system-ram", uint64_t{1} << 30, 3}};
  EXPECT_EQ(Find(facts, "namespaces").state, CheckState::kInfo);
  EXPECT_THAT(Find(facts, "namespaces").value, HasSubstr("dax0.0 system-ram 1 GiB node 3"));
}

TEST(DoctorChecks, WarnOfSickModulesAndBadBlocks) {
  DoctorFacts facts = PmemMachine();
  facts.topology.dimms = {{"nmem0", "fatal", 99, 2}, {"nmem1", "unknown", {}, {}}};
  facts.topology.regions[0].bad_bytes = 4096;
  facts.topology.regions[0].namespaces[0].bad_bytes = 4096;
  EXPECT_EQ(Find(facts, "health").state, CheckState::kWarn);
  EXPECT_THAT(Find(facts, "health").value, HasSubstr("nmem0 fatal, 99 % worn, dirty shutdowns: 2"));
  EXPECT_EQ(Find(facts, "bad_blocks").value, "4 KiB unreadable");
  EXPECT_THAT(Summary(facts), HasSubstr("2 warnings."));
}

TEST(DoctorChecks, SayWhatReadsTheInventoryWhereItIsMissing) {
  DoctorFacts facts = PlainMachine();
  facts.topology_status =
      MakeStatus(absl::StatusCode::kUnimplemented, "load libndctl.so.6: no such file");
  EXPECT_EQ(Find(facts, "regions").state, CheckState::kWarn);
  EXPECT_THAT(Find(facts, "regions").meaning, HasSubstr("load libndctl.so.6: no such file"));
  EXPECT_EQ(Find(facts, "regions").fix, "apt-get install libndctl6 libdaxctl1");
}

TEST(DoctorChecks, TellPersistentFromVolatileCxlMemory) {
  DoctorFacts facts = PlainMachine();
  facts.cxl_devices = {{"mem0", 0, uint64_t{64} << 30, 1}};
  EXPECT_EQ(Find(facts, "cxl").state, CheckState::kInfo);
  EXPECT_THAT(Find(facts, "cxl").meaning, HasSubstr("more RAM"));
  facts.cxl_devices[0].persistent_bytes = uint64_t{64} << 30;
  EXPECT_THAT(Find(facts, "cxl").fix, HasSubstr("cxl create-region"));
  facts.topology = PmemMachine().topology;
  EXPECT_EQ(Find(facts, "cxl").state, CheckState::kOk);
}

TEST(DoctorChecks, TellTheFourWaysAPmuCanBeMissing) {
  DoctorFacts facts = PlainMachine();
  EXPECT_EQ(Find(facts, "pmu").state, CheckState::kAbsent);
  facts.pmu = {PmuState::kNotPermitted, EACCES, 4};
  EXPECT_EQ(Find(facts, "pmu").fix, "sysctl -w kernel.perf_event_paranoid=2");
  facts.pmu = {PmuState::kNotPermitted, EPERM, 1};
  EXPECT_THAT(Find(facts, "pmu").meaning, HasSubstr("sandbox"));
  EXPECT_EQ(Find(facts, "pmu").fix, "");
  facts.pmu = {PmuState::kCountsNothing, 0, 1};
  EXPECT_THAT(Find(facts, "pmu").meaning, HasSubstr("broken"));
  facts.pmu = {PmuState::kUnsupported, EINVAL, 1};
  EXPECT_THAT(Find(facts, "pmu").value, HasSubstr("Invalid argument"));
}

TEST(DoctorChecks, NameTheCommandThatRaisesALimit) {
  DoctorFacts facts = PlainMachine();
  facts.limits.max_maps = 100;
  facts.limits.open_files = 64;
  facts.limits.file_bytes = 1 << 20;
  facts.huge_pages.thp_mode = "never";
  EXPECT_THAT(Find(facts, "max_map_count").fix, HasSubstr("vm.max_map_count"));
  EXPECT_THAT(Find(facts, "open_files").fix, HasSubstr("ulimit -n"));
  EXPECT_THAT(Find(facts, "file_size").fix, HasSubstr("ulimit -f"));
  EXPECT_THAT(Find(facts, "huge_pages").fix, HasSubstr("transparent_hugepage"));
}

TEST(DoctorChecks, SayWhyNothingCanBeCreated) {
  DoctorFacts facts = PlainMachine();
  facts.place.writable = ErrnoStatus(EROFS, "create a probe file");
  facts.place.mount.options = "ro,relatime";
  EXPECT_THAT(Find(facts, "filesystem").meaning, HasSubstr("Read-only file system"));
  EXPECT_EQ(Find(facts, "filesystem").fix, "mount -o remount,rw /");
}

TEST(DoctorChecks, FormatByteCountsForReading) {
  EXPECT_EQ(FormatByteCount(0), "0 B");
  EXPECT_EQ(FormatByteCount(1023), "1023 B");
  EXPECT_EQ(FormatByteCount(1024), "1 KiB");
  EXPECT_EQ(FormatByteCount(1536), "1.5 KiB");
  EXPECT_EQ(FormatByteCount(uint64_t{3} << 40), "3 TiB");
  EXPECT_EQ(FormatByteCount(UINT64_MAX), "16 EiB");
}

TEST(DoctorText, KeepsLinesShortAndSaysARepeatedMeaningOnce) {
  const std::string text = RenderDoctorText(PlainMachine());
  EXPECT_THAT(text, testing::StartsWith("pmdex doctor: /home/user\n\n"));
  EXPECT_THAT(text, testing::EndsWith(Summary(PlainMachine()) + "\n"));
  const std::string once = "pmdex needs none";
  ASSERT_NE(text.find(once), text.npos);
  EXPECT_EQ(text.find(once), text.rfind(once));
  std::istringstream lines(text.substr(0, text.rfind("\n\n")));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

TEST(DoctorText, ShowsTheFix) {
  DoctorFacts facts = PmemMachine();
  facts.place.extents = AlignedPieces{2, 1};
  EXPECT_THAT(RenderDoctorText(facts), HasSubstr("fix: mkfs.ext4 -b 4096"));
}

TEST(DoctorJson, HoldsFactsInventoryAndChecks) {
  const auto json = nlohmann::json::parse(RenderDoctorJson(PmemMachine()));
  EXPECT_EQ(json["path"], "/mnt/pmem");
  EXPECT_EQ(json["dax"], true);
  EXPECT_EQ(json["map_sync"], true);
  EXPECT_EQ(json["granularity"], "CACHE_LINE");
  EXPECT_EQ(json["filesystem"], "ext4");
  EXPECT_EQ(json["numa_nodes"], 2);
  EXPECT_EQ(json["numa_node"], 2);
  EXPECT_EQ(json["simd"], "avx2");
  EXPECT_EQ(json["pmu"], true);
  EXPECT_EQ(json["persistent_memory"], true);
  EXPECT_EQ(json["regions"][0]["namespaces"][0]["mode"], "fsdax");
  EXPECT_EQ(json["regions"][0]["numa_node"], nullptr);
  EXPECT_EQ(json["checks"].size(), DiagnoseDoctorFacts(PmemMachine()).size());
  EXPECT_EQ(json["checks"][0]["id"], "filesystem");
  EXPECT_EQ(json["checks"][0]["state"], "ok");
}

TEST_F(DoctorTest, SucceedsOnThisMachineInBothForms) {
  const auto text = RunDoctor({path_, false});
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr(path_));
  const auto json_text = RunDoctor({path_, true});
  ASSERT_TRUE(json_text.ok()) << json_text.status();
  EXPECT_EQ(json_text->find('\n'), json_text->size() - 1) << "one document on one line";
  const auto json = nlohmann::json::parse(*json_text);
  EXPECT_EQ(json["path"], path_);
  EXPECT_GT(json["free_bytes"].get<uint64_t>(), 0u);
  EXPECT_TRUE(std::filesystem::is_empty(path_)) << "the probe file stayed";
}

TEST_F(DoctorTest, SaysNotFoundForAPathThatDoesNotExist) {
  const auto result = RunDoctor({path_ + "/no", false});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(Message(result.status())), HasSubstr(path_ + "/no"));
}

TEST_F(DoctorTest, TakesAFileForItsDirectory) {
  std::ofstream(path_ + "/file") << "x";
  const auto facts = GatherDoctorFacts(path_ + "/file");
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_EQ(facts->place.path, path_);
}

TEST_F(DoctorTest, ReadsMountHugePagesLimitsAndCxlFromARecordedTree) {
  namespace fs = std::filesystem;
  const auto record = [this](const std::string& name, std::string_view text) {
    const fs::path file = fs::path(path_) / "root" / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  };
  record("proc/self/mountinfo",
         "21 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"
         "40 21 259:0 / " +
             path_ + " rw,relatime shared:7 - xfs /dev/pmem0 rw,dax=always");
  record("proc/sys/vm/max_map_count", "1000");
  record("proc/sys/kernel/perf_event_paranoid", "4");
  record("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]");
  record("sys/bus/cxl/devices/mem0/pmem/size", "0x20000000");
  record("sys/bus/cxl/devices/mem0/ram/size", "0x0");
  const auto facts = GatherDoctorFacts(path_, path_ + "/root");
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_EQ(facts->place.mount.filesystem, "xfs");
  EXPECT_EQ(facts->place.mount.device, "/dev/pmem0");
  EXPECT_EQ(facts->place.mount.options, "rw,relatime,dax=always");
  EXPECT_EQ(facts->limits.max_maps, 1000u);
  EXPECT_EQ(facts->pmu.paranoid_level, 4);
  EXPECT_EQ(facts->huge_pages.thp_mode, "never");
  ASSERT_EQ(facts->cxl_devices.size(), 1u);
  EXPECT_EQ(facts->cxl_devices[0].persistent_bytes, 512u << 20);
  // The sysfs tree describes persistent memory, but the probe file decides, and it is on the medium
  // of the test.
  EXPECT_EQ(Find(*facts, "dax").state, facts->place.dax ? CheckState::kOk : CheckState::kWarn);
}

}  // namespace doctor_test
}  // namespace pmdex
