// The encodings of the tables against those of libpfm4, where it is installed and right: 4.13 is
// wrong about slots and cycles of Ice Lake and Sapphire Rapids, and does not know Zen 5.
#include <dlfcn.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"

#include "tools/counters/event_table.h"

namespace pmdex {
namespace libpfm_test {

// The part of libpfm4 that the test calls, as pfmlib.h declares it.
class Pfm {
 public:
  explicit Pfm(const char* pmu) : library_(dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) return;
    setenv("LIBPFM_FORCE_PMU", pmu, 1);
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    initialize_ = reinterpret_cast<int (*)()>(dlsym(library_, "pfm_initialize"));
    terminate_ = reinterpret_cast<void (*)()>(dlsym(library_, "pfm_terminate"));
    encode_os_ = reinterpret_cast<int (*)(const char*, int, int, void*)>(
        dlsym(library_, "pfm_get_os_event_encoding"));
    is_open_ = initialize_() == 0;
  }
  ~Pfm() {
    if (is_open_) terminate_();
    unsetenv("LIBPFM_FORCE_PMU");
    unsetenv("LIBPFM_ENCODE_INACTIVE");
  }
  Pfm(const Pfm&) = delete;
  Pfm& operator=(const Pfm&) = delete;

  bool is_open() const { return is_open_; }

  // config of perf_event_attr; 0: the library does not know the event.
  uint64_t Config(const char* name) const {
    perf_event_attr attributes;
    std::memset(&attributes, 0, sizeof(attributes));
    attributes.size = sizeof(attributes);
    struct {
      perf_event_attr* attributes;
      char** fstr;
      size_t size;
      int idx;
      int cpu;
      int flags;
      int pad0;
    } argument = {&attributes, nullptr, sizeof(argument), 0, 0, 0, 0};
    constexpr int kUser = 8;       // PFM_PLM3
    constexpr int kPerfEvent = 1;  // PFM_OS_PERF_EVENT
    return encode_os_(name, kUser, kPerfEvent, &argument) == 0 ? attributes.config : 0;
  }

 private:
  void* library_;
  bool is_open_ = false;
  int (*initialize_)() = nullptr;
  void (*terminate_)() = nullptr;
  int (*encode_os_)(const char*, int, int, void*) = nullptr;
};

// "IDQ_UOPS_NOT_DELIVERED:CORE" for IDQ_UOPS_NOT_DELIVERED.CORE, "...:A_B" for "....A.B", and
// "...:c=4" for "..., cmask 4".
std::string IntelPfmName(std::string_view source) {
  std::string name = absl::StrReplaceAll(std::string(source), {{", cmask ", ":c="}});
  const size_t point = name.find('.');
  std::replace(name.begin(), name.end(), '.', '_');
  if (point != std::string::npos) name[point] = ':';
  return name;
}

// 4.13 leaves out the code of the event 0xa4 and its like.
bool IsWrongInLibpfm(std::string_view source) {
  static const std::set<std::string_view> wrong = {
      "CPU_CLK_UNHALTED.THREAD", "TOPDOWN.BACKEND_BOUND_SLOTS", "TOPDOWN.BR_MISPREDICT_SLOTS",
      "TOPDOWN.MEMORY_BOUND_SLOTS"};
  return wrong.contains(source);
}

// Compares every event that both know; at least so many.
void CompareIntel(const char* pmu, const EventTable& table, int least) {
  const Pfm pfm(pmu);
  if (!pfm.is_open()) GTEST_SKIP() << "libpfm4 is not installed";
  int compared = 0;
  for (const CounterEvent& event : table.events) {
    const std::string name = std::string(pmu) + "::" + IntelPfmName(event.source);
    const uint64_t config = pfm.Config(name.c_str());
    if (config == 0 || IsWrongInLibpfm(event.source)) continue;
    EXPECT_EQ(event.config, config) << name;
    ++compared;
  }
  EXPECT_GE(compared, least) << pmu;
}

TEST(Libpfm, AgreesAboutSkylake) {
  CompareIntel("skx", SkylakeTable(), 31);
}

TEST(Libpfm, AgreesAboutCascadeLake) {
  CompareIntel("clx", CascadeLakeTable(), 33);
}

TEST(Libpfm, AgreesAboutIceLake) {
  CompareIntel("icx", IceLakeTable(), 40);
}

TEST(Libpfm, AgreesAboutSapphireRapids) {
  CompareIntel("spr", SapphireRapidsTable(), 28);
}

TEST(Libpfm, AgreesAboutZen4) {
  const Pfm pfm("amd64_fam19h_zen4");
  if (!pfm.is_open()) GTEST_SKIP() << "libpfm4 is not installed";
  const std::map<const char*, const char*> names = {
      {"cycles", "CYCLES_NOT_IN_HALT"},
      {"instructions", "RETIRED_INSTRUCTIONS"},
      {"branches", "RETIRED_BRANCH_INSTRUCTIONS"},
      {"branch_misses", "RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED"},
      {"retired_ops", "RETIRED_OPS"},
      {"no_ops", "DISPATCH_STALLS_1:FE_NO_OPS"},
      {"idle_dispatch", "DISPATCH_STALLS_1:FE_NO_OPS:c=6"},
      {"backend_stalls", "DISPATCH_STALLS_1:BE_STALLS"},
      {"smt_contention", "DISPATCH_STALLS_1:SMT_CONTENTION"},
      {"load_not_complete", "CYCLES_NO_RETIRE:NOT_COMPLETE_MISSING_LOAD"},
      {"not_complete", "CYCLES_NO_RETIRE:NOT_COMPLETE_LOAD_AND_ALU"},
      {"fill_l2", "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:LCL_L2"},
      {"fill_ccx", "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:LOCAL_CCX"},
      {"fill_near_cache", "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:NEAR_CACHE_NEAR_FAR"},
      {"fill_near_dram", "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:DRAM_IO_NEAR"},
      {"fill_far_dram", "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:DRAM_IO_FAR"},
      {"fill_extension", "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:ALT_MEM_NEAR_FAR"},
      {"microcode_ops", "RETIRED_UCODE_OPS"},
      {"outstanding_misses", "ALLOC_MAB_COUNT"}};
  for (const auto& [ours, theirs] : names) {
    ASSERT_NE(Zen4Table().FindEvent(ours), nullptr) << ours;
    EXPECT_EQ(Zen4Table().FindEvent(ours)->config,
              pfm.Config((std::string("amd64_fam19h_zen4::") + theirs).c_str()))
        << theirs;
  }
}

}  // namespace libpfm_test
}  // namespace pmdex
