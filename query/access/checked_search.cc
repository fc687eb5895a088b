#include "query/access/checked_search.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "query/access/link_entries.h"

namespace pmdex {
namespace {

// So many times the search runs again before all matches are checked.
constexpr int kFewRounds = 3;

// Documents that may not be shown, by segment.
class RefusedDocs {
 public:
  explicit RefusedDocs(const Snapshot& snapshot)
      : snapshot_(snapshot), docs_(snapshot.segments().size()) {}

  // Adds the hits that may not be shown, and says whether there are any.
  bool Add(const SearchResult& result, const HitCheck& check) {
    bool is_any = false;
    for (const Hit& hit : result.hits) {
      if (check.MayShow(hit.id, IsLinkEntry(snapshot_, hit.doc))) continue;
      is_any = true;
      size_t segment = docs_.size() - 1;
      while (segment > 0 && snapshot_.doc_base(segment) > hit.doc) --segment;
      docs_[segment].push_back(static_cast<DocId>(hit.doc - snapshot_.doc_base(segment)));
    }
    return is_any;
  }
  std::shared_ptr<const Snapshot> Others() const { return snapshot_.WithoutDocs(docs_); }

 private:
  const Snapshot& snapshot_;
  std::vector<std::vector<DocId>> docs_;
};

}  // namespace

absl::StatusOr<SearchResult> RunChecked(const Snapshot& snapshot, const HitCheck& check,
                                        const CheckedSearch& search) {
  RefusedDocs refused(snapshot);
  bool all_are_checked = false;
  std::shared_ptr<const Snapshot> others;
  for (int round = 0;; ++round) {
    if (!all_are_checked && (search.counts_all || round == kFewRounds)) {
      PMDEX_ASSIGN_OR_RETURN(const SearchResult all, search.find_all(snapshot));
      if (refused.Add(all, check)) others = refused.Others();
      all_are_checked = true;
    }
    PMDEX_ASSIGN_OR_RETURN(SearchResult result,
                           search.answer(others == nullptr ? snapshot : *others));
    // What was allowed a moment ago may be refused now.
    if (refused.Add(result, check)) {
      others = refused.Others();
      continue;
    }
    if (!all_are_checked && result.total > result.hits.size()) {
      result.total = result.hits.size();
      result.total_exact = false;
    }
    return result;
  }
}

}  // namespace pmdex
