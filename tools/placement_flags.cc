#include "tools/placement_flags.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/flag_checks.h"

namespace pmdex {
namespace {

// The path as a manifest lists it: absolute and without symbolic links. Parts that do not exist yet
// stay as they are.
absl::StatusOr<std::string> CanonicalPath(std::string_view flag, const std::string& path) {
  std::error_code error;
  std::filesystem::path canonical = std::filesystem::weakly_canonical(path, error);
  if (!error) canonical = std::filesystem::absolute(canonical, error).lexically_normal();
  if (error || path.empty()) {
    return InvalidArgument(absl::StrCat(ToAbsl(flag), " ", path, ": not the path of a directory"));
  }
  std::string text = canonical.string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

// The bytes of uncompressed segments at which auto turns to compressed ones: what the writer's
// places hold, and what their file systems have free, less 5 % and room for two segments, of which
// one is being written and one converted. On a small medium this room is at most a fifth of it.
uint64_t DefaultLimit(const IndexWriter& writer, uint64_t segment_bytes) {
  std::set<uint64_t> seen;  // two places may be on one file system
  uint64_t free_bytes = 0;
  for (const std::string& path : writer.UncompressedPaths()) {
    struct statvfs facts {};
    if (statvfs(path.c_str(), &facts) != 0 || !seen.insert(facts.f_fsid).second) continue;
    free_bytes += uint64_t{facts.f_bavail} * facts.f_frsize;
  }
  const uint64_t room = free_bytes / 20 + std::min(free_bytes / 5, 2 * segment_bytes);
  return writer.UncompressedBytes() + free_bytes - room;
}

TierChoice ChoiceOf(const std::string& tier) {
  return tier == "compressed"     ? TierChoice::kCompressed
         : tier == "uncompressed" ? TierChoice::kUncompressed
                                  : TierChoice::kAuto;
}

}  // namespace

void AddPlacementFlags(CLI::App& command, PlacementFlags& flags) {
  command
      .add_option(
          "--place", flags.places,
          "a directory for segments, new or empty, outside of the index; may repeat, one for "
          "each mount of a socket say: segments are spread over all of them (default: the "
          "index; with --append the places that the index has)")
      ->type_name("DIR");
  command
      .add_option("--tier", flags.tier,
                  "where segments go: uncompressed, to be read in place; compressed, which takes "
                  "less space; auto: uncompressed up to --pm-limit, then compressed")
      ->type_name("auto|uncompressed|compressed")
      ->capture_default_str();
  command
      .add_option("--compressed-dir", flags.compressed_directory,
                  "the directory of compressed segments, new or empty, outside of the index "
                  "(default: the index; with --append what the index has)")
      ->type_name("DIR");
  command.add_flag_function(
      "--keep-compressed,!--no-keep-compressed",
      [&flags](int64_t count) { flags.keep_compressed = count > 0; },
      "also keep a compressed copy of each uncompressed segment, in the directory of "
      "compressed ones: it answers when the segment is damaged, and pmdex tier repair "
      "rebuilds the segment from it; all later commands keep copies, too, until "
      "--no-keep-compressed with --append (default: what the index has)");
  command
      .add_option_function<uint64_t>(
          "--pm-limit",
          [&flags](uint64_t bytes) {
            flags.limit_bytes = bytes;
            flags.has_limit = true;
          },
          "the bytes of uncompressed segments at which auto turns to compressed ones (default: "
          "what the index has, and what the file systems have free, less 5 % and room for two "
          "segments)")
      ->transform(SizeValue())
      ->type_name("SIZE");
}

absl::Status CheckPlacementFlags(const PlacementFlags& flags) {
  if (flags.tier != "auto" && flags.tier != "uncompressed" && flags.tier != "compressed") {
    return InvalidArgument(absl::StrCat("--tier ", flags.tier,
                                        ": there is no such tier (hint: auto, uncompressed or "
                                        "compressed)"));
  }
  if (flags.has_limit && flags.tier != "auto") {
    return InvalidArgument(absl::StrCat("--pm-limit has a meaning with --tier auto only, not with ",
                                        "--tier ", flags.tier));
  }
  return absl::OkStatus();
}

absl::Status ApplyPlacementFlags(const PlacementFlags& flags, uint64_t segment_bytes,
                                 IndexWriter& writer) {
  PlacementOptions options;
  options.now_s = static_cast<uint64_t>(std::time(nullptr));
  options.tier = ChoiceOf(flags.tier);
  for (const std::string& place : flags.places) {
    PMDEX_ASSIGN_OR_RETURN(std::string path, CanonicalPath("--place", place));
    options.places.push_back(std::move(path));
  }
  if (!flags.compressed_directory.empty()) {
    PMDEX_ASSIGN_OR_RETURN(options.compressed_directory,
                           CanonicalPath("--compressed-dir", flags.compressed_directory));
  }
  if (!options.places.empty() || !options.compressed_directory.empty()) {
    PMDEX_ASSIGN_OR_RETURN(options.mark, NewPlaceMark());
  }
  PMDEX_RETURN_IF_ERROR(writer.UsePlaces(options));
  if (flags.keep_compressed.has_value()) writer.KeepCopies(*flags.keep_compressed);
  writer.LimitUncompressed(flags.has_limit ? flags.limit_bytes
                                           : DefaultLimit(writer, segment_bytes));
  return absl::OkStatus();
}

}  // namespace pmdex
