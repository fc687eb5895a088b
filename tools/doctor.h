// `pmdex doctor [PATH]`: reports what this machine and PATH provide, what each fact means for
// pmdex, and which command fixes a problem. The probes in pmem/ collect the facts, doctor_checks.h
// judges them, and this file writes them as text or JSON. It changes nothing; its probe file is
// removed before it returns.
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

// The whole output, ending in a newline. kNotFound if the path does not exist.
absl::StatusOr<std::string> RunDoctor(const DoctorOptions& options);

// root: the directory that contains /sys and /proc (tests use another one). libndctl, libdaxctl and
// libnuma always read the real ones.
absl::StatusOr<DoctorFacts> GatherDoctorFacts(const std::string& path, std::string_view root = "/");
std::string RenderDoctorText(const DoctorFacts& facts);
std::string RenderDoctorJson(const DoctorFacts& facts);

}  // namespace pmdex
