// The flags --nvme-io and --cache of the commands that search compressed segments.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/store/snapshot.h"
#include "pmem/status.h"
#include "tools/json_writer.h"

namespace pmdex {

struct NvmeFlags {
  std::string io = "map";
  uint64_t cache_bytes = 0;  // 0: the default
};

// `flags` must outlive the parsing.
void AddNvmeFlags(CLI::App& command, NvmeFlags& flags);

// The options that the flags ask for, with a new cache for --nvme-io direct. kInvalidArgument, with
// the command in the message, for --cache without it; kResourceExhausted if there is no memory for
// the cache.
absl::StatusOr<SnapshotOptions> SnapshotOptionsOf(std::string_view command, const NvmeFlags& flags);

// How much of what was read the cache had.
std::string CacheInWords(const BlockCache& cache);
// Writes the same as the key "cache" of the open JSON object: {"capacity_bytes", "io", "hits",
// "misses", "hit_rate", "bytes_read", "errors"}. hit_rate is absent if nothing was read.
void WriteCache(const BlockCache& cache, JsonWriter& json);

}  // namespace pmdex
