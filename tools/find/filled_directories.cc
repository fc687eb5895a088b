#include "tools/find/filled_directories.h"

#include "engine/ingest/entries/attribute_names.h"

namespace pmdex {
namespace {

std::string_view PathWithoutSlashes(std::string_view path) {
  const size_t end = path.find_last_not_of('/');
  return end == std::string_view::npos ? path.substr(0, 1) : path.substr(0, end + 1);
}

}  // namespace

absl::StatusOr<FilledDirectories> FilledDirectories::Find(const IndexEntries& index) {
  FilledDirectories filled;
  filled.segments_.resize(index.snapshot().segments().size());
  for (size_t i = 0; i < filled.segments_.size(); ++i) {
    InSegment& segment = filled.segments_[i];
    segment.directories = index.snapshot().segments()[i]->FindColumn(attribute::kDir);
    if (segment.directories == nullptr) continue;
    segment.are_filled.resize(segment.directories->keyword_count());
  }
  StartingPoint everything;
  everything.is_everything = true;
  const auto mark = [&](const EntryWindow& entries) {
    AttributeColumn& directories = entries.reader.Values(FileAttribute::kDir);
    std::vector<bool>& are_filled = filled.segments_[entries.segment].are_filled;
    entries.entries.ForEach([&](uint32_t i) {
      entries.MoveTo(i);
      const DocId doc = entries.reader.doc();
      if (!directories.Has(doc) || directories.Key(doc) >= are_filled.size()) return true;
      if (index.hides_some() &&
          !index.MayShow(entries.reader.path(), entries.reader.type() == 'l')) {
        return true;
      }
      are_filled[directories.Key(doc)] = true;
      return true;
    });
  };
  PMDEX_RETURN_IF_ERROR(index.ForEachWindow(everything, mark));
  return filled;
}

absl::StatusOr<bool> FilledDirectories::Contains(std::string_view path) const {
  path = PathWithoutSlashes(path);
  for (const InSegment& segment : segments_) {
    if (segment.are_filled.empty()) continue;
    const ColumnView& directories = *segment.directories;
    PMDEX_ASSIGN_OR_RETURN(const uint64_t key, directories.FirstKeywordFrom(path));
    if (key >= segment.are_filled.size() || !segment.are_filled[key]) continue;
    PMDEX_ASSIGN_OR_RETURN(const std::string_view found, directories.Keyword(key));
    if (found == path) return true;
  }
  return false;
}

}  // namespace pmdex
