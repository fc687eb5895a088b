// The inputs of the scaling study: slices of a corpus whose uncompressed indexes are a quarter of
// the last-level cache, times the scale. Where the corpus ends, text is generated. For one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pmem/status.h"
#include "tools/compare/compare_options.h"
#include "tools/compare/compare_result.h"

namespace pmdex {

struct ScaledInput {
  std::vector<std::string> inputs;
  std::string format = "auto";
  std::string note;  // how large the slice is, and how much of it was generated
};

class ScaledCorpus {
 public:
  // folder: where slices are written. known: of the interrupted run that goes on. Without it,
  // measures the cache if options.llc_bytes is 0, and builds an index of a sample of the corpus to
  // learn how many bytes of text an index of a size needs.
  static absl::StatusOr<ScaledCorpus> Open(const CompareOptions& options, std::string folder,
                                           const std::optional<ScaleBasis>& known);

  // Writes the text of a scale, over what an interrupted run has left of it. The same basis gives
  // the same text.
  absl::StatusOr<ScaledInput> Take(uint64_t scale) const;
  // Removes the text of a scale.
  void Drop(uint64_t scale) const;

  const ScaleBasis& basis() const { return basis_; }
  // "32 MiB (knee of a pointer chase)"
  std::string DescribeCache() const;

 private:
  std::vector<std::string> corpus_;
  std::string folder_;
  bool llc_given_ = false;
  ScaleBasis basis_;
};

// The bytes of the uncompressed index of a scale.
double IndexBytesOfScale(uint64_t llc_bytes, uint64_t scale);

// How much of the study's range of index sizes the configurations cover. The study went from 21 to
// 2,450 times its cache of 35.75 MB, in compressed bytes, so that compressed configurations count.
// nullopt without them.
std::optional<std::string> CoveredRange(const CompareResult& result, uint64_t llc_bytes);

}  // namespace pmdex
