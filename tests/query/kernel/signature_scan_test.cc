#include "query/kernel/signature_scan.h"

#include <vector>

#include "gtest/gtest.h"

#include "pmem/cpu_features.h"
#include "query/kernel/kernels.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace signature_scan_test {

// Every kernel against the definition, for words and for signatures of any bits.
TEST(SignatureScan, EqualsTheDefinitionAtEachLevel) {
  SeededRandom random(7);
  for (const size_t block_count : {0, 1, 3, 4, 64}) {
    for (int round = 0; round < 50; ++round) {
      const TermSignature word =
          round % 2 == 0 ? static_cast<TermSignature>(random.Next()) : SignatureOf("kernels");
      std::vector<BlockSignatures> blocks(block_count);
      for (BlockSignatures& block : blocks) {
        for (TermSignature& term : block.of_term) {
          term = static_cast<TermSignature>(random.Next());
          if (random.OneIn(3)) continue;
          term = word;
          for (uint64_t changes = random.Below(4); changes > 0; --changes) {
            term ^= TermSignature{1} << random.Below(32);
          }
        }
      }
      for (const SimdLevel level : {SimdLevel::kScalar, SimdLevel::kAvx2, SimdLevel::kAvx512}) {
        if (!IsUsable(level)) continue;
        // A value that no scan gives to the masks behind the last block.
        std::vector<uint16_t> near(block_count + 1, 0x5a5a);
        std::vector<uint16_t> far(block_count + 1, 0x5a5a);
        QueryKernelsOf(level).scan_signatures({blocks.data(), block_count, word}, near.data(),
                                              far.data());
        for (size_t i = 0; i < block_count * kTermsPerBlock; ++i) {
          const size_t block = i / kTermsPerBlock;
          const size_t bit = i % kTermsPerBlock;
          const int edits = LeastEdits(word, blocks[block].of_term[bit]);
          ASSERT_EQ((near[block] >> bit & 1) != 0, edits <= 1) << static_cast<int>(level);
          ASSERT_EQ((far[block] >> bit & 1) != 0, edits == 2) << static_cast<int>(level);
        }
        ASSERT_EQ(near.back(), 0x5a5a);
        ASSERT_EQ(far.back(), 0x5a5a);
      }
    }
  }
}

TEST(ClassScan, EqualsTheDefinitionAtEachLevel) {
  SeededRandom random(8);
  for (const size_t block_count : {0, 1, 3, 64}) {
    for (int round = 0; round < 50; ++round) {
      const TermSignature classes = round == 0 ? 0 : ClassesOf(round % 2 == 0 ? "irq" : "z\u00e9");
      std::vector<BlockSignatures> blocks(block_count);
      for (BlockSignatures& block : blocks) {
        for (TermSignature& term : block.of_term) {
          term = static_cast<TermSignature>(random.Next());
          if (random.OneIn(2)) term |= classes;
        }
      }
      for (const SimdLevel level : {SimdLevel::kScalar, SimdLevel::kAvx2, SimdLevel::kAvx512}) {
        if (!IsUsable(level)) continue;
        std::vector<uint16_t> masks(block_count + 1, 0x5a5a);
        QueryKernelsOf(level).find_classes({blocks.data(), block_count, classes}, masks.data());
        for (size_t i = 0; i < block_count * kTermsPerBlock; ++i) {
          const TermSignature term = blocks[i / kTermsPerBlock].of_term[i % kTermsPerBlock];
          ASSERT_EQ((masks[i / kTermsPerBlock] >> (i % kTermsPerBlock) & 1) != 0,
                    (classes & ~term) == 0)
              << static_cast<int>(level);
        }
        ASSERT_EQ(masks.back(), 0x5a5a);
      }
    }
  }
}

}  // namespace signature_scan_test
}  // namespace pmdex
