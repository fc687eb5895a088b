// Random sources of a merge, some of whose documents are deleted, for tests of orders.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/engine/segment/merge/merge_model.h"

namespace pmdex {

struct OrderTestSources {
  std::vector<ModelDocument> docs;
  std::vector<std::shared_ptr<const Segment>> segments;
  std::vector<std::shared_ptr<const LiveDocs>> live_docs;
  std::vector<MergeSource> sources;
  std::vector<const ModelDocument*> survivors;  // as MergedDocs::Concatenate numbers them
};

// Three segments with these documents; every fifth document is deleted, and the second segment is
// compressed.
inline std::unique_ptr<OrderTestSources> MakeOrderTestSources(std::vector<ModelDocument> docs,
                                                              const ModelOptions& options) {
  auto made = std::make_unique<OrderTestSources>();
  made->docs = std::move(docs);
  const size_t third = made->docs.size() / 3;
  for (size_t part = 0; part < 3; ++part) {
    std::vector<const ModelDocument*> own;
    std::vector<DocId> deleted;
    const size_t end = part == 2 ? made->docs.size() : (part + 1) * third;
    for (size_t i = part * third; i < end; ++i) {
      if (i % 5 == 4) {
        deleted.push_back(static_cast<DocId>(own.size()));
      } else {
        made->survivors.push_back(&made->docs[i]);
      }
      own.push_back(&made->docs[i]);
    }
    auto segment = WriteModel(own, {"title", "body"}, options);
    if (part == 1) segment = CompressSegment(*segment);
    made->live_docs.push_back(
        std::make_shared<LiveDocs>(LiveDocs::Without(segment->doc_count(), deleted)));
    made->sources.push_back({segment.get(), made->live_docs.back().get()});
    made->segments.push_back(std::move(segment));
  }
  return made;
}

// Says that it is time to stop from the `after`-th question on.
inline std::function<bool()> StopAfter(int& asked, int after) {
  return [&asked, after] { return asked++ >= after; };
}

}  // namespace pmdex
