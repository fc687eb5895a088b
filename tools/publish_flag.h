// The flag --publish-every of pmdex index, which lets a build be searched while it runs.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "engine/ingest/ingest_options.h"
#include "pmem/status.h"

namespace pmdex {

// flag: outlives the command.
void AddPublishFlag(CLI::App& command, std::string& flag);

// Puts the flag into publish_interval or publish_bytes. It is a time ("30s", "10m", "2h", "1d",
// "1w"; units in lower case) or a size of input ("1G", "512MB"; units begin with a capital letter).
// Empty: neither. Returns kInvalidArgument for other text and for 0.
absl::Status ParsePublishEvery(std::string_view text, IngestOptions& options);

}  // namespace pmdex
