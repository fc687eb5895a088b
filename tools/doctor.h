// `pmdex doctor [PATH]`: what this machine and PATH offer, what each fact means for pmdex, and the
// one command that mends what can be mended. Facts come from the probes in pmem/, the words from
// doctor_checks.h; here they become text or JSON. Changes nothing: its probe file is gone on
// return.
#pragma once

#include <string>
#include <string_view>

#include "pmem/status.h"
#include "tools/doctor_facts.h"

namespace pmdex {

struct DoctorOptions {
  std::string path;  // empty: /mnt/pmem if that is a directory, else "."
  bool json = false;
};

// The whole output, ending in a newline. kNotFound when the path does not exist.
absl::StatusOr<std::string> RunDoctor(const DoctorOptions& options);

// `root` stands before /sys and /proc, except for what libndctl, libdaxctl and libnuma read
// themselves.
absl::StatusOr<DoctorFacts> GatherDoctorFacts(const std::string& path, std::string_view root = "/");
std::string RenderDoctorText(const DoctorFacts& facts);
std::string RenderDoctorJson(const DoctorFacts& facts);

}  // namespace pmdex
