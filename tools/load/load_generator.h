// Sends requests to a server and measures how long the answers take.
//
// The open loop sends at a rate that does not depend on the server, at random times as from many
// independent users (a Poisson process). The latency counts from the time at which a request was
// due, so that a request that had to wait for a free connection has waited (no coordinated
// omission). The closed loop has clients that each send the next request after an answer.
//
// A server may close an idle connection while a request is on its way. Like any client of HTTP
// (RFC 9112, section 9.3.1), the generator then sends the request once more on a new connection;
// its latency still counts from when it was due.
//
// One thread with epoll. For one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "pmem/status.h"
#include "tools/load/load_requests.h"

namespace pmdex {

struct LoadPlan {
  double rate = 0;  // requests a second; 0: a closed loop
  size_t connections = 64;
  std::chrono::milliseconds duration{10'000};
  std::chrono::milliseconds timeout{10'000};  // an answer that takes longer is an error
  uint64_t seed = 1;
};

struct LoadLatencies {
  double mean_us = 0;
  double p50_us = 0;
  double p90_us = 0;
  double p99_us = 0;
  double p999_us = 0;
  double max_us = 0;
};

struct LoadResult {
  LoadPlan plan;
  double seconds = 0;            // from the first request that was due to the last answer
  uint64_t due = 0;              // requests
  uint64_t ok = 0;               // answers with a status of 200 to 299
  uint64_t shed = 0;             // 429 and 503
  uint64_t errors = 0;           // other statuses, broken connections, and no answer in time
  uint64_t resent = 0;           // requests, because the server closed a connection that was idle
  int first_error = 0;           // the status of the first answer among the errors; 0: none
  LoadLatencies latencies;       // of the requests that were ok
  LoadLatencies shed_latencies;  // of those that were shed
};

// By nearest rank. Sorts the values.
LoadLatencies LatenciesOf(std::vector<double>& values_us);

// requests: sent in turn. Returns an error if no connection can be made at the start.
absl::StatusOr<LoadResult> RunLoad(const LoadTarget& target,
                                   const std::vector<std::string>& requests, const LoadPlan& plan);

}  // namespace pmdex
