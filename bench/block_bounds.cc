// What does it cost that the bounds of a block are four merged points and not its exact frontier?
//
//   build/bench/block_bounds INDEX FIELD <WORDS
//
// WORDS has one word a line. For each word with several blocks, and for several minimum scores of
// the word alone, it counts the blocks that have a posting with such a score, and those whose four
// points let it pass. The first are what exact frontiers would let pass.
#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "engine/store/snapshot.h"
#include "pmem/directory.h"
#include "query/algorithm/postings/list_bounds.h"
#include "query/kernel/kernels.h"
#include "query/similarity.h"

namespace pmdex {
namespace {

constexpr std::array<const char*, 4> kMinimums = {"the 10th best score", "0.9 of the best score",
                                                  "0.75 of it", "0.5 of it"};

struct Counts {
  uint64_t blocks = 0;
  std::array<uint64_t, kMinimums.size()> exact{};
  std::array<uint64_t, kMinimums.size()> by_points{};
};

void AddList(const PostingListView& list, const TermScorer& scorer, Counts& counts) {
  const QueryKernels& kernels = BestQueryKernels();
  const auto blocks = static_cast<uint32_t>(list.block_bounds.size());
  std::vector<float> bounds(blocks), best(blocks), all;
  kernels.block_bounds(list.block_bounds.data(), blocks, scorer, EscapeFreq(list), bounds.data());
  for (uint32_t i = 0; i < list.df; ++i) {
    all.push_back(scorer.Score(static_cast<float>(list.Freq(i)), list.codes[i]));
    best[i / kBlockPostings] = std::max(best[i / kBlockPostings], all.back());
  }
  std::nth_element(all.begin(), all.begin() + 9, all.end(), std::greater<>());
  const float top = *std::max_element(best.begin(), best.end());
  const std::array<float, kMinimums.size()> minimums = {all[9], top * 0.9f, top * 0.75f,
                                                        top * 0.5f};
  counts.blocks += blocks;
  for (size_t m = 0; m < minimums.size(); ++m) {
    const auto reaches = [&](float score) { return score >= minimums[m]; };
    counts.exact[m] += static_cast<uint64_t>(std::count_if(best.begin(), best.end(), reaches));
    counts.by_points[m] +=
        static_cast<uint64_t>(std::count_if(bounds.begin(), bounds.end(), reaches));
  }
}

absl::Status Measure(const std::string& index, const std::string& field, Counts& counts) {
  PMDEX_ASSIGN_OR_RETURN(const auto directory, OpenFileDirectory(index, {}));
  PMDEX_ASSIGN_OR_RETURN(const auto snapshot, Snapshot::Open(*directory));
  const FieldStatistics statistics = snapshot->field_statistics(field);
  const LengthTable lengths = MakeLengthTable(SimilarityKind::kBm25, statistics);
  for (std::string word; std::getline(std::cin, word);) {
    for (const auto& segment : snapshot->segments()) {
      const auto id = segment->FindField(field);
      if (!id.has_value()) continue;
      PMDEX_ASSIGN_OR_RETURN(const auto entry, segment->Find(*id, word));
      if (!entry.has_value() || entry->df <= kBlockPostings) continue;
      PMDEX_ASSIGN_OR_RETURN(const PostingListView list,
                             segment->Postings(*entry, ListParts::kScores));
      AddList(list, {SimilarityKind::kBm25, 1.0f, &lengths, nullptr}, counts);
    }
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace pmdex

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: block_bounds INDEX FIELD <WORDS\n");
    return 2;
  }
  pmdex::Counts counts;
  const absl::Status status = pmdex::Measure(argv[1], argv[2], counts);
  if (!status.ok()) {
    std::fprintf(stderr, "block_bounds: %s\n", std::string(status.message()).c_str());
    return 1;
  }
  for (size_t m = 0; m < pmdex::kMinimums.size(); ++m) {
    std::printf("%s: %llu of %llu blocks pass, %llu by exact frontiers\n", pmdex::kMinimums[m],
                static_cast<unsigned long long>(counts.by_points[m]),
                static_cast<unsigned long long>(counts.blocks),
                static_cast<unsigned long long>(counts.exact[m]));
  }
}
