#include "engine/live/id_tables.h"

#include <algorithm>
#include <utility>

namespace pmdex {
namespace {

// The first of these segments with this number or a greater one.
size_t FirstFrom(std::span<const MediumSegment> segments, uint64_t number) {
  const auto found = std::partition_point(
      segments.begin(), segments.end(),
      [number](const MediumSegment& segment) { return segment.begin < number; });
  return static_cast<size_t>(found - segments.begin());
}

}  // namespace

bool IdTables::Table::IsOf(std::span<const MediumSegment> run) const {
  uint64_t left = 0;
  auto own = sources.begin();
  for (const MediumSegment& one : run) {
    while (own != sources.end() && own->begin < one.begin) ++own;
    if (own == sources.end() || own->segment != one.segment) return false;
    left += one.segment->doc_count();
  }
  return 2 * left >= documents;
}

absl::StatusOr<IdTables::Table> IdTables::MakeTable(std::span<const MediumSegment> run,
                                                    uint32_t level) {
  std::vector<DocumentIds::Part> parts;
  std::vector<Source> sources;
  uint64_t documents = 0;
  for (const MediumSegment& one : run) {
    sources.push_back({one.begin, one.segment});
    parts.push_back({one.segment.get(), one.begin, one.live_docs.get()});
    documents += one.segment->doc_count();
  }
  PMDEX_ASSIGN_OR_RETURN(DocumentIds ids, DocumentIds::Build(std::move(parts)));
  return Table{std::move(sources), documents, level, std::move(ids)};
}

absl::Status IdTables::UniteLast(std::span<const MediumSegment> segments,
                                 std::vector<Table>& tables) {
  while (tables.size() >= kUnitedTables) {
    const std::span<const Table> last = std::span(tables).last(kUnitedTables);
    const uint32_t level = last.front().level;
    uint64_t documents = 0;
    bool is_level = true;
    for (const Table& table : last) {
      documents += table.documents;
      is_level = is_level && table.level == level;
    }
    if (!is_level || documents > kMostUnitedDocuments) break;
    const size_t first = FirstFrom(segments, last.front().begin());
    PMDEX_ASSIGN_OR_RETURN(Table united, MakeTable(segments.subspan(first), level + 1));
    tables.erase(tables.end() - kUnitedTables, tables.end());
    tables.push_back(std::move(united));
  }
  return absl::OkStatus();
}

absl::Status IdTables::Follow(std::span<const MediumSegment> segments, uint64_t version) {
  std::vector<Table> followed;
  absl::Status status;
  size_t next = 0;
  for (size_t done = 0; done < segments.size();) {
    const std::span<const MediumSegment> left = segments.subspan(done);
    while (next < tables_.size() && tables_[next].end() <= left.front().begin) ++next;
    Table* const old = next < tables_.size() && tables_[next].begin() <= left.front().begin
                           ? &tables_[next++]
                           : nullptr;
    const auto run = left.first(old == nullptr ? 1 : FirstFrom(left, old->end()));
    done += run.size();
    if (old != nullptr && old->IsOf(run)) {
      followed.push_back(std::move(*old));
      continue;
    }
    absl::StatusOr<Table> made = MakeTable(run, old == nullptr ? 0 : old->level);
    if (!made.ok()) {  // the tables of the others need not be made again
      status = made.status();
      continue;
    }
    followed.push_back(*std::move(made));
    if (status.ok()) status = UniteLast(segments.first(done), followed);
  }
  tables_ = std::move(followed);
  if (status.ok()) version_ = version;
  return status;
}

absl::StatusOr<std::vector<uint64_t>> IdTables::Find(std::string_view id) const {
  std::vector<uint64_t> numbers;
  for (const Table& table : tables_) {
    PMDEX_ASSIGN_OR_RETURN(const auto found, table.ids.FindAll(id));
    numbers.insert(numbers.end(), found.begin(), found.end());
  }
  return numbers;
}

}  // namespace pmdex
