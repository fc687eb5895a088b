#include "tools/find/index_entries.h"

#include <utility>

#include "engine/analysis/analyzer.h"
#include "engine/segment/live_docs.h"
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
    if (shown != entries.snapshot_) entries.access_ = std::make_unique<CurrentAccess>(user);
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

absl::Status IndexEntries::ForEachIn(size_t segment, const StartingPoint& point,
                                     const Visit& visit) const {
  const Segment& opened = *snapshot_->segments()[segment];
  PMDEX_ASSIGN_OR_RETURN(const PathKeys keys, FindPathKeys(opened, point));
  if (keys.low >= keys.high) return absl::OkStatus();
  const LiveDocs* const live = snapshot_->live_docs(segment);
  EntryReader reader(opened);
  const auto look_at = [&](DocId doc) {
    if (!IsLive(live, doc) || !reader.MoveTo(doc)) return;
    const uint64_t key = reader.ordinal(FileAttribute::kPath);
    if (key < keys.low || key >= keys.high) return;
    const auto below = point.Below(reader.path());
    if (!below.has_value()) return;
    if (access_ == nullptr || access_->MayShow(reader.path())) visit(reader, *below);
  };
  if (matches_.has_value()) {
    for (const DocId doc : (*matches_)[segment]) look_at(doc);
  } else {
    for (DocId doc = 0; doc < opened.doc_count(); ++doc) look_at(doc);
  }
  PMDEX_RETURN_IF_ERROR(reader.status());
  return opened.Health();
}

absl::Status IndexEntries::ForEach(const StartingPoint& point, const Visit& visit) const {
  for (size_t i = 0; i < snapshot_->segments().size(); ++i) {
    PMDEX_RETURN_IF_ERROR(ForEachIn(i, point, visit));
  }
  return absl::OkStatus();
}

}  // namespace pmdex
