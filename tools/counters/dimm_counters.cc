#include "tools/counters/dimm_counters.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"

#include "tools/child_process.h"

namespace pmdex {
namespace {

constexpr uint64_t kCountedBytes = 64;
// Twelve DIMMs print less than 10 KB.
constexpr size_t kOutputLimit = 1 << 20;

struct CountedField {
  std::string_view name;
  uint64_t DimmCounts::*count;
};

constexpr std::array kCountedFields = {CountedField{"MediaReads", &DimmCounts::media_reads},
                                       CountedField{"MediaWrites", &DimmCounts::media_writes},
                                       CountedField{"ReadRequests", &DimmCounts::read_requests},
                                       CountedField{"WriteRequests", &DimmCounts::write_requests}};

std::string_view Trimmed(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r";
  const size_t begin = std::min(line.find_first_not_of(kBlank), line.size());
  line.remove_prefix(begin);
  return line.substr(0, line.find_last_not_of(kBlank) + 1);
}

std::string_view TakeLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = Trimmed(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// "---DimmID=0x0001---" has the identifier 0x0001.
std::optional<std::string_view> IdentifierIn(std::string_view line) {
  constexpr std::string_view kBegin = "---DimmID=";
  constexpr std::string_view kEnd = "---";
  if (line.size() <= kBegin.size() + kEnd.size()) return std::nullopt;
  if (!line.starts_with(kBegin) || !line.ends_with(kEnd)) return std::nullopt;
  return line.substr(kBegin.size(), line.size() - kBegin.size() - kEnd.size());
}

// No DIMM lives to move that many lines.
constexpr uint64_t kMostLines = uint64_t{1} << 56;

// "0x" and 32 digits, most of them zeros.
std::optional<uint64_t> CountIn(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  text.remove_prefix(2);
  uint64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, count, 16);
  if (parsed.ec != std::errc() || parsed.ptr != end || count > kMostLines) return std::nullopt;
  return count;
}

// The lines of one DIMM.
struct DimmLines {
  DimmCounts counts;
  std::array<bool, kCountedFields.size()> found = {};
};

absl::Status TakeField(std::string_view line, std::string_view id, DimmLines& dimm) {
  const size_t equals = line.find('=');
  if (equals == std::string_view::npos) return absl::OkStatus();
  for (size_t i = 0; i < kCountedFields.size(); ++i) {
    if (line.substr(0, equals) != kCountedFields[i].name) continue;
    const std::optional<uint64_t> count = CountIn(line.substr(equals + 1));
    if (!count.has_value() || dimm.found[i]) {
      return InvalidArgument(absl::StrCat("ipmctl gives no sound ",
                                          std::string(kCountedFields[i].name), " for DIMM ",
                                          std::string(id)));
    }
    dimm.counts.*kCountedFields[i].count = *count;
    dimm.found[i] = true;
  }
  return absl::OkStatus();
}

absl::StatusOr<DimmReading> ReadDimms(std::chrono::seconds time_limit) {
  ChildOptions options;
  options.time_limit = time_limit;
  options.output_limit = kOutputLimit;
  const absl::StatusOr<ChildResult> result = RunChild({"ipmctl", "show", "-performance"}, options);
  if (absl::IsNotFound(result.status())) {
    return MakeStatus(absl::StatusCode::kNotFound,
                      "ipmctl, which reads their counters, is not in PATH");
  }
  if (!result.ok()) return result.status();
  if (result->exit_status != 0) {
    std::string_view words = result->messages.empty() ? result->out : result->messages;
    std::string_view line;
    while (line.empty() && !words.empty()) line = TakeLine(words);
    return MakeStatus(absl::StatusCode::kUnavailable,
                      absl::StrCat("ipmctl failed with status ", result->exit_status, ": ",
                                   std::string(line.substr(0, 200))));
  }
  return ParseDimmCounters(result->out);
}

absl::Status OtherDimms() {
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    "ipmctl listed other DIMMs before than after");
}

}  // namespace

absl::StatusOr<DimmReading> ParseDimmCounters(std::string_view text) {
  std::map<std::string, DimmLines, std::less<>> dimms;
  auto dimm = dimms.end();
  while (!text.empty()) {
    const std::string_view line = TakeLine(text);
    if (const auto id = IdentifierIn(line); id.has_value()) {
      bool is_new = false;
      std::tie(dimm, is_new) = dimms.emplace(*id, DimmLines());
      if (!is_new) {
        return InvalidArgument(absl::StrCat("ipmctl lists DIMM ", std::string(*id), " twice"));
      }
    } else if (dimm != dimms.end()) {
      PMDEX_RETURN_IF_ERROR(TakeField(line, dimm->first, dimm->second));
    }
  }
  DimmReading reading;
  for (const auto& [id, lines] : dimms) {
    for (size_t i = 0; i < kCountedFields.size(); ++i) {
      if (lines.found[i]) continue;
      return InvalidArgument(
          absl::StrCat("ipmctl gives no ", std::string(kCountedFields[i].name), " for DIMM ", id));
    }
    reading.emplace(id, lines.counts);
  }
  if (reading.empty()) {
    return MakeStatus(absl::StatusCode::kNotFound, "ipmctl lists no persistent memory DIMM");
  }
  return reading;
}

absl::StatusOr<DimmBytes> BytesBetween(const DimmReading& before, const DimmReading& after) {
  if (before.size() != after.size()) return OtherDimms();
  DimmBytes bytes;
  bytes.dimms = after.size();
  uint64_t media_reads = 0;
  bool is_sound = true;
  for (const auto& [id, end] : after) {
    const auto begin = before.find(id);
    if (begin == before.end()) return OtherDimms();
    DimmCounts did;
    for (const CountedField& field : kCountedFields) {
      if (end.*field.count < begin->second.*field.count) {
        return MakeStatus(
            absl::StatusCode::kFailedPrecondition,
            absl::StrCat(std::string(field.name), " of DIMM ", id, " fell meanwhile"));
      }
      did.*field.count = end.*field.count - begin->second.*field.count;
    }
    is_sound = is_sound && did.media_reads >= did.media_writes;
    media_reads += did.media_reads - did.media_writes;
    bytes.media_written += did.media_writes * kCountedBytes;
    bytes.requested_reads += did.read_requests * kCountedBytes;
    bytes.requested_writes += did.write_requests * kCountedBytes;
  }
  if (is_sound) bytes.media_read = media_reads * kCountedBytes;
  return bytes;
}

absl::StatusOr<DimmCounters> DimmCounters::Open(std::chrono::seconds time_limit) {
  PMDEX_ASSIGN_OR_RETURN(DimmReading begin, ReadDimms(time_limit));
  return DimmCounters(time_limit, std::move(begin));
}

absl::StatusOr<DimmBytes> DimmCounters::Read() const {
  PMDEX_ASSIGN_OR_RETURN(const DimmReading end, ReadDimms(time_limit_));
  return BytesBetween(begin_, end);
}

}  // namespace pmdex
