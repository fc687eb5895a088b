// Reads the output of callgrind with several dumps in one file (--combine-dumps=yes). Format:
// valgrind's manual, "Callgrind Format Specification". Thread-safe: no state.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pmem/status.h"

namespace pmdex {

// What was counted between two dumps.
struct CallgrindDump {
  std::string trigger;           // of the dump: "Client Request: query-12"
  std::vector<uint64_t> totals;  // indexed like CallgrindFile::events
  // Instructions of each function itself, without what it calls.
  std::map<std::string, uint64_t> instructions;
};

struct CallgrindFile {
  std::vector<std::string> events;  // "Ir", "Dr", ...
  std::vector<CallgrindDump> dumps;
};

// kInvalidArgument if the text is no output of callgrind.
absl::StatusOr<CallgrindFile> ParseCallgrind(std::string_view text);

}  // namespace pmdex
