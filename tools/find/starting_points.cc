#include "tools/find/starting_points.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/ingest/build_options.h"
#include "engine/ingest/entries/attribute_names.h"
#include "engine/ingest/input_directories.h"
#include "engine/segment/live_docs.h"
#include "pmem/text.h"
#include "query/cursor/cursor.h"
#include "query/files/attribute_column.h"
#include "query/files/entry_reader.h"

namespace pmdex {
namespace {

std::string WithoutSlashes(std::string_view path) {
  const size_t end = path.find_last_not_of('/');
  return std::string(end == std::string_view::npos ? path.substr(0, 1) : path.substr(0, end + 1));
}

// Without what changes nothing between slashes: "a//b/./c" is "a/b/c".
std::string WithoutEmptyParts(const std::string& path) {
  std::string cleaned = path;
  for (size_t at = 0; (at = cleaned.find('/', at)) != cleaned.npos;) {
    if (cleaned.compare(at, 2, "//") == 0) {
      cleaned.erase(at, 1);
    } else if (cleaned.compare(at, 3, "/./") == 0) {
      cleaned.erase(at, 2);
    } else {
      ++at;
    }
  }
  return cleaned;
}

// How the index may write a path: as it is given; without empty parts; with or without `./` in
// front; absolute; and relative to the directories in which builds with relative inputs ran.
std::vector<std::string> SpellingsOf(const Manifest& manifest, const std::string& path) {
  std::vector<std::string> spellings;
  const auto add = [&](const std::string& plain) {
    spellings.push_back(plain);
    if (plain.starts_with('/')) return;
    spellings.push_back(plain.starts_with("./") ? plain.substr(2) : "./" + plain);
  };
  const std::string plain = WithoutSlashes(path);
  add(plain);
  if (const std::string cleaned = WithoutEmptyParts(plain); cleaned != plain) add(cleaned);
  std::error_code error;
  const auto from_here = std::filesystem::absolute(plain, error);
  if (error) return spellings;
  const std::string absolute = WithoutSlashes(from_here.lexically_normal().string());
  add(absolute);
  const InputDirectories directories(manifest);
  for (const std::string& directory : directories.PrefixesOf(".")) {
    if (directory.empty()) continue;
    if (absolute + '/' == directory) spellings.push_back(".");
    if (absolute.starts_with(directory)) add(absolute.substr(directory.size()));
  }
  return spellings;
}

StartingPoint PointOf(std::string given, std::string root) {
  StartingPoint point;
  point.given = std::move(given);
  point.root = std::move(root);
  return point;
}

// A live document whose path has one of the keys [low, high); kEndOfDocs if there is none. Reads
// the order of values, because few of them have the keys.
absl::StatusOr<DocId> FindDocument(const Snapshot& snapshot, size_t index, uint64_t low,
                                   uint64_t high) {
  if (low >= high) return kEndOfDocs;
  const Segment& segment = *snapshot.segments()[index];
  const AttributeColumn column(segment, attribute::kPath);
  const ColumnView& paths = *column.view();
  PMDEX_ASSIGN_OR_RETURN(const auto order, paths.FindInOrder(low, high - 1));
  PMDEX_ASSIGN_OR_RETURN(const auto docs, paths.DocsInOrder(order.begin, order.end));
  for (const DocId doc : docs) {
    if (doc >= segment.doc_count()) {
      return paths.Damage(paths.entry().order_offset, "a document beyond those of the segment");
    }
    if (!IsLive(snapshot.live_docs(index), doc)) continue;
    PMDEX_ASSIGN_OR_RETURN(const ValueRange values, paths.ValuesOf(doc));
    if (values.count == 0) continue;
    PMDEX_ASSIGN_OR_RETURN(const uint64_t key, paths.KeyAt(values.first));
    if (low <= key && key < high) return doc;
  }
  return kEndOfDocs;
}

absl::StatusOr<bool> HasEntries(const Snapshot& snapshot, const StartingPoint& point) {
  for (size_t i = 0; i < snapshot.segments().size(); ++i) {
    PMDEX_ASSIGN_OR_RETURN(const PathKeys keys, FindPathKeys(*snapshot.segments()[i], point));
    PMDEX_ASSIGN_OR_RETURN(DocId found, FindDocument(snapshot, i, keys.low, keys.high));
    if (found == kEndOfDocs && keys.root != PathKeys::kNoKey) {
      PMDEX_ASSIGN_OR_RETURN(found, FindDocument(snapshot, i, keys.root, keys.root + 1));
    }
    if (found != kEndOfDocs) return true;
  }
  return false;
}

std::vector<StartingPoint> RootsOf(const Snapshot& snapshot) {
  const auto& properties = snapshot.manifest().properties;
  const auto roots = properties.find(kFileRootsProperty);
  std::vector<StartingPoint> points;
  if (roots == properties.end()) {
    points.emplace_back().is_everything = true;
    return points;
  }
  for (const std::string& root : DecodeFileRoots(roots->second)) {
    const std::string plain = WithoutSlashes(root);
    points.push_back(PointOf(root, plain));
  }
  return points;
}

// The time of change of the entry with just this path.
absl::StatusOr<std::optional<int64_t>> TimeIn(const Snapshot& snapshot, size_t index,
                                              const std::string& path) {
  const Segment& segment = *snapshot.segments()[index];
  PMDEX_ASSIGN_OR_RETURN(const PathKeys keys, FindPathKeys(segment, PointOf(path, path)));
  if (keys.root == PathKeys::kNoKey) return std::nullopt;
  PMDEX_ASSIGN_OR_RETURN(const DocId doc, FindDocument(snapshot, index, keys.root, keys.root + 1));
  EntryReader reader(segment);
  if (doc == kEndOfDocs || !reader.MoveTo(doc)) return std::nullopt;
  const int64_t time_ns = reader.number(FileAttribute::kMtime);
  PMDEX_RETURN_IF_ERROR(reader.status());
  return time_ns;
}

}  // namespace

std::optional<std::string_view> StartingPoint::Below(std::string_view path) const {
  if (is_everything) return path;
  if (!path.starts_with(root)) return std::nullopt;
  path.remove_prefix(root.size());
  if (!path.empty() && path[0] != '/' && !root.ends_with('/')) return std::nullopt;
  while (path.starts_with('/')) path.remove_prefix(1);
  return path;
}

void StartingPoint::AppendShown(std::string_view below, std::string& text) const {
  text += given;
  if (below.empty()) return;
  if (!is_everything && !given.ends_with('/')) text += '/';
  text += below;
}

void PathKeys::Retain(std::span<const uint64_t> keys, WindowBits& bits) const {
  for (size_t word = 0; word < kWindowWords; ++word) {
    if (bits.words[word] == 0) continue;
    uint64_t kept = 0;
    for (size_t i = 0; i < 64; ++i) kept |= uint64_t{Has(keys[word * 64 + i])} << i;
    bits.words[word] &= kept;
  }
}

absl::StatusOr<PathKeys> FindPathKeys(const Segment& segment, const StartingPoint& point) {
  const AttributeColumn column(segment, attribute::kPath);
  const ColumnView* const paths = column.view();
  if (paths == nullptr) return PathKeys{};
  if (point.is_everything) return PathKeys{0, paths->keyword_count()};
  PathKeys keys;
  const std::string prefix =
      point.root.ends_with('/') ? point.root.substr(0, point.root.size() - 1) : point.root;
  PMDEX_ASSIGN_OR_RETURN(keys.low, paths->FirstKeywordFrom(prefix + '/'));
  PMDEX_ASSIGN_OR_RETURN(keys.high, paths->FirstKeywordFrom(prefix + '0'));  // behind '/'
  PMDEX_ASSIGN_OR_RETURN(const uint64_t root, paths->FirstKeywordFrom(point.root));
  if (root >= paths->keyword_count()) return keys;
  PMDEX_ASSIGN_OR_RETURN(const std::string_view text, paths->Keyword(root));
  if (text == point.root) keys.root = root;
  return keys;
}

absl::StatusOr<bool> HasMoreSlashes(const Segment& segment, const StartingPoint& point) {
  const AttributeColumn column(segment, attribute::kPath);
  if (column.view() == nullptr || point.is_everything) return false;
  const ColumnView& paths = *column.view();
  const std::string slash = point.root.ends_with('/') ? point.root : point.root + '/';
  PMDEX_ASSIGN_OR_RETURN(const uint64_t more, paths.FirstKeywordFrom(slash + '/'));
  PMDEX_ASSIGN_OR_RETURN(const uint64_t end, paths.FirstKeywordFrom(slash + '0'));
  if (more < end) return true;
  PMDEX_ASSIGN_OR_RETURN(const uint64_t first, paths.FirstKeywordFrom(slash));
  if (slash == point.root || first == paths.keyword_count()) return false;
  PMDEX_ASSIGN_OR_RETURN(const std::string_view text, paths.Keyword(first));
  return text == slash;
}

absl::StatusOr<StartingPoints> FindStartingPoints(const Snapshot& snapshot,
                                                  std::span<const std::string> paths) {
  StartingPoints found;
  if (paths.empty()) {
    found.points = RootsOf(snapshot);
    return found;
  }
  for (const std::string& path : paths) {
    bool is_there = false;
    for (std::string& spelling : SpellingsOf(snapshot.manifest(), path)) {
      StartingPoint point = PointOf(path, std::move(spelling));
      PMDEX_ASSIGN_OR_RETURN(is_there, HasEntries(snapshot, point));
      if (is_there) found.points.push_back(std::move(point));
      if (is_there) break;
    }
    if (!is_there) found.missing.push_back(path);
  }
  return found;
}

absl::StatusOr<int64_t> TimeOfPath(const Snapshot& snapshot, const std::string& path) {
  for (const std::string& spelling : SpellingsOf(snapshot.manifest(), path)) {
    // A root may have been given with slashes at its end.
    std::vector<std::string> paths = {spelling};
    for (const StartingPoint& root : RootsOf(snapshot)) {
      if (!root.is_everything && root.root == spelling) paths.push_back(root.given);
    }
    for (size_t i = 0; i < snapshot.segments().size(); ++i) {
      for (const std::string& stored : paths) {
        PMDEX_ASSIGN_OR_RETURN(const auto time_ns, TimeIn(snapshot, i, stored));
        if (time_ns.has_value()) return *time_ns;
      }
    }
  }
  return MakeStatus(absl::StatusCode::kNotFound,
                    absl::StrCat("the index has no entry ", ToAbsl(path)));
}

}  // namespace pmdex
