#include "engine/store/placement/tier_policy.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

#include "engine/segment/segment_writer.h"

namespace pmdex {
namespace {

constexpr std::string_view kEnding = ".pmdex";

std::optional<uint64_t> ParseNumber(std::string_view text) {
  uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || parsed != end) return std::nullopt;
  return number;
}

absl::StatusOr<uint64_t> IdOf(const std::string& name, const Manifest& manifest) {
  const std::string file = name.ends_with(kEnding) ? name : absl::StrCat(name, ".pmdex");
  std::optional<uint64_t> id = ParseSegmentFileName(file);
  if (!id.has_value()) id = ParseNumber(name);
  const bool listed =
      id.has_value() &&
      std::any_of(manifest.segments.begin(), manifest.segments.end(),
                  [&](const ManifestSegment& segment) { return segment.id == *id; });
  if (listed) return *id;
  return MakeStatus(absl::StatusCode::kNotFound,
                    absl::StrCat("the index has no segment ", absl::Utf8SafeCHexEscape(name),
                                 " (hint: pmdex tier list shows them)"));
}

// Orders by queries a byte without a division: a/b < c/d as a*d < c*b.
bool IsColder(const ManifestSegment& a, const ManifestSegment& b) {
  using Wide = unsigned __int128;
  const Wide left = Wide{a.heat} * b.file_bytes;
  const Wide right = Wide{b.heat} * a.file_bytes;
  if (left != right) return left < right;
  return a.id < b.id;
}

std::set<uint64_t> Coldest(const Manifest& manifest, Tier from, uint64_t wanted_bytes) {
  std::vector<ManifestSegment> candidates;
  for (const ManifestSegment& segment : manifest.segments) {
    if (segment.tier == from) candidates.push_back(segment);
  }
  std::sort(candidates.begin(), candidates.end(), IsColder);
  std::set<uint64_t> chosen;
  uint64_t bytes = 0;
  for (const ManifestSegment& segment : candidates) {
    if (bytes >= wanted_bytes) break;
    chosen.insert(segment.id);
    bytes += segment.file_bytes;
  }
  return chosen;
}

}  // namespace

absl::StatusOr<std::vector<uint64_t>> ChooseSegments(const Manifest& manifest,
                                                     const TierPolicy& policy, Tier from,
                                                     uint64_t now_s) {
  const int given = (policy.segments.empty() ? 0 : 1) + (policy.coldest_bytes.has_value() ? 1 : 0) +
                    (policy.older_than_s.has_value() ? 1 : 0) + (policy.all ? 1 : 0);
  if (given != 1) {
    return InvalidArgument(
        "say which segments: their names, or one of --coldest, --older-than and --all");
  }
  std::set<uint64_t> chosen;
  for (const std::string& name : policy.segments) {
    PMDEX_ASSIGN_OR_RETURN(const uint64_t id, IdOf(name, manifest));
    chosen.insert(id);
  }
  if (policy.coldest_bytes.has_value()) chosen = Coldest(manifest, from, *policy.coldest_bytes);
  std::vector<uint64_t> ids;
  for (const ManifestSegment& segment : manifest.segments) {
    const bool old = policy.older_than_s.has_value() && segment.created_s != 0 &&
                     segment.created_s < now_s && now_s - segment.created_s > *policy.older_than_s;
    if (policy.all || old || chosen.contains(segment.id)) ids.push_back(segment.id);
  }
  return ids;
}

std::optional<uint64_t> ParseAge(std::string_view text) {
  if (text.empty()) return std::nullopt;
  constexpr std::string_view kUnits = "smhdw";
  constexpr uint64_t kSeconds[] = {1, 60, 3600, 86400, 604800};
  const size_t unit = kUnits.find(text.back());
  if (unit == kUnits.npos) return std::nullopt;
  text.remove_suffix(1);
  const auto number = ParseNumber(text);
  if (!number.has_value() || *number > UINT64_MAX / kSeconds[unit]) return std::nullopt;
  return *number * kSeconds[unit];
}

}  // namespace pmdex
