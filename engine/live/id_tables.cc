#include "engine/live/id_tables.h"

#include <utility>

namespace pmdex {

absl::Status IdTables::Follow(std::span<const MediumSegment> segments, uint64_t version) {
  std::map<uint64_t, Table> followed;
  absl::Status status;
  for (const MediumSegment& next : segments) {
    auto kept = tables_.extract(next.begin);
    if (!kept.empty() && kept.mapped().segment == next.segment) {
      followed.insert(std::move(kept));
      continue;
    }
    auto ids = DocumentIds::Build({{next.segment.get(), 0, next.live_docs.get()}});
    if (!ids.ok()) {  // the tables of the others need not be made again
      status = ids.status();
      continue;
    }
    followed.emplace(next.begin, Table{next.segment, *std::move(ids)});
  }
  tables_ = std::move(followed);
  if (status.ok()) version_ = version;
  return status;
}

absl::StatusOr<std::vector<uint64_t>> IdTables::Find(std::string_view id) const {
  std::vector<uint64_t> numbers;
  for (const auto& [begin, table] : tables_) {
    PMDEX_ASSIGN_OR_RETURN(const auto found, table.ids.FindAll(id));
    for (const uint64_t doc : found) numbers.push_back(begin + doc);
  }
  return numbers;
}

}  // namespace pmdex
