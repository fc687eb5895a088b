// Computes the BestPoints of a list: for each number k of kBestPointCounts a point that at least k
// postings reach. A reader that wants the k best postings so knows a score that they surely have,
// before it has read any. Among all such points it takes the one with the best BM25 score under
// Lucene's default parameters and the average length of the field in this segment. The points are
// true for every similarity, and best for that one.
//
// Frequencies are rounded down to one of kLevels, which keeps the points true. Belongs to one
// thread.
#pragma once

#include <array>
#include <cstdint>

#include "engine/segment/format.h"

namespace pmdex {

class BestPointBuilder {
 public:
  BestPointBuilder();

  // Starts the lists of a field. average_length: tokens a document that has the field.
  void StartField(double average_length);

  // Adds postings of the current list. freqs, codes: `count` each.
  void Add(const uint8_t* freqs, const uint8_t* codes, uint32_t count);
  // The same where all frequencies are 1.
  void AddUnit(const uint8_t* codes, uint32_t count);

  // The points of the postings that were added, and starts the next list.
  BestPoints Take();

 private:
  static constexpr std::array<uint8_t, 24> kLevels = {
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 24, 32, 48, 64, 96, 128, 255};
  static constexpr std::array<uint8_t, 256> LevelsOfFreqs();
  using Row = std::array<uint32_t, 256>;  // indexed by length code

  // Replaces points by better ones with this frequency. reach: how many postings have at least the
  // frequency.
  void Improve(uint8_t tf, const Row& reach, std::array<float, kBestPointKinds>& best,
               BestPoints& points) const;

  std::array<float, 256> norms_;  // of BM25: the score grows with tf / norm. Indexed by length code
  std::array<Row, kLevels.size()> rows_{};  // postings of each level and code
  size_t levels_ = 0;                       // rows that are used
};

}  // namespace pmdex
