#include "tools/profile/simulated_run.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

#include "tools/child_process.h"
#include "tools/output.h"
#include "tools/profile/address_names.h"
#include "tools/profile/callgrind_file.h"
#include "tools/profile/phase_counts.h"
#include "tools/profile/query_metrics.h"
#include "tools/report/report_files.h"

namespace pmdex {
namespace {

constexpr uint64_t kLineBytes = 64;
constexpr std::chrono::seconds kLongestSimulation{3600};

// Requests to callgrind, as valgrind's manual and callgrind.h have them.
constexpr uint64_t kCallgrindBase = uint64_t{'C'} << 24 | uint64_t{'T'} << 16;
constexpr uint64_t kDumpStatsAt = kCallgrindBase + 3;
constexpr uint64_t kStartInstrumentation = kCallgrindBase + 4;
constexpr uint64_t kStopInstrumentation = kCallgrindBase + 5;

// Valgrind recognises these instructions, which do nothing on a CPU.
void Request(uint64_t request, uint64_t argument) {
  volatile uint64_t words[6] = {request, argument, 0, 0, 0, 0};
  uint64_t result = 0;
  asm volatile(
      "rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
      : "=d"(result)
      : "a"(&words[0]), "0"(result)
      : "cc", "memory");
}

// With the next smaller power of two of sets.
CacheSize ForSimulator(uint64_t bytes, uint64_t ways) {
  const uint64_t sets = std::bit_floor(std::max<uint64_t>(bytes / (ways * kLineBytes), 1));
  CacheSize cache;
  cache.bytes = sets * ways * kLineBytes;
  cache.ways = ways;
  cache.is_changed = cache.bytes != bytes;
  return cache;
}

CacheSize AssumedCache(uint64_t bytes, uint64_t ways) {
  CacheSize cache = ForSimulator(bytes, ways);
  cache.is_assumed = true;
  return cache;
}

std::string CacheSizeInWords(const char* name, const CacheSize& cache) {
  return absl::StrCat(name, " ", CacheFlag(cache),
                      cache.is_assumed   ? ", assumed: neither /sys nor CPUID tells it"
                      : cache.is_changed ? ", smaller than the CPU's"
                                         : "");
}

std::string TextOfFile(const std::string& path) {
  auto text = ReadReportFile(path, 4096);
  if (!text.ok()) return "";
  text->erase(text->find_last_not_of(" \n") + 1);
  return *text;
}

// "32K", "1M".
uint64_t BytesOf(const std::string& size) {
  uint64_t bytes = std::strtoull(size.c_str(), nullptr, 10);
  if (size.ends_with('K')) bytes <<= 10;
  if (size.ends_with('M')) bytes <<= 20;
  return bytes;
}

// What /sys has, in the order of its folders.
std::vector<CpuCache> CachesOfKernel(std::string_view root) {
  std::vector<CpuCache> caches;
  for (int i = 0; i < 8; ++i) {
    const std::string folder =
        absl::StrCat(std::string(root), "sys/devices/system/cpu/cpu0/cache/index", i, "/");
    const std::string type = TextOfFile(folder + "type");
    CpuCache cache;
    cache.level = static_cast<uint32_t>(BytesOf(TextOfFile(folder + "level")));
    cache.has_data = type != "Instruction";
    cache.has_instructions = type != "Data";
    cache.bytes = BytesOf(TextOfFile(folder + "size"));
    cache.ways = BytesOf(TextOfFile(folder + "ways_of_associativity"));
    caches.push_back(cache);
  }
  return caches;
}

// The first and the last level of these caches take the place of what is assumed.
void TakeCaches(const std::vector<CpuCache>& found, CacheSizes& caches) {
  const bool knows_last_level = !caches.ll.is_assumed;
  uint32_t last_level = 1;
  for (const CpuCache& one : found) {
    if (one.bytes == 0 || one.ways == 0) continue;
    const CacheSize cache = ForSimulator(one.bytes, one.ways);
    if (one.level == 1 && one.has_data && caches.d1.is_assumed) caches.d1 = cache;
    if (one.level == 1 && one.has_instructions && caches.i1.is_assumed) caches.i1 = cache;
    if (one.level > last_level && !knows_last_level) {
      last_level = one.level;
      caches.ll = cache;
    }
  }
}

std::string TemporaryFolder() {
  const char* const base = std::getenv("TMPDIR");
  std::string path = absl::StrCat(base == nullptr ? "/tmp" : base, "/pmdex-profile-XXXXXX");
  return mkdtemp(path.data()) == nullptr ? "" : path;
}

absl::StatusOr<CallgrindFile> RunCallgrind(const std::string& program, const std::string& index,
                                           const std::string& queries_file, bool exhaustive,
                                           const std::string& simd, const std::string& folder,
                                           std::string& kernels) {
  const CacheSizes caches = FindCacheSizes();
  std::vector<std::string> arguments = {
      "valgrind",
      "--tool=callgrind",
      "--quiet",
      "--cache-sim=yes",
      "--instr-atstart=no",
      "--dump-line=no",
      "--combine-dumps=yes",
      absl::StrCat("--I1=", CacheFlag(caches.i1)),
      absl::StrCat("--D1=", CacheFlag(caches.d1)),
      absl::StrCat("--LL=", CacheFlag(caches.ll)),
      absl::StrCat("--callgrind-out-file=", folder, "/callgrind.out"),
      program,
      "profile",
      "--simulated-child",
      "--index",
      index,
      "--queries",
      queries_file,
      "--modes",
      exhaustive ? "exhaustive" : "pruned",
      "--simd",
      simd};
  ChildOptions options;
  options.time_limit = kLongestSimulation;
  const auto run = RunChild(arguments, options);
  if (absl::IsNotFound(run.status())) {
    return MakeStatus(absl::StatusCode::kNotFound,
                      "valgrind is not installed (hint: apt-get install valgrind)");
  }
  if (!run.ok()) return run.status();
  if (run->exit_status != 0) {
    return MakeStatus(absl::StatusCode::kInternal,
                      absl::StrCat("the simulated queries failed: ", run->messages.substr(0, 500)));
  }
  kernels = run->out.substr(0, run->out.find('\n'));
  PMDEX_ASSIGN_OR_RETURN(const std::string text,
                         ReadReportFile(folder + "/callgrind.out", size_t{4} << 30));
  return ParseCallgrind(text);
}

// The number of the query that a dump is of; nothing for the dump at the end of the program.
std::optional<size_t> QueryOfDump(const CallgrindDump& dump) {
  const size_t at = dump.trigger.rfind("query-");
  if (at == std::string::npos) return std::nullopt;
  return std::strtoull(dump.trigger.c_str() + at + 6, nullptr, 10);
}

// The counts of each query, by the number in the trigger of its dump.
absl::StatusOr<std::vector<QueryCounts>> CountsOfDumps(const CallgrindFile& file, size_t queries) {
  const EventGroup& group = SimulatedTable().groups[0];
  std::vector<QueryCounts> counts(queries);
  for (const CallgrindDump& dump : file.dumps) {
    const std::optional<size_t> query = QueryOfDump(dump);
    if (!query.has_value()) continue;
    if (*query >= queries) return InvalidArgument("callgrind: a query that was not asked for");
    GroupCounts& counted = counts[*query].groups.emplace_back();
    counted.runs = counted.enabled_ns = counted.running_ns = 1;
    for (const std::string_view name : group.events) {
      const std::string source(SimulatedTable().FindEvent(name)->source);
      const auto found = std::find(file.events.begin(), file.events.end(), source);
      const auto place = static_cast<size_t>(found - file.events.begin());
      if (place >= dump.totals.size()) return InvalidArgument("callgrind: no event " + source);
      counted.counts.push_back(static_cast<double>(dump.totals[place]));
    }
  }
  return counts;
}

// Requires that the dumps are of these queries.
void AddInstructionPhases(const CallgrindFile& file, const std::vector<ProfileQuery>& queries,
                          ProfiledConfiguration& result) {
  std::map<std::pair<std::string, std::string>, uint64_t> by_function;  // by class and function
  for (const CallgrindDump& dump : file.dumps) {
    const std::optional<size_t> query = QueryOfDump(dump);
    if (!query.has_value()) continue;
    for (const auto& [name, count] : dump.instructions) {
      by_function[{queries[*query].query_class, ShortFunctionName(name)}] += count;
    }
  }
  PhaseCounts phases;
  for (const auto& [where, count] : by_function) phases.Add(where.first, {where.second}, count);
  phases.SetPhases(result);
}

}  // namespace

std::string CacheFlag(const CacheSize& cache) {
  return absl::StrCat(cache.bytes, ",", cache.ways, ",", kLineBytes);
}

CacheSizes FindCacheSizes(std::string_view root, const CpuidLeaf& cpuid) {
  CacheSizes caches = {AssumedCache(32 << 10, 8), AssumedCache(32 << 10, 8),
                       AssumedCache(uint64_t{32} << 20, 16)};
  TakeCaches(CachesOfKernel(root), caches);
  TakeCaches(CachesByCpuid(cpuid), caches);
  return caches;
}

std::string CachesInWords(const CacheSizes& caches) {
  return absl::StrCat(CacheSizeInWords("I1", caches.i1), "; ", CacheSizeInWords("D1", caches.d1),
                      "; ", CacheSizeInWords("LL", caches.ll));
}

absl::StatusOr<ProfiledConfiguration> SimulateQueries(const std::string& program,
                                                      const std::string& index,
                                                      const std::vector<ProfileQuery>& queries,
                                                      bool exhaustive, const std::string& simd) {
  const std::string folder = TemporaryFolder();
  if (folder.empty()) return ErrnoStatus(errno, "a temporary directory for the simulation");
  const absl::Cleanup remove = [&folder] {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  };
  std::string lines;
  for (const ProfileQuery& query : queries) absl::StrAppend(&lines, query.text, "\n");
  PMDEX_RETURN_IF_ERROR(WriteReportFile(folder, "queries", lines));
  ProfiledConfiguration result;
  PMDEX_ASSIGN_OR_RETURN(
      const CallgrindFile file,
      RunCallgrind(program, index, folder + "/queries", exhaustive, simd, folder, result.kernels));
  PMDEX_ASSIGN_OR_RETURN(const auto counts, CountsOfDumps(file, queries.size()));
  result.queries = queries.size();
  PMDEX_RETURN_IF_ERROR(SetMetrics(SimulatedTable(), queries, counts, {}, result));
  PMDEX_ASSIGN_OR_RETURN(result.each_query,
                         MetricsOfEachQuery(SimulatedTable(), queries, counts, /*read_ns=*/0));
  AddInstructionPhases(file, queries, result);
  const CacheSizes caches = FindCacheSizes();
  result.notes.push_back("simulated caches (bytes, ways, bytes of a line): " +
                         CachesInWords(caches));
  result.notes.push_back(
      absl::StrCat("valgrind has AVX2 at most: the queries ran with the kernels ", result.kernels));
  return result;
}

absl::Status RunSimulatedChild(const Searcher& searcher, const std::vector<std::string>& queries,
                               const SearchOptions& options) {
  for (const std::string& query : queries) {
    PMDEX_RETURN_IF_ERROR(searcher.Search(query, options).status());
  }
  Request(kStartInstrumentation, 0);
  for (size_t i = 0; i < queries.size(); ++i) {
    PMDEX_RETURN_IF_ERROR(searcher.Search(queries[i], options).status());
    const std::string name = absl::StrCat("query-", i);
    Request(kDumpStatsAt, reinterpret_cast<uint64_t>(name.c_str()));
  }
  Request(kStopInstrumentation, 0);
  WriteOutput(std::string(ToString(options.kernels->level)) + "\n");
  return absl::OkStatus();
}

}  // namespace pmdex
