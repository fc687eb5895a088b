#include "engine/store/pending_build.h"

#include <algorithm>
#include <cstring>

namespace pmdex {
namespace {

struct BuildRecord {
  uint32_t mode;
  uint32_t options_bytes;
  uint64_t progress_bytes;
};
static_assert(sizeof(BuildRecord) == 16);

}  // namespace

std::string_view ToString(OpenMode mode) {
  switch (mode) {
    case OpenMode::kCreate:
      return "create";
    case OpenMode::kAppend:
      return "append";
    case OpenMode::kOverwrite:
      return "overwrite";
  }
  return "unknown";
}

uint64_t PendingBuild::doc_count() const {
  uint64_t documents = 0;
  for (const ManifestSegment& segment : segments) documents += segment.doc_count;
  return documents;
}

bool IsSameKind(OpenMode a, OpenMode b) {
  return (a == OpenMode::kAppend) == (b == OpenMode::kAppend);
}

std::vector<std::byte> EncodePendingBuild(const PendingBuild& build) {
  const BuildRecord record{static_cast<uint32_t>(build.mode),
                           static_cast<uint32_t>(build.options.size()), build.progress.size()};
  std::vector<std::byte> payload(sizeof record + build.options.size() + build.progress.size());
  std::memcpy(payload.data(), &record, sizeof record);
  std::copy_n(reinterpret_cast<const std::byte*>(build.options.data()), build.options.size(),
              payload.begin() + sizeof record);
  std::copy(build.progress.begin(), build.progress.end(),
            payload.begin() + static_cast<ptrdiff_t>(sizeof record + build.options.size()));
  return payload;
}

std::optional<PendingBuild> DecodePendingBuild(std::span<const std::byte> payload) {
  BuildRecord record;
  if (payload.size() < sizeof record) return std::nullopt;
  std::memcpy(&record, payload.data(), sizeof record);
  payload = payload.subspan(sizeof record);
  if (record.mode > static_cast<uint32_t>(OpenMode::kOverwrite)) return std::nullopt;
  if (record.options_bytes > payload.size() ||
      record.progress_bytes != payload.size() - record.options_bytes) {
    return std::nullopt;
  }
  PendingBuild build;
  build.mode = static_cast<OpenMode>(record.mode);
  build.options.assign(reinterpret_cast<const char*>(payload.data()), record.options_bytes);
  const auto progress = payload.subspan(record.options_bytes);
  build.progress.assign(progress.begin(), progress.end());
  return build;
}

}  // namespace pmdex
