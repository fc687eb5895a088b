#include "engine/store/sets/chosen_documents.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/check.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

absl::Status CheckWhole(const Snapshot& snapshot) {
  if (snapshot.quarantined().empty()) return absl::OkStatus();
  const QuarantinedSegment& missing = snapshot.quarantined().front();
  return DataLoss(absl::StrCat(missing.file_name, " does not answer, and ", missing.doc_count,
                               " documents would be missing: ", ToAbsl(Message(missing.reason))));
}

absl::Status CheckSameSettings(const IndexSettings& a, const IndexSettings& b) {
  const auto differ = [](std::string_view what) {
    return MakeStatus(
        absl::StatusCode::kFailedPrecondition,
        absl::StrCat("the indexes differ in ", ToAbsl(what),
                     ", and their documents cannot be in one index (hint: pmdex info shows it)"));
  };
  if (a.analyzer != b.analyzer) return differ("their analyzer");
  if (a.positions != b.positions) return differ("--positions");
  if (a.store_text != b.store_text) return differ("--store");
  return absl::OkStatus();
}

// The live documents of segments()[index], and of these those for which keeps(doc) is true.
template <typename Keeps>
absl::StatusOr<ChosenSegment> ChooseOf(const Snapshot& snapshot, size_t index, const Keeps& keeps) {
  const Segment& segment = *snapshot.segments()[index];
  const LiveDocs* live = snapshot.live_docs(index);
  std::vector<DocId> left_out;
  for (DocId doc = 0; doc < segment.doc_count(); ++doc) {
    if (!IsLive(live, doc)) continue;
    PMDEX_ASSIGN_OR_RETURN(const bool kept, keeps(segment, doc));
    if (!kept) left_out.push_back(doc);
  }
  PMDEX_RETURN_IF_ERROR(segment.Health());
  ChosenSegment chosen{&segment, nullptr};
  if (live != nullptr || !left_out.empty()) {
    chosen.docs =
        std::make_shared<const LiveDocs>(LiveDocs::Without(live, segment.doc_count(), left_out));
  }
  return chosen;
}

template <typename Keeps>
absl::Status AppendChosen(const Snapshot& snapshot, const Keeps& keeps, ChosenDocuments& chosen) {
  for (size_t i = 0; i < snapshot.segments().size(); ++i) {
    PMDEX_ASSIGN_OR_RETURN(ChosenSegment of_segment, ChooseOf(snapshot, i, keeps));
    if (of_segment.count() > 0) chosen.push_back(std::move(of_segment));
  }
  return absl::OkStatus();
}

// The live documents of the index with the numbers [begin, end), counted without deleted ones.
absl::Status AppendRun(const Snapshot& index, uint64_t begin, uint64_t end,
                       ChosenDocuments& chosen) {
  uint64_t first = 0;  // the number of the segment's first live document
  for (size_t i = 0; i < index.segments().size() && first < end; ++i) {
    const LiveDocs* live = index.live_docs(i);
    const uint64_t after =
        first + (live == nullptr ? index.segments()[i]->doc_count() : live->live_count());
    if (after > begin && after > first) {
      uint64_t number = first;
      const auto keeps = [&number, begin, end](const Segment&, DocId) -> absl::StatusOr<bool> {
        const uint64_t own = number++;
        return begin <= own && own < end;
      };
      PMDEX_ASSIGN_OR_RETURN(ChosenSegment of_segment, ChooseOf(index, i, keeps));
      if (of_segment.count() > 0) chosen.push_back(std::move(of_segment));
    }
    first = after;
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> KeepsAll(const Segment& /*segment*/, DocId /*doc*/) {
  return true;
}

}  // namespace

absl::StatusOr<ChosenDocuments> ChooseDocuments(SetOperation operation, const Snapshot& a,
                                                const Snapshot& b) {
  PMDEX_RETURN_IF_ERROR(CheckWhole(a));
  PMDEX_RETURN_IF_ERROR(CheckWhole(b));
  PMDEX_RETURN_IF_ERROR(CheckSameSettings(a.settings(), b.settings()));
  const bool is_union = operation == SetOperation::kUnion;
  const Snapshot& other = is_union ? a : b;
  const bool keeps_found = operation == SetOperation::kIntersection;
  std::string buffer;
  const auto keeps = [&other, &buffer, keeps_found](const Segment& segment,
                                                    DocId doc) -> absl::StatusOr<bool> {
    PMDEX_ASSIGN_OR_RETURN(const std::string_view id, segment.Checked(segment.doc_id(doc, buffer)));
    PMDEX_ASSIGN_OR_RETURN(const std::optional<uint64_t> found, other.FindDocument(id));
    return found.has_value() == keeps_found;
  };
  ChosenDocuments chosen;
  if (is_union) PMDEX_RETURN_IF_ERROR(AppendChosen(a, KeepsAll, chosen));
  PMDEX_RETURN_IF_ERROR(AppendChosen(is_union ? b : a, keeps, chosen));
  return chosen;
}

absl::StatusOr<std::vector<ChosenDocuments>> DivideDocuments(const Snapshot& index,
                                                             uint64_t parts) {
  PMDEX_CHECK(parts > 0);
  PMDEX_RETURN_IF_ERROR(CheckWhole(index));
  const uint64_t count = index.live_doc_count();
  std::vector<ChosenDocuments> divided(parts);
  uint64_t begin = 0;
  for (uint64_t part = 0; part < parts; ++part) {
    const uint64_t end = begin + count / parts + (part < count % parts ? 1 : 0);
    PMDEX_RETURN_IF_ERROR(AppendRun(index, begin, end, divided[part]));
    begin = end;
  }
  return divided;
}

}  // namespace pmdex
