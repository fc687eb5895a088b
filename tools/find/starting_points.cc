#include "tools/find/starting_points.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/ingest/build_options.h"
#include "engine/ingest/entries/attribute_names.h"
#include "engine/segment/live_docs.h"
#include "pmem/text.h"
#include "query/files/entry_reader.h"

namespace pmdex {
namespace {

std::string WithoutSlashes(std::string_view path) {
  const size_t end = path.find_last_not_of('/');
  return std::string(end == std::string_view::npos ? path.substr(0, 1) : path.substr(0, end + 1));
}

std::vector<std::string> SpellingsOf(const std::string& path) {
  const std::string plain = WithoutSlashes(path);
  std::vector<std::string> spellings = {plain};
  if (!plain.starts_with('/')) {
    spellings.push_back(plain.starts_with("./") ? plain.substr(2) : "./" + plain);
  }
  std::error_code error;
  const auto absolute = std::filesystem::absolute(plain, error);
  if (!error) spellings.push_back(WithoutSlashes(absolute.lexically_normal().string()));
  return spellings;
}

StartingPoint PointOf(std::string given, std::string root) {
  StartingPoint point;
  point.given = std::move(given);
  point.root = std::move(root);
  return point;
}

absl::StatusOr<bool> HasEntries(const Snapshot& snapshot, const StartingPoint& point) {
  for (size_t i = 0; i < snapshot.segments().size(); ++i) {
    const Segment& segment = *snapshot.segments()[i];
    PMDEX_ASSIGN_OR_RETURN(const PathKeys keys, FindPathKeys(segment, point));
    if (keys.low >= keys.high) continue;
    const EntryReader reader(segment);
    const ColumnView& paths = *reader.column(FileAttribute::kPath);
    PMDEX_ASSIGN_OR_RETURN(const auto order, paths.FindInOrder(keys.low, keys.high - 1));
    PMDEX_ASSIGN_OR_RETURN(const auto docs, paths.DocsInOrder(order.begin, order.end));
    for (uint64_t place = 0; place < docs.size(); ++place) {
      if (docs[place] >= segment.doc_count()) {
        return paths.Damage(paths.entry().order_offset, "a document beyond those of the segment");
      }
      if (!IsLive(snapshot.live_docs(i), docs[place])) continue;
      PMDEX_ASSIGN_OR_RETURN(const ValueRange values, paths.ValuesOf(docs[place]));
      if (values.count == 0) continue;
      PMDEX_ASSIGN_OR_RETURN(const uint64_t key, paths.KeyAt(values.first));
      PMDEX_ASSIGN_OR_RETURN(const std::string_view path, paths.Keyword(key));
      if (point.Below(path).has_value()) return true;
    }
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

}  // namespace

std::optional<std::string_view> StartingPoint::Below(std::string_view path) const {
  if (is_everything) return path;
  if (!path.starts_with(root)) return std::nullopt;
  path.remove_prefix(root.size());
  if (path.empty()) return path;
  if (root != "/" && path[0] != '/') return std::nullopt;
  const size_t begin = path.find_first_not_of('/');
  return begin == std::string_view::npos ? std::string_view() : path.substr(begin);
}

void StartingPoint::AppendShown(std::string_view below, std::string& text) const {
  text += given;
  if (below.empty()) return;
  if (!is_everything && !given.ends_with('/')) text += '/';
  text += below;
}

absl::StatusOr<PathKeys> FindPathKeys(const Segment& segment, const StartingPoint& point) {
  const AttributeColumn column(segment, attribute::kPath);
  const ColumnView* const paths = column.view();
  if (paths == nullptr) return PathKeys{};
  if (point.is_everything) return PathKeys{0, paths->keyword_count()};
  PathKeys keys;
  PMDEX_ASSIGN_OR_RETURN(keys.low, paths->FirstKeywordFrom(point.root));
  const bool is_root = point.root.ends_with('/');
  const std::string behind =
      (is_root ? point.root.substr(0, point.root.size() - 1) : point.root) + '0';  // behind '/'
  PMDEX_ASSIGN_OR_RETURN(keys.high, paths->FirstKeywordFrom(behind));
  return keys;
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
    for (std::string& spelling : SpellingsOf(path)) {
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
  for (const std::string& spelling : SpellingsOf(path)) {
    const StartingPoint point = PointOf(path, spelling);
    for (size_t i = 0; i < snapshot.segments().size(); ++i) {
      const Segment& segment = *snapshot.segments()[i];
      PMDEX_ASSIGN_OR_RETURN(const PathKeys keys, FindPathKeys(segment, point));
      if (keys.low >= keys.high) continue;
      EntryReader reader(segment);
      for (DocId doc = 0; doc < segment.doc_count(); ++doc) {
        if (!IsLive(snapshot.live_docs(i), doc) || !reader.MoveTo(doc)) continue;
        const uint64_t key = reader.ordinal(FileAttribute::kPath);
        if (key < keys.low || key >= keys.high) continue;
        const auto below = point.Below(reader.path());
        if (below.has_value() && below->empty()) return reader.number(FileAttribute::kMtime);
      }
      PMDEX_RETURN_IF_ERROR(reader.status());
    }
  }
  return MakeStatus(absl::StatusCode::kNotFound,
                    absl::StrCat("the index has no entry ", ToAbsl(path)));
}

}  // namespace pmdex
