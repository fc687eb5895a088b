#include "engine/segment/order/forward_index.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "engine/segment/merge/merged_docs.h"
#include "engine/segment/merge/merged_fields.h"
#include "engine/segment/merge/merged_terms.h"

namespace pmdex {
namespace {

struct DfRange {
  uint32_t least = 0;
  uint32_t most = 0;
  bool Has(uint32_t df) const { return least <= df && df <= most; }
};

// Terms and postings by document frequency, in classes of which each reaches an eighth farther than
// the one before.
class DfHistogram {
 public:
  void Add(uint32_t df) {
    ++classes_[ClassOf(df)].terms;
    classes_[ClassOf(df)].postings += df;
  }

  // The frequencies inside the range that fit into the memory. Classes that do not fit are left out
  // from above; below the first class that fits, all must.
  DfRange Choose(DfRange range, uint64_t memory_bytes, uint64_t bytes_per_term) const {
    DfRange chosen{1, 0};
    uint64_t left = memory_bytes;
    for (size_t i = kClasses; i-- > ClassOf(range.least);) {
      if (classes_[i].terms == 0 || FirstOf(i) > range.most) continue;
      const uint64_t needed =
          classes_[i].postings * sizeof(uint32_t) + classes_[i].terms * bytes_per_term;
      if (needed > left && chosen.most != 0) break;
      if (needed > left) continue;
      left -= needed;
      if (chosen.most == 0) chosen.most = std::min(range.most, LastOf(i));
      chosen.least = std::max(range.least, FirstOf(i));
    }
    return chosen;
  }

 private:
  struct Class {
    uint64_t terms = 0;
    uint64_t postings = 0;
  };
  static constexpr uint32_t kEighths = 3;  // bits below the leading one that tell classes apart
  static constexpr size_t kClasses = size_t{33} << kEighths;

  static size_t ClassOf(uint32_t df) {
    const auto bits = static_cast<uint32_t>(std::bit_width(df));
    if (bits <= kEighths) return df;
    return (static_cast<size_t>(bits - kEighths) << kEighths) +
           ((df >> (bits - 1 - kEighths)) & ((1U << kEighths) - 1));
  }
  // The least frequency of a class; UINT32_MAX behind the last one.
  static uint32_t FirstOf(size_t number) {
    if (number < (size_t{1} << kEighths)) return static_cast<uint32_t>(number);
    const uint64_t shift = (number >> kEighths) - 1;
    const uint64_t leading = (uint64_t{1} << kEighths) + (number & ((1U << kEighths) - 1));
    return static_cast<uint32_t>(std::min<uint64_t>(leading << shift, UINT32_MAX));
  }
  static uint32_t LastOf(size_t number) { return FirstOf(number + 1) - 1; }

  std::array<Class, kClasses> classes_{};
};

// Goes through the terms of all sources and through the documents of those in a range.
class TermPasses {
 public:
  TermPasses(std::span<const MergeSource> sources, const MergedDocs& docs,
             const std::function<bool()>& stop)
      : sources_(sources), docs_(docs), fields_(sources), stop_(stop) {}

  template <typename Visit>
  absl::Status ForEachDf(const Visit& visit) const {
    MergeStatus status;
    MergedTerms terms = Open(status);
    while (terms.Next()) visit(terms.df());
    return status.Get();
  }

  // visit(term, docid). Terms are numbered from 0 on.
  template <typename Visit>
  absl::Status ForEachPosting(const DfRange& range, const Visit& visit) const {
    MergeStatus status;
    MergedTerms terms = Open(status);
    PostingBlock block;
    for (uint32_t term = 0; terms.Next();) {
      if (!range.Has(terms.df())) continue;
      while (terms.NextBlock(block)) {
        for (uint32_t i = 0; i < block.count; ++i) visit(term, block.docids[i]);
      }
      ++term;
    }
    PMDEX_RETURN_IF_ERROR(status.Get());
    for (const MergeSource& source : sources_) PMDEX_RETURN_IF_ERROR(source.segment->Health());
    return absl::OkStatus();
  }

 private:
  MergedTerms Open(MergeStatus& status) const {
    MergedTerms terms(sources_, docs_, fields_, std::nullopt, stop_, {}, status);
    terms.LeaveOutPositions();
    return terms;
  }

  const std::span<const MergeSource> sources_;
  const MergedDocs& docs_;
  const MergedFields fields_;
  const std::function<bool()>& stop_;
};

}  // namespace

absl::StatusOr<ForwardIndex> BuildForwardIndex(std::span<const MergeSource> sources,
                                               const ForwardIndexOptions& options) {
  PMDEX_ASSIGN_OR_RETURN(const MergedDocs docs, MergedDocs::Concatenate(sources));
  const TermPasses passes(sources, docs, options.stop);
  DfHistogram histogram;
  PMDEX_RETURN_IF_ERROR(passes.ForEachDf([&](uint32_t df) { histogram.Add(df); }));
  const DfRange range = histogram.Choose({options.least_df, docs.count() / options.most_df_divisor},
                                         options.memory_bytes, options.bytes_per_term);
  ForwardIndex index;
  index.starts.resize(docs.count() + size_t{1});
  // starts[d + 1] counts the terms of document d, then becomes the place behind them.
  PMDEX_RETURN_IF_ERROR(passes.ForEachPosting(range, [&](uint32_t term, DocId doc) {
    ++index.starts[doc + size_t{1}];
    index.term_count = term + 1;
  }));
  for (size_t i = 1; i < index.starts.size(); ++i) index.starts[i] += index.starts[i - 1];
  index.terms.resize(index.starts.back());
  // starts[d] moves to the end of document d while its terms are added, and then one place on. A
  // damaged source may have other postings now; no write may leave the vector for that.
  PMDEX_RETURN_IF_ERROR(passes.ForEachPosting(range, [&](uint32_t term, DocId doc) {
    if (index.starts[doc] < index.terms.size()) index.terms[index.starts[doc]++] = term;
  }));
  std::move_backward(index.starts.begin(), index.starts.end() - 1, index.starts.end());
  index.starts[0] = 0;
  return index;
}

}  // namespace pmdex
