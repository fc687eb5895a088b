#include "engine/store/known_files/known_files_format.h"

#include <charconv>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "engine/segment/format.h"
#include "pmem/checksum.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

constexpr uint32_t kKnownFilesVersion = 2;
constexpr std::string_view kKnownFilesPrefix = "known-files-";
constexpr size_t kKnownFilesDigits = 16;
constexpr size_t kKnownFilesTrailerBytes = 8;  // u64 XXH3 of everything before
constexpr uint8_t kRemovedPath = 0;            // the state of a path that is not known any more
constexpr uint8_t kRacyFlag = 1;               // a flag

struct KnownFilesHeader {
  uint64_t magic;
  uint32_t version;
  uint32_t endian_mark;
  uint64_t file_bytes;
  uint64_t record_count;
};
static_assert(sizeof(KnownFilesHeader) == 32);

// The path follows, padded with zeros to a multiple of 8.
struct KnownFilesRecord {
  uint32_t path_bytes;
  uint8_t state;
  uint8_t flags;
  uint16_t reserved;
  uint64_t size_bytes;
  int64_t mtime_ns;
  uint64_t inode;
  uint64_t device;
  int64_t ctime_ns;
};
static_assert(sizeof(KnownFilesRecord) == 48);

constexpr size_t PaddedPath(size_t size_bytes) {
  return (size_bytes + 7) / 8 * 8;
}

template <typename T>
void AppendKnown(std::vector<std::byte>& out, const T& value) {
  const size_t end = out.size();
  out.resize(end + sizeof(T));
  std::memcpy(out.data() + end, &value, sizeof(T));
}

KnownFilesRecord KnownRecordOf(const std::string& path, const std::optional<KnownFile>& file) {
  KnownFilesRecord record{};
  record.path_bytes = static_cast<uint32_t>(path.size());
  if (!file.has_value()) return record;
  record.state = static_cast<uint8_t>(file->state);
  record.flags = file->is_racy ? kRacyFlag : 0;
  record.size_bytes = file->facts.size_bytes;
  record.mtime_ns = file->facts.mtime_ns;
  record.inode = file->facts.inode;
  record.device = file->facts.device;
  record.ctime_ns = file->facts.ctime_ns;
  return record;
}

absl::Status DamagedKnownFiles(std::string_view file_name, uint64_t offset, std::string_view what) {
  return DataLoss(absl::StrCat(ToAbsl(file_name), ": offset ", offset, ": ", ToAbsl(what)));
}

absl::StatusOr<uint64_t> DecodeKnownFilesHeader(std::span<const std::byte> bytes,
                                                std::string_view file_name) {
  KnownFilesHeader header;
  if (bytes.size() < sizeof header + kKnownFilesTrailerBytes) {
    return DamagedKnownFiles(file_name, bytes.size(), "the file is shorter than its header");
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != kKnownFilesMagic) return DamagedKnownFiles(file_name, 0, "wrong magic");
  if (header.endian_mark != kEndianMark)
    return DamagedKnownFiles(file_name, 12, "wrong byte order");
  if (header.version > kKnownFilesVersion) {
    return MakeStatus(absl::StatusCode::kUnimplemented,
                      absl::StrCat(ToAbsl(file_name), ": format version ", header.version,
                                   " is newer than this pmdex, which knows ", kKnownFilesVersion));
  }
  if (header.version < kKnownFilesVersion) {
    return DamagedKnownFiles(file_name, 8, "an older format, which knows less of each file");
  }
  if (header.file_bytes != bytes.size()) {
    return DamagedKnownFiles(
        file_name, 16,
        absl::StrCat("expected ", header.file_bytes, " bytes, found ", bytes.size()));
  }
  uint64_t checksum = 0;
  const size_t end = bytes.size() - kKnownFilesTrailerBytes;
  std::memcpy(&checksum, bytes.data() + end, sizeof checksum);
  if (Xxh3(bytes.first(end)) != checksum)
    return DamagedKnownFiles(file_name, end, "wrong checksum");
  return header.record_count;
}

std::optional<uint64_t> ParseListedNumber(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<ListedKnownFiles> ParseListed(std::string_view item) {
  const size_t colon = item.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto number = ParseListedNumber(item.substr(0, colon));
  const auto file_bytes = ParseListedNumber(item.substr(colon + 1));
  if (!number.has_value() || !file_bytes.has_value()) return std::nullopt;
  return ListedKnownFiles{*number, *file_bytes};
}

}  // namespace

std::string KnownFilesName(uint64_t number) {
  return absl::StrFormat("%s%016d", kKnownFilesPrefix, number);
}

std::optional<uint64_t> ParseKnownFilesName(std::string_view name) {
  if (!name.starts_with(kKnownFilesPrefix) ||
      name.size() != kKnownFilesPrefix.size() + kKnownFilesDigits) {
    return std::nullopt;
  }
  const auto number = ParseListedNumber(name.substr(kKnownFilesPrefix.size()));
  if (!number.has_value() || KnownFilesName(*number) != name) return std::nullopt;
  return number;
}

std::vector<std::byte> EncodeKnownFiles(const KnownFileRecords& records) {
  KnownFilesHeader header{kKnownFilesMagic, kKnownFilesVersion, kEndianMark,
                          sizeof(KnownFilesHeader) + kKnownFilesTrailerBytes, records.size()};
  for (const auto& [path, file] : records) {
    header.file_bytes += sizeof(KnownFilesRecord) + PaddedPath(path.size());
  }
  std::vector<std::byte> out;
  out.reserve(header.file_bytes);
  AppendKnown(out, header);
  for (const auto& [path, file] : records) {
    AppendKnown(out, KnownRecordOf(path, file));
    const auto bytes = std::as_bytes(std::span(path));
    out.insert(out.end(), bytes.begin(), bytes.end());
    out.resize(PaddedPath(out.size()));
  }
  AppendKnown(out, Xxh3(out));
  return out;
}

absl::StatusOr<KnownFileRecords> DecodeKnownFiles(std::span<const std::byte> bytes,
                                                  std::string_view file_name) {
  PMDEX_ASSIGN_OR_RETURN(const uint64_t count, DecodeKnownFilesHeader(bytes, file_name));
  const size_t end = bytes.size() - kKnownFilesTrailerBytes;
  KnownFileRecords records;
  size_t at = sizeof(KnownFilesHeader);
  for (uint64_t i = 0; i < count; ++i) {
    KnownFilesRecord record;
    if (end - at < sizeof record) return DamagedKnownFiles(file_name, at, "a record is cut off");
    std::memcpy(&record, bytes.data() + at, sizeof record);
    const size_t path_at = at + sizeof record;
    if (record.path_bytes == 0 || end - path_at < PaddedPath(record.path_bytes)) {
      return DamagedKnownFiles(file_name, at, "a path has no bytes or is cut off");
    }
    if (record.state > static_cast<uint8_t>(KnownState::kUnreadable)) {
      return DamagedKnownFiles(file_name, at + 4, absl::StrCat("unknown state ", record.state));
    }
    std::string path(reinterpret_cast<const char*>(bytes.data()) + path_at, record.path_bytes);
    if (!records.empty() && records.rbegin()->first >= path) {
      return DamagedKnownFiles(file_name, at, "the paths do not ascend");
    }
    std::optional<KnownFile> file;
    if (record.state != kRemovedPath) {
      file = KnownFile{
          {record.size_bytes, record.mtime_ns, record.inode, record.device, record.ctime_ns},
          static_cast<KnownState>(record.state),
          (record.flags & kRacyFlag) != 0};
    }
    records.emplace_hint(records.end(), std::move(path), file);
    at = path_at + PaddedPath(record.path_bytes);
  }
  if (at != end) return DamagedKnownFiles(file_name, at, "bytes behind the last record");
  return records;
}

std::string EncodeKnownFilesList(const std::vector<ListedKnownFiles>& files) {
  std::string value;
  for (const ListedKnownFiles& file : files) {
    absl::StrAppend(&value, value.empty() ? "" : " ", file.number, ":", file.file_bytes);
  }
  return value;
}

absl::StatusOr<std::vector<ListedKnownFiles>> DecodeKnownFilesList(std::string_view value) {
  std::vector<ListedKnownFiles> files;
  for (bool ends = value.empty(); !ends;) {
    const size_t space = value.find(' ');
    const auto listed = ParseListed(value.substr(0, space));
    if (!listed.has_value() || (!files.empty() && files.back().number >= listed->number)) {
      return DataLoss("the manifest's list of known files is damaged");
    }
    files.push_back(*listed);
    ends = space == std::string_view::npos;
    if (!ends) value.remove_prefix(space + 1);
  }
  return files;
}

}  // namespace pmdex
