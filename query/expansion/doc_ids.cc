#include "query/expansion/doc_ids.h"

#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace pmdex {
namespace {

// A set of ids that refuses most other ids by a look at their size and their last bytes.
class WantedIds {
 public:
  explicit WantedIds(std::span<const std::string> ids) : ids_(ids.begin(), ids.end()) {
    for (const std::string& id : ids) marks_[MarkOf(id)] = true;
  }
  bool Contains(std::string_view id) const { return marks_[MarkOf(id)] && ids_.contains(id); }

 private:
  static constexpr size_t kMarks = 1 << 12;

  static size_t MarkOf(std::string_view id) {
    size_t mark = id.size();
    if (id.size() >= 2) {
      const auto last = static_cast<unsigned char>(id.back());
      const auto before = static_cast<unsigned char>(id[id.size() - 2]);
      mark += size_t{last} * 67 + size_t{before} * 5;
    }
    return mark % kMarks;
  }

  std::unordered_set<std::string_view> ids_;
  std::vector<bool> marks_ = std::vector<bool>(kMarks);
};

}  // namespace

absl::Status AddDocumentsOfIds(std::span<const std::string> ids, const Segment& segment,
                               CursorContext& context, DeadlineWatch& watch, DocSet& docs) {
  const WantedIds wanted(ids);
  std::vector<DocId> found;
  for (DocId doc = 0; doc < segment.doc_count() && !watch.IsOver(1); ++doc) {
    PMDEX_ASSIGN_OR_RETURN(const std::string_view id, segment.doc_id(doc));
    if (wanted.Contains(id)) found.push_back(doc);
  }
  docs.Add({static_cast<uint32_t>(found.size()), found.data(), nullptr, {}}, context);
  return absl::OkStatus();
}

}  // namespace pmdex
