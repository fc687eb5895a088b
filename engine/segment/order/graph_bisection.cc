#include "engine/segment/order/graph_bisection.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "absl/base/thread_annotations.h"

#include "pmem/check.h"
#include "pmem/exhaustion.h"
#include "pmem/mutex.h"
#include "pmem/thread.h"

namespace pmdex {
namespace {

// A document of a range, and how strongly it is drawn to the first half.
struct BisectedDocument {
  float pull;
  DocId doc;
};
static_assert(sizeof(BisectedDocument) + sizeof(DocId) == kBisectionBytesPerDocument);

struct BisectedRange {
  size_t begin = 0;
  size_t end = 0;
  size_t size() const { return end - begin; }
};

// log2 of a number of documents, and 0 for 0: a term that a side does not have pulls nowhere.
class Logarithms {
 public:
  Logarithms() {
    for (size_t i = 1; i < table_.size(); ++i) table_[i] = std::log2(static_cast<float>(i));
  }
  float Of(uint32_t count) const {
    return count < table_.size() ? table_[count] : std::log2(static_cast<float>(count));
  }

 private:
  std::array<float, 4096> table_{};
};

// Divides ranges, one after the other. Belongs to one thread; several may work on different ranges
// of the same documents.
class RangeDivider {
 public:
  RangeDivider(const ForwardIndex& index, const BisectionOptions& options,
               const Logarithms& logarithms)
      : index_(index), options_(options), logarithms_(logarithms), terms_(index.term_count) {}

  // Divides the documents into two halves of the same size. Each half is then in the order of
  // docids. Returns kCancelled once stop returns true.
  absl::Status Divide(std::span<BisectedDocument> documents) {
    const std::span<BisectedDocument> first = documents.first(documents.size() / 2);
    const std::span<BisectedDocument> second = documents.subspan(first.size());
    CountTerms(first, second);
    absl::Status status;
    for (uint32_t pass = 0; pass < options_.passes; ++pass) {
      if (options_.stop && options_.stop()) {
        status = MakeStatus(absl::StatusCode::kCancelled, "the merge was cancelled");
        break;
      }
      ComputePulls(documents);
      if (LargestGain(first, second) <= static_cast<float>(pass)) break;
      MoveDocuments(documents, first.size());
    }
    ForgetTerms();
    const auto is_before = [](const BisectedDocument& a, const BisectedDocument& b) {
      return a.doc < b.doc;
    };
    std::sort(first.begin(), first.end(), is_before);
    std::sort(second.begin(), second.end(), is_before);
    return status;
  }

 private:
  struct TermState {
    uint32_t first = 0;   // documents of the first half
    uint32_t second = 0;  // of the second half
    float pull = 0;       // to the first half
  };
  static_assert(sizeof(TermState) + sizeof(uint32_t) == kBisectionBytesPerTerm);

  void CountTerms(std::span<const BisectedDocument> first,
                  std::span<const BisectedDocument> second) {
    for (const BisectedDocument& document : first) {
      for (const uint32_t term : index_.TermsOf(document.doc)) {
        if (terms_[term].first++ == 0) used_.push_back(term);
      }
    }
    for (const BisectedDocument& document : second) {
      for (const uint32_t term : index_.TermsOf(document.doc)) {
        TermState& state = terms_[term];
        if (state.first == 0 && state.second == 0) used_.push_back(term);
        ++state.second;
      }
    }
  }

  void ForgetTerms() {
    for (const uint32_t term : used_) terms_[term] = {};
    used_.clear();
  }

  void ComputePulls(std::span<BisectedDocument> documents) {
    for (const uint32_t term : used_) {
      TermState& state = terms_[term];
      state.pull = logarithms_.Of(state.first) - logarithms_.Of(state.second);
    }
    for (BisectedDocument& document : documents) {
      float pull = 0;
      for (const uint32_t term : index_.TermsOf(document.doc)) pull += terms_[term].pull;
      document.pull = pull;
    }
  }

  // What is gained if the two documents that want it most change sides.
  static float LargestGain(std::span<const BisectedDocument> first,
                           std::span<const BisectedDocument> second) {
    float least = std::numeric_limits<float>::infinity();
    for (const BisectedDocument& document : first) least = std::min(least, document.pull);
    float greatest = -std::numeric_limits<float>::infinity();
    for (const BisectedDocument& document : second) greatest = std::max(greatest, document.pull);
    return greatest - least;
  }

  // Puts the documents with the strongest pull to the first half there.
  void MoveDocuments(std::span<BisectedDocument> documents, size_t first_size) {
    // The highest bit tells afterwards where a document stood.
    for (size_t i = 0; i < first_size; ++i) documents[i].doc |= kWasFirst;
    std::nth_element(documents.begin(), documents.begin() + static_cast<std::ptrdiff_t>(first_size),
                     documents.end(), [](const BisectedDocument& a, const BisectedDocument& b) {
                       if (a.pull != b.pull) return a.pull > b.pull;
                       return (a.doc ^ kWasFirst) < (b.doc ^ kWasFirst);  // the first half stays
                     });
    for (size_t i = 0; i < documents.size(); ++i) {
      const bool was_first = (documents[i].doc & kWasFirst) != 0;
      documents[i].doc &= ~kWasFirst;
      if (was_first == (i < first_size)) continue;
      const uint32_t change = was_first ? 1 : UINT32_MAX;  // to the second half, or from it
      for (const uint32_t term : index_.TermsOf(documents[i].doc)) {
        terms_[term].first -= change;
        terms_[term].second += change;
      }
    }
  }

  static constexpr DocId kWasFirst = kMostBisectedDocuments;

  const ForwardIndex& index_;
  const BisectionOptions& options_;
  const Logarithms& logarithms_;
  std::vector<TermState> terms_;
  std::vector<uint32_t> used_;  // the terms of the range
};

// The ranges that are still to be divided. Thread-safe.
class RangeQueue {
 public:
  RangeQueue(BisectedRange all, const BisectionOptions& options)
      : options_(options), ranges_({all}), total_(WorkOf(all)) {}

  // Waits for a range; nullopt once there are no more, and after Stop.
  std::optional<BisectedRange> Take() ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(&mutex_);
    mutex_.Await(this, &RangeQueue::MayTake);
    if (ranges_.empty() || is_stopped_) return std::nullopt;
    const BisectedRange range = ranges_.back();
    ranges_.pop_back();
    ++taken_;
    return range;
  }
  // A range that was taken became these parts, which are still to be divided.
  void Finish(BisectedRange range, std::span<const BisectedRange> parts)
      ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(&mutex_);
    ranges_.insert(ranges_.end(), parts.begin(), parts.end());
    --taken_;
    done_ += WorkOf(range);
    for (const BisectedRange part : parts) done_ -= WorkOf(part);
    if (options_.progress && total_ > 0) options_.progress(std::clamp(done_ / total_, 0.0, 1.0));
  }
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_) {
    MutexLock lock(&mutex_);
    is_stopped_ = true;
  }

 private:
  bool MayTake() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return !ranges_.empty() || taken_ == 0 || is_stopped_;
  }
  // How often a document of the range is looked at, about: once for each level.
  double WorkOf(BisectedRange range) const {
    double levels = 0;
    const size_t least = std::max<uint32_t>(options_.least_range, 1);
    for (size_t size = range.size(); size > least; size = (size + 1) / 2) ++levels;
    return static_cast<double>(range.size()) * levels;
  }

  const BisectionOptions& options_;
  Mutex mutex_;
  std::vector<BisectedRange> ranges_ ABSL_GUARDED_BY(mutex_);
  size_t taken_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_stopped_ ABSL_GUARDED_BY(mutex_) = false;
  double done_ ABSL_GUARDED_BY(mutex_) = 0;
  const double total_;
};

// Ranges of no more documents are divided to the end by the thread that takes them.
constexpr size_t kRangeOfOneThread = 4096;

class GraphBisection {
 public:
  GraphBisection(const ForwardIndex& index, const BisectionOptions& options)
      : index_(index),
        options_(options),
        documents_(index.doc_count()),
        queue_({0, documents_.size()}, options) {
    for (size_t i = 0; i < documents_.size(); ++i) documents_[i].doc = static_cast<DocId>(i);
  }

  absl::Status Run() {
    return RunOnThreads(options_.threads, [this](size_t) {
      absl::Status status = CatchOutOfMemory([this] { return DivideFromQueue(); });
      if (!status.ok()) queue_.Stop();
      return status;
    });
  }

  std::vector<DocId> order() const {
    std::vector<DocId> order;
    order.reserve(documents_.size());
    for (const BisectedDocument& document : documents_) order.push_back(document.doc);
    return order;
  }

 private:
  bool IsDivided(BisectedRange range) const {
    return range.size() <= std::max<uint32_t>(options_.least_range, 1);
  }

  // Adds the halves of the range that are still to be divided.
  absl::Status Divide(BisectedRange range, RangeDivider& divider,
                      std::vector<BisectedRange>& parts) {
    if (IsDivided(range)) return absl::OkStatus();
    PMDEX_RETURN_IF_ERROR(divider.Divide(std::span(documents_).subspan(range.begin, range.size())));
    const size_t middle = range.begin + range.size() / 2;
    for (const BisectedRange part :
         {BisectedRange{middle, range.end}, BisectedRange{range.begin, middle}}) {
      if (!IsDivided(part)) parts.push_back(part);
    }
    return absl::OkStatus();
  }

  absl::Status DivideFromQueue() {
    RangeDivider divider(index_, options_, logarithms_);
    while (const std::optional<BisectedRange> range = queue_.Take()) {
      std::vector<BisectedRange> parts;
      PMDEX_RETURN_IF_ERROR(Divide(*range, divider, parts));
      while (range->size() <= kRangeOfOneThread && !parts.empty()) {
        const BisectedRange next = parts.back();
        parts.pop_back();
        PMDEX_RETURN_IF_ERROR(Divide(next, divider, parts));
      }
      queue_.Finish(*range, parts);
    }
    return absl::OkStatus();
  }

  const ForwardIndex& index_;
  const BisectionOptions& options_;
  const Logarithms logarithms_;
  std::vector<BisectedDocument> documents_;
  RangeQueue queue_;
};

}  // namespace

absl::StatusOr<std::vector<DocId>> BisectDocuments(const ForwardIndex& index,
                                                   const BisectionOptions& options) {
  PMDEX_CHECK(index.doc_count() <= kMostBisectedDocuments);
  GraphBisection bisection(index, options);
  PMDEX_RETURN_IF_ERROR(bisection.Run());
  return bisection.order();
}

}  // namespace pmdex
