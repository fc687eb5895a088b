#include "tests/support/deletions.h"

#include <utility>

#include "tests/support/random_corpus.h"

namespace pmdex {
namespace {

using Bitmap = std::shared_ptr<const LiveDocs>;

Bitmap Without(uint32_t doc_count, const std::vector<DocId>& deleted) {
  if (deleted.empty()) return nullptr;
  return std::make_shared<const LiveDocs>(LiveDocs::Without(doc_count, deleted));
}

Bitmap WithoutPercent(uint32_t doc_count, size_t percent, SeededRandom& random) {
  std::vector<DocId> deleted;
  for (DocId doc = 0; doc < doc_count; ++doc) {
    if (random.Below(100) < percent) deleted.push_back(doc);
  }
  return Without(doc_count, deleted);
}

Bitmap WithoutRuns(uint32_t doc_count, SeededRandom& random) {
  constexpr size_t kLongest = 9000;
  std::vector<DocId> deleted;
  bool is_deleted = random.OneIn(2);
  for (DocId doc = 0; doc < doc_count; is_deleted = !is_deleted) {
    size_t run = 1 + random.Below(random.OneIn(3) ? kLongest : 40);
    for (; run > 0 && doc < doc_count; --run, ++doc) {
      if (is_deleted) deleted.push_back(doc);
    }
  }
  return Without(doc_count, deleted);
}

Bitmap BitmapOf(uint32_t doc_count, Deletions deletions, size_t segment) {
  SeededRandom random(segment + 1);
  switch (deletions) {
    case Deletions::kNone:
      return nullptr;
    case Deletions::kFew:
      return WithoutPercent(doc_count, 1, random);
    case Deletions::kFifth:
      return WithoutPercent(doc_count, 20, random);
    case Deletions::kMost:
      return WithoutPercent(doc_count, 99, random);
    case Deletions::kAll:
      return WithoutPercent(doc_count, 100, random);
    case Deletions::kMixed:
      if (segment % 3 == 0) return WithoutRuns(doc_count, random);
      return segment % 3 == 1 ? nullptr : WithoutPercent(doc_count, 100, random);
  }
  return nullptr;
}

std::shared_ptr<const Snapshot> WithBitmaps(const Snapshot& snapshot, std::vector<Bitmap> bitmaps) {
  const auto segments = snapshot.segments();
  return Snapshot::Of(snapshot.settings(), {segments.begin(), segments.end()}, std::move(bitmaps));
}

// The segment of a document.
size_t SegmentOf(const Snapshot& snapshot, uint64_t doc) {
  size_t segment = snapshot.segments().size() - 1;
  while (snapshot.doc_base(segment) > doc) --segment;
  return segment;
}

}  // namespace

std::string_view ToString(Deletions deletions) {
  constexpr std::array<std::string_view, 6> kNames = {
      "no deletions", "1 % deleted", "20 % deleted",
      "99 % deleted", "all deleted", "deletions that differ by segment"};
  return kNames[static_cast<size_t>(deletions)];
}

std::shared_ptr<const Snapshot> WithDeletions(const Snapshot& snapshot, Deletions deletions) {
  std::vector<Bitmap> bitmaps;
  for (const auto& segment : snapshot.segments()) {
    bitmaps.push_back(BitmapOf(segment->doc_count(), deletions, bitmaps.size()));
  }
  return WithBitmaps(snapshot, std::move(bitmaps));
}

std::shared_ptr<const Snapshot> WithDeletions(const Snapshot& snapshot,
                                              const std::vector<uint64_t>& deleted) {
  std::vector<std::vector<DocId>> by_segment(snapshot.segments().size());
  for (const uint64_t doc : deleted) {
    const size_t segment = SegmentOf(snapshot, doc);
    by_segment[segment].push_back(static_cast<DocId>(doc - snapshot.doc_base(segment)));
  }
  std::vector<Bitmap> bitmaps;
  for (size_t i = 0; i < by_segment.size(); ++i) {
    bitmaps.push_back(Without(snapshot.segments()[i]->doc_count(), by_segment[i]));
  }
  return WithBitmaps(snapshot, std::move(bitmaps));
}

std::vector<std::shared_ptr<const LiveDocs>> LiveDocsOf(const Snapshot& snapshot) {
  std::vector<Bitmap> bitmaps;
  for (size_t i = 0; i < snapshot.segments().size(); ++i) {
    const LiveDocs* const live_docs = snapshot.live_docs(i);
    bitmaps.push_back(live_docs == nullptr ? nullptr
                                           : std::make_shared<const LiveDocs>(*live_docs));
  }
  return bitmaps;
}

bool IsLiveDoc(const Snapshot& snapshot, uint64_t doc) {
  const size_t segment = SegmentOf(snapshot, doc);
  return IsLive(snapshot.live_docs(segment), static_cast<DocId>(doc - snapshot.doc_base(segment)));
}

}  // namespace pmdex
