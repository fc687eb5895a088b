#include "tools/placement_flags.h"

#include <ctime>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

namespace pmdex {
namespace {

// The path as a manifest lists it: absolute and without symbolic links. Parts that do not exist yet
// stay as they are.
absl::StatusOr<std::string> CanonicalPath(const std::string& path) {
  std::error_code error;
  std::filesystem::path canonical = std::filesystem::weakly_canonical(path, error);
  if (!error) canonical = std::filesystem::absolute(canonical, error).lexically_normal();
  if (error || path.empty()) {
    return InvalidArgument(absl::StrCat("--place ", path, ": not the path of a directory"));
  }
  std::string text = canonical.string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
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
                  "where segments go; there is no other tier than the uncompressed one yet, which "
                  "auto stands for, too")
      ->type_name("auto|uncompressed");
}

absl::Status CheckPlacementFlags(const PlacementFlags& flags) {
  if (flags.tier.empty() || flags.tier == "auto" || flags.tier == "uncompressed") {
    return absl::OkStatus();
  }
  return InvalidArgument(absl::StrCat(
      "--tier ", flags.tier, ": ",
      flags.tier == "compressed" ? "there is no compressed tier yet" : "there is no such tier",
      " (hint: auto and uncompressed both write uncompressed segments)"));
}

absl::Status ApplyPlacementFlags(const PlacementFlags& flags, IndexWriter& writer) {
  PlacementOptions options;
  options.now_s = static_cast<uint64_t>(std::time(nullptr));
  for (const std::string& place : flags.places) {
    PMDEX_ASSIGN_OR_RETURN(std::string path, CanonicalPath(place));
    options.places.push_back(std::move(path));
  }
  if (!options.places.empty()) {
    PMDEX_ASSIGN_OR_RETURN(options.mark, NewPlaceMark());
  }
  return writer.UsePlaces(options);
}

}  // namespace pmdex
