#include "tools/tuning_flags.h"

#include <algorithm>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "engine/ingest/tuning/tuning.h"
#include "engine/memtable/memtable.h"
#include "engine/memtable/memtable_options.h"
#include "pmem/cpu_limit.h"
#include "pmem/descriptor_limit.h"
#include "pmem/memory_limit.h"
#include "pmem/numa_placement.h"
#include "tools/command.h"
#include "tools/flag_checks.h"
#include "tools/simd_flag.h"

namespace pmdex {
namespace {

constexpr uint64_t kMinMemoryBytes = uint64_t{32} << 20;
constexpr int kMostThreads = 1024;
constexpr char kCommon[] = "Options";
constexpr char kGroup[] = "Tuning (the defaults are good for nearly everybody)";

// A quarter of the memory that this process may take, at most 8 GiB.
uint64_t DefaultMemoryBytes() {
  return std::clamp(UsableMemoryBytes() / 4, kMinMemoryBytes, uint64_t{8} << 30);
}

// Tells of threads that were asked for and do not fit; fewer than the default are a better default.
void WarnFewerThreads(int indexers, int readers, const IngestOptions& fitted) {
  if (fitted.indexer_threads < indexers) {
    absl::FPrintF(stderr, "pmdex: warning: --memory %s holds %d of %d indexer threads\n",
                  SizeText(fitted.memory_bytes), fitted.indexer_threads, indexers);
  }
  if (fitted.reader_threads < readers) {
    absl::FPrintF(
        stderr, "pmdex: warning: --memory %s and %d open files hold %d of %d reader threads\n",
        SizeText(fitted.memory_bytes), fitted.most_open_files, fitted.reader_threads, readers);
  }
}

void AddThreads(CLI::App& command, const std::string& name, int& threads, const std::string& text,
                const std::string& group) {
  command.add_option(name, threads, text)
      ->check(CLI::Range(1, kMostThreads))
      ->type_name("N")
      ->group(group);
}

CLI::Validator NotZero() {
  return CLI::Validator(
      [](std::string& bytes) { return std::string(bytes == "0" ? "must not be 0" : ""); }, "");
}

void AddSize(CLI::App& command, const std::string& name, uint64_t& bytes, const std::string& text,
             const std::string& group) {
  command.add_option(name, bytes, text)
      ->transform(SizeValue())
      ->check(NotZero())
      ->type_name("SIZE")
      ->group(group);
}

void AddPipelineFlags(CLI::App& command, TuningFlags& flags, IngestOptions& options) {
  AddSize(
      command, "--block-size", options.block_bytes,
      "bytes of input that travel from a reader to an indexer at once: a multiple of 4K from 64K "
      "up to a sixtieth of the memory (default: what the memory allows, at most 1 MiB)",
      kGroup);
  AddThreads(command, "--reader-threads", options.reader_threads,
             "threads that read the input (default: one for four indexers, 1 to 8)", kGroup);
  AddThreads(command, "--indexer-threads", flags.indexer_threads, "the same as --threads", kGroup);
  AddThreads(
      command, "--writer-threads", options.writer_threads,
      "threads that write segments, never more than indexers (default: what suits the medium; "
      "on persistent memory at most 4)",
      kGroup);
}

void AddMemtableFlags(CLI::App& command, IngestOptions& options) {
  AddSize(command, "--index-memory", options.index_memory_bytes,
          "bytes that an indexer fills before it writes a segment, from 1M (default: its share of "
          "--memory, into which all of them must fit)",
          kGroup);
  command
      .add_option("--index-depth", options.index_depth,
                  "postings of four bytes in a term's first slice, once they outgrow its entry; "
                  "rounded up to a power of two (default: 8)")
      ->check(CLI::Range(MemtableOptions::kMinIndexDepth, MemtableOptions::kMaxIndexDepth))
      ->type_name("N")
      ->group(kGroup);
  command
      .add_option(
          "--split-factor", options.split_factor,
          "parts of an indexer's vocabulary, each of which grows for itself: a power of two "
          "up to 256 (default: 1)")
      ->check(CLI::Range(uint32_t{1}, MemtableOptions::kMaxSplitFactor))
      ->type_name("N")
      ->group(kGroup);
}

void AddKernelFlags(CLI::App& command, TuningFlags& flags) {
  command
      .add_option(
          "--huge-pages", flags.huge_pages,
          "2 MiB pages for the memory of the build: auto: where the kernel gives them; on: an "
          "error where it never does; off: none, nor on a DAX medium")
      ->check(CLI::IsMember({"auto", "on", "off"}))
      ->capture_default_str()
      ->type_name("auto|on|off")
      ->group(kGroup);
  command
      .add_option(
          "--direct-io", flags.direct_io,
          "read large files past the page cache: auto: those that it does not have; on, off: "
          "all, none")
      ->check(CLI::IsMember({"auto", "on", "off"}))
      ->capture_default_str()
      ->type_name("auto|on|off")
      ->group(kGroup);
  AddSimdFlag(command, flags.simd)->group(kGroup);
}

}  // namespace

void AddTuningFlags(CLI::App& command, TuningFlags& flags, IngestOptions& options) {
  options.memory_bytes = DefaultMemoryBytes();
  AddThreads(command, "--threads", flags.threads,
             "indexer threads (default: all CPUs that this process may keep busy)", kCommon);
  AddSize(command, "--memory", options.memory_bytes,
          "build memory, as 512M or 2GiB: all of it, whatever the threads, of which there are "
          "fewer where it does not hold them (default: a quarter of the RAM, or of what the "
          "control group may take, at most 8 GiB)",
          kCommon);
  AddPipelineFlags(command, flags, options);
  AddMemtableFlags(command, options);
  AddKernelFlags(command, flags);
  command
      .add_flag(
          "--tune", flags.tune,
          "first build a sample of the input (up to 32 MiB, some 20 s) with several values of "
          "the parameters above that are not given, and take the fastest; pmdex info shows "
          "what was measured. Not for standard input, nor again after --resume")
      ->group(kGroup);
}

absl::Status ApplyTuningFlags(const TuningFlags& flags, IngestOptions& options) {
  if (flags.threads != 0 && flags.indexer_threads != 0 && flags.threads != flags.indexer_threads) {
    return InvalidArgument(absl::StrCat("--threads ", flags.threads, " and --indexer-threads ",
                                        flags.indexer_threads,
                                        " are the same thing under two names; give one"));
  }
  const int threads = std::max(flags.threads, flags.indexer_threads);
  options.indexer_threads = threads == 0 ? UsableCpus() : threads;
  if (options.memory_bytes < kMinMemoryBytes) {
    return InvalidArgument(absl::StrCat("--memory: at least ", HumanBytes(kMinMemoryBytes)));
  }
  options.numa_nodes = UsableNumaNodes();
  PMDEX_ASSIGN_OR_RETURN(options.direct_io, ParseDirectIo(flags.direct_io));
  PMDEX_ASSIGN_OR_RETURN(options.huge_pages, ParseHugePageUse(flags.huge_pages));
  PMDEX_ASSIGN_OR_RETURN(options.simd, SimdLevelNamed("index", flags.simd));
  RaiseDescriptorLimit();
  options.most_open_files = FreeDescriptors();
  const IngestOptions asked = options;
  options = FitThreads(options);
  // What is given in full and does not fit is wrong usage.
  PMDEX_RETURN_IF_ERROR(CheckTuning(threads == 0 ? options : asked));
  WarnFewerThreads(threads, asked.reader_threads, options);
  return absl::OkStatus();
}

}  // namespace pmdex
