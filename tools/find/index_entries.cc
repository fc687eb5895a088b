#include "tools/find/index_entries.h"

#include <algorithm>
#include <utility>

#include "engine/analysis/analyzer.h"
#include "query/access/current_access.h"
#include "query/access/user_identity.h"
#include "query/access/visible_snapshot.h"
#include "query/algorithm/all_matches.h"
#include "query/columns/snapshot_columns.h"
#include "query/language/query_parser.h"
#include "tools/command.h"

namespace pmdex {

absl::StatusOr<IndexEntries> IndexEntries::Open(const std::string& index,
                                                const std::string& as_user) {
  IndexEntries entries;
  PMDEX_ASSIGN_OR_RETURN(const std::string path, ResolveIndexPath(index));
  PMDEX_ASSIGN_OR_RETURN(entries.directory_, OpenIndexDirectory(path));
  PMDEX_ASSIGN_OR_RETURN(entries.snapshot_, Snapshot::Open(*entries.directory_));
  WarnPassedOver(*entries.snapshot_);
  WarnMissing(MissingParts(*entries.snapshot_));
  if (!as_user.empty()) {
    PMDEX_ASSIGN_OR_RETURN(const UserIdentity user, FindUser(as_user));
    PMDEX_ASSIGN_OR_RETURN(auto shown, ShowOnlyTo(user, entries.snapshot_));
    if (shown != entries.snapshot_) {
      entries.access_ = std::make_unique<CurrentAccess>(user, InputDirectories(shown->manifest()));
    }
    entries.snapshot_ = std::move(shown);
  }
  return entries;
}

absl::Status IndexEntries::KeepMatches(const std::string& query) {
  const auto analyzer = NewAnalyzer(snapshot_->settings().analyzer);
  QueryParser parser(*analyzer);
  parser.SetColumns(KnowledgeOf(*snapshot_));
  PMDEX_ASSIGN_OR_RETURN(const auto parsed, parser.Parse(query));
  PMDEX_ASSIGN_OR_RETURN(matches_, FindMatches(*parsed, *snapshot_));
  return absl::OkStatus();
}

void IndexEntries::RetainMatches(EntryWindow& entries) const {
  const std::vector<DocId>& docs = (*matches_)[entries.segment];
  const DocId first = entries.window * kWindowDocs;
  WindowBits matching;
  for (auto doc = std::lower_bound(docs.begin(), docs.end(), first);
       doc != docs.end() && *doc - first < kWindowDocs; ++doc) {
    matching.Set(*doc - first);
  }
  entries.entries.And(matching);
}

absl::Status IndexEntries::ForEachWindowIn(size_t segment, const StartingPoint& point,
                                           const VisitWindow& visit) const {
  const Segment& opened = *snapshot_->segments()[segment];
  EntryReader reader(opened);
  const ColumnView* const paths = reader.column(FileAttribute::kPath);
  PMDEX_ASSIGN_OR_RETURN(const PathKeys keys, FindPathKeys(opened, point));
  if (paths == nullptr || keys.empty()) return absl::OkStatus();
  PMDEX_ASSIGN_OR_RETURN(const bool has_more_slashes, HasMoreSlashes(opened, point));
  for (uint32_t window = 0; window < WindowCount(opened.doc_count()); ++window) {
    PMDEX_ASSIGN_OR_RETURN(const ColumnZone zone, paths->Zone(window));
    if (!keys.MayHave(zone)) continue;
    EntryWindow entries{segment, reader, keys, has_more_slashes, window, reader.EntriesIn(window)};
    RetainLive(snapshot_->live_docs(segment), window, entries.entries);
    keys.Retain(reader.Values(FileAttribute::kPath).keys(), entries.entries);
    if (matches_.has_value()) RetainMatches(entries);
    PMDEX_RETURN_IF_ERROR(reader.status());
    visit(entries);
  }
  PMDEX_RETURN_IF_ERROR(reader.status());
  return opened.Health();
}

absl::Status IndexEntries::ForEachWindow(const StartingPoint& point,
                                         const VisitWindow& visit) const {
  for (size_t i = 0; i < snapshot_->segments().size(); ++i) {
    PMDEX_RETURN_IF_ERROR(ForEachWindowIn(i, point, visit));
  }
  return absl::OkStatus();
}

absl::Status IndexEntries::ForEach(const StartingPoint& point, const Visit& visit) const {
  return ForEachWindow(point, [&](const EntryWindow& entries) {
    entries.entries.ForEach([&](uint32_t i) {
      entries.MoveTo(i);
      const std::string_view path = entries.reader.path();
      const auto below = point.Below(path);
      if (below.has_value() && MayShow(path, entries.reader.type() == 'l'))
        visit(entries.reader, *below);
      return true;
    });
  });
}

}  // namespace pmdex
