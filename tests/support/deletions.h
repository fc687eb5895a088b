// Deletes documents of a snapshot, for tests that compare searches with and without deletions. The
// documents are random, and the same on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/store/snapshot.h"

namespace pmdex {

enum class Deletions {
  kNone,
  kFew,    // 1 % of the documents of each segment
  kFifth,  // 20 %
  kMost,   // 99 %
  kAll,
  // The first segment loses runs of documents, about half of them. The second one loses nothing,
  // the third one everything, and so on.
  kMixed,
};
inline constexpr std::array<Deletions, 6> kEveryDeletions = {Deletions::kNone,  Deletions::kFew,
                                                             Deletions::kFifth, Deletions::kMost,
                                                             Deletions::kAll,   Deletions::kMixed};
std::string_view ToString(Deletions deletions);

// The same segments with these documents deleted instead of those that the snapshot has deleted.
std::shared_ptr<const Snapshot> WithDeletions(const Snapshot& snapshot, Deletions deletions);
// deleted: numbers in index order.
std::shared_ptr<const Snapshot> WithDeletions(const Snapshot& snapshot,
                                              const std::vector<uint64_t>& deleted);

// The bitmaps of all segments, indexed like them: what Snapshot::Of needs to keep the deletions.
std::vector<std::shared_ptr<const LiveDocs>> LiveDocsOf(const Snapshot& snapshot);

// True if the document is not deleted. doc: number in index order of a document that is there.
bool IsLiveDoc(const Snapshot& snapshot, uint64_t doc);

}  // namespace pmdex
