#include "tools/profile/index_mapping.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>

#include "tools/report/report_files.h"

namespace pmdex {
namespace {

// "FilePmdMapped:      4096 kB": the bytes, if the line has this name.
uint64_t BytesNamed(const std::string& line, std::string_view name) {
  if (!line.starts_with(name)) return 0;
  return uint64_t{std::strtoull(line.c_str() + name.size(), nullptr, 10)} << 10;
}

// "7f0-7f1 r--s 0 fe:01 17 /index/a.seg", which no other line looks like: names of others end with
// a colon.
bool BeginsMapping(const std::string& line) {
  const size_t space = line.find(' ');
  return space != std::string::npos && space > 0 && line[space - 1] != ':';
}

}  // namespace

std::optional<IndexMapping> MappingOf(const std::string& smaps, const std::string& directory) {
  const std::string below = " " + directory + "/";
  IndexMapping mapping;
  bool of_index = false;
  std::istringstream lines(smaps);
  for (std::string line; std::getline(lines, line);) {
    if (BeginsMapping(line)) of_index = line.find(below) != std::string::npos;
    if (!of_index) continue;
    mapping.bytes += BytesNamed(line, "Size:");
    mapping.resident += BytesNamed(line, "Rss:");
    for (const char* const name : {"AnonHugePages:", "ShmemPmdMapped:", "FilePmdMapped:"}) {
      mapping.huge += BytesNamed(line, name);
    }
  }
  if (mapping.resident == 0) return std::nullopt;
  return mapping;
}

std::optional<IndexMapping> MappingOf(const std::string& directory) {
  std::error_code error;
  const std::string path = std::filesystem::canonical(directory, error).string();
  const auto smaps = ReadReportFile("/proc/self/smaps");
  if (error || !smaps.ok()) return std::nullopt;
  return MappingOf(*smaps, path);
}

}  // namespace pmdex
