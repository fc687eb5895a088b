#include "engine/segment/order/path_order.h"

#include <algorithm>
#include <deque>
#include <string>

namespace pmdex {
namespace {

constexpr size_t kDocumentsBetweenStops = 1 << 14;

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// Takes the digits at the beginning of the text, without leading zeros.
std::string_view TakeNumber(std::string_view& text) {
  size_t zeros = 0;
  while (zeros < text.size() && text[zeros] == '0') ++zeros;
  size_t end = zeros;
  while (end < text.size() && IsDigit(text[end])) ++end;
  const std::string_view number = text.substr(zeros, end - zeros);
  text.remove_prefix(end);
  return number;
}

int CompareBytes(char a, char b) {
  const auto rank = [](char c) { return c == '/' ? -1 : static_cast<unsigned char>(c); };
  return rank(a) - rank(b);
}

int CompareNumbers(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}

// Negative, 0 or positive. 0 also for paths that differ in leading zeros alone.
int ComparePaths(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (IsDigit(a[0]) && IsDigit(b[0])) {
      const int order = CompareNumbers(TakeNumber(a), TakeNumber(b));
      if (order != 0) return order;
    } else if (a[0] != b[0]) {
      return CompareBytes(a[0], b[0]);
    } else {
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return static_cast<int>(!a.empty()) - static_cast<int>(!b.empty());
}

struct OrderedDocument {
  std::string_view id;  // in the mapped file, or a copy
  DocId doc;            // as in MergedDocs::Concatenate
};

bool IsBefore(const OrderedDocument& a, const OrderedDocument& b) {
  if (IsPathBefore(a.id, b.id)) return true;
  return a.id == b.id && a.doc < b.doc;
}

}  // namespace

bool IsPathBefore(std::string_view a, std::string_view b) {
  const int order = ComparePaths(a, b);
  return order != 0 ? order < 0 : a < b;
}

absl::StatusOr<std::vector<DocId>> OrderByPath(std::span<const MergeSource> sources,
                                               const std::function<bool()>& stop) {
  std::vector<OrderedDocument> documents;
  std::deque<std::string> copies;  // of the ids of compressed segments
  std::string buffer;
  for (const MergeSource& source : sources) {
    for (DocId doc = 0; doc < source.segment->doc_count(); ++doc) {
      if (!IsLive(source.live_docs, doc)) continue;
      if (documents.size() % kDocumentsBetweenStops == 0 && stop && stop()) {
        return MakeStatus(absl::StatusCode::kCancelled, "the merge was cancelled");
      }
      PMDEX_ASSIGN_OR_RETURN(std::string_view id, source.segment->doc_id(doc, buffer));
      if (id.data() == buffer.data()) id = copies.emplace_back(id);
      documents.push_back({id, static_cast<DocId>(documents.size())});
    }
  }
  std::sort(documents.begin(), documents.end(), IsBefore);
  for (const MergeSource& source : sources) PMDEX_RETURN_IF_ERROR(source.segment->Health());
  std::vector<DocId> order;
  order.reserve(documents.size());
  for (const OrderedDocument& document : documents) order.push_back(document.doc);
  return order;
}

}  // namespace pmdex
