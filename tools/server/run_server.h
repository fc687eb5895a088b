// Runs the query server from its options until a signal ends it: opens sockets and indexes, starts
// the threads, tells the service manager, and drains. For the main thread of the program.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "pmem/status.h"
#include "query/kernel/kernels.h"
#include "tools/server/index_catalog.h"
#include "tools/server/writing/writable_indexes.h"

namespace pmdex {

struct ServeOptions {
  std::vector<std::string> listen;  // ParseListenAddress; empty: the sockets of the service manager
  std::vector<IndexSource> indexes;
  WritingOptions writing;
  size_t threads = 1;     // event loops, and as many threads for heavy queries
  std::vector<int> cpus;  // that the threads may use; empty: all
  uint64_t result_cache_bytes = 0;
  uint64_t most_body_bytes = uint64_t{16} << 20;
  std::chrono::milliseconds timeout{10'000};
  std::string token_file;  // empty: no tokens
  std::string user_map;    // a file (users/user_map.h); empty: users are not told apart
  std::chrono::microseconds busy_poll{0};  // EventLoopOptions
  bool prefault = false;
  SnapshotOptions snapshots;  // how segments are opened
  bool save_heat = false;     // at the end: how many queries searched each segment
  std::string access_log;
  std::string slow_log;
  std::chrono::milliseconds slow{100};
  const QueryKernels* kernels = &BestQueryKernels();
};

// "0-3,8" to {0,1,2,3,8}. kInvalidArgument for another text.
absl::StatusOr<std::vector<int>> ParseCpuList(std::string_view text);

// Returns when SIGTERM or SIGINT has come and the last request is answered. A second signal ends
// the process at once. SIGHUP opens the logs again. kInvalidArgument for options that do not fit,
// such as an address beyond this machine without tokens.
absl::Status RunServer(const ServeOptions& options);

}  // namespace pmdex
