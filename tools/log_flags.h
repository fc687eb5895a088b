// The flags of pmdex index that say how the times of log lines are found.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "engine/ingest/logs/log_clock.h"
#include "pmem/status.h"

namespace pmdex {

struct LogFlags {
  bool log_time = false;
  std::string log_zone = "UTC";
};

// flags: outlives the command.
inline void AddLogFlags(CLI::App& command, LogFlags& flags) {
  auto* const log_time = command.add_flag(
      "--log-time", flags.log_time,
      "with --format lines: the date field time has the time stamp of each line, as most logs "
      "write it, or that of the line before it; docs/FIELDS.md lists the forms");
  command
      .add_option("--log-zone", flags.log_zone,
                  "with --log-time: the zone of stamps that have none: UTC, +01:00, or a name as "
                  "Europe/Berlin")
      ->needs(log_time)
      ->capture_default_str()
      ->type_name("ZONE");
}

// format: that of --format. kInvalidArgument if it has no lines, or the zone is none.
inline absl::Status CheckLogFlags(const LogFlags& flags, std::string_view format) {
  if (!flags.log_time) return absl::OkStatus();
  if (format != "lines") {
    return InvalidArgument("--log-time finds the times of lines (hint: add --format lines)");
  }
  return LogClock::Open(flags.log_zone).status();
}

}  // namespace pmdex
