#include "query/algorithm/phrase_leaf.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "query/algorithm/term_leaf.h"

namespace pmdex {
namespace {

// Slots of the phrase, the one with the rarest term first.
std::vector<uint32_t> RarestFirst(const std::vector<PostingListView>& lists) {
  std::vector<uint32_t> slots(lists.size());
  std::iota(slots.begin(), slots.end(), 0);
  std::stable_sort(slots.begin(), slots.end(),
                   [&](uint32_t a, uint32_t b) { return lists[a].df < lists[b].df; });
  return slots;
}

float GreatestFreq(const PostingListView& list) {
  uint32_t freq = 0;
  for (const uint8_t tf : list.bounds.tf) freq = std::max<uint32_t>(freq, tf);
  for (const OverflowEntry& entry : list.overflow) freq = std::max(freq, entry.freq);
  return static_cast<float>(freq);
}

}  // namespace

PhraseLeaf::PhraseLeaf(std::vector<PostingListView> lists, const BoundQuery& query,
                       LeafContext& context)
    : scorer_(query.scorer),
      kernels_(context.kernels),
      context_(context.cursor),
      exact_(query.slop == 0) {
  terms_.reserve(lists.size());
  for (const uint32_t slot : RarestFirst(lists)) {
    const PostingListView& list = lists[slot];
    const auto same = std::find_if(terms_.begin(), terms_.end(), [&](const PostingWindows& term) {
      return term.list().freqs == list.freqs;
    });
    of_slot_.push_back(static_cast<uint32_t>(same - terms_.begin()));
    if (same == terms_.end()) terms_.emplace_back(list, context.cursor);
  }
  postings_.resize(terms_.size());
  check_.emplace(query, RarestFirst(lists), of_slot_, kernels_);
}

uint32_t PhraseLeaf::WindowCost(uint32_t window) {
  uint32_t cost = kWindowDocs;
  for (PostingWindows& term : terms_) cost = std::min(cost, term.Postings(window).size());
  return cost;
}

void PhraseLeaf::RetainCandidates(uint32_t window, WindowBits& bits) {
  for (PostingWindows& term : terms_) {
    WindowBits docs;
    term.Fill(window, docs);
    bits.And(docs);
  }
}

void PhraseLeaf::Fill(uint32_t window, WindowBits& bits) {
  WindowBits docs;
  terms_[0].Fill(window, docs);
  Retain(window, docs);
  bits.Or(docs);
}

void PhraseLeaf::Retain(uint32_t window, WindowBits& bits) {
  RetainCandidates(window, bits);
  RetainPairs(window, bits);
  WindowBits kept;
  bits.ForEach([&](uint32_t doc) {
    std::fill(postings_.begin(), postings_.end(), PhraseCheck::kUnknown);
    if (Frequency(window * kWindowDocs + doc) > 0) kept.Set(doc);
    return context_.damage.ok();
  });
  bits = kept;
}

// A phrase occurs no oftener than any of its terms. With slop it may occur once for every
// occurrence of any of them (sloppy_phrase.h): then only what no frequency can exceed is known.
void PhraseLeaf::PrepareBounds() {
  bounds_.assign(WindowCount(context_.doc_count), 0.0f);
  const float any_order = exact_ ? 0.0f : UnorderedBound();
  for (size_t i = 0; i < terms_.size(); ++i) {
    const std::vector<float> bounds =
        WindowBounds(terms_[i].list(), scorer_, context_.doc_count, kernels_);
    for (size_t window = 0; window < bounds.size(); ++window) {
      const float bound = exact_ || bounds[window] == 0 ? bounds[window] : any_order;
      bounds_[window] = i == 0 ? bound : std::min(bounds_[window], bound);
    }
  }
}

float PhraseLeaf::SegmentBound() const {
  if (!exact_) return UnorderedBound();
  float least = std::numeric_limits<float>::infinity();
  for (const PostingWindows& term : terms_) {
    least = std::min(least, ListBound(term.list(), scorer_, kernels_));
  }
  return least;
}

float PhraseLeaf::UnorderedBound() const {
  float freq = 0;
  for (const uint32_t term : of_slot_) freq += GreatestFreq(terms_[term].list());
  float bound = std::numeric_limits<float>::min();
  for (int code = 0; code < 256; ++code) {
    bound = std::max(bound, scorer_.Score(freq, static_cast<uint8_t>(code)));
  }
  return bound;
}

void PhraseLeaf::FillPassing(uint32_t window, float needed, WindowBits& bits) {
  const bool filters = exact_ && needed > 0;
  if (filters) kernels_.least_freqs(scorer_, needed, table_);
  WindowBits docs;
  for (size_t i = 0; i < terms_.size(); ++i) {
    WindowBits passing;
    if (!filters) {
      terms_[i].Fill(window, passing);
    } else if (!terms_[i].FillPassing(window, table_, kernels_, passing)) {
      return;
    }
    if (i == 0) {
      docs = passing;
    } else {
      docs.And(passing);
    }
  }
  RetainPairs(window, docs);
  bits.Or(docs);
}

// Looks up a chunk of documents in both terms first, then compares all their positions.
void PhraseLeaf::RetainPairs(uint32_t window, WindowBits& bits) {
  if (!exact_ || of_slot_.size() < 2) return;
  constexpr uint32_t kChunk = 256;
  std::array<uint16_t, kChunk> docs;
  std::array<PositionRun, kChunk> first, second;
  std::array<uint8_t, kChunk> counts;
  pair_counts_.assign(kWindowDocs, kManyPairs);
  pair_window_ = window;
  std::array<bool, 2> sound{};
  for (size_t slot = 0; slot < 2; ++slot) {
    PostingWindows& term = terms_[of_slot_[slot]];
    const PostingWindows::Range range = term.Postings(window);
    sound[slot] = range.size() != 0 && term.list().VerifyPositions(range.begin, range.end);
  }
  const auto run_of = [&](uint32_t slot, DocId doc) {
    PostingWindows& term = terms_[of_slot_[slot]];
    const uint32_t posting = term.Find(doc);
    if (posting == PostingWindows::kNoPosting || !sound[slot]) return PositionRun();
    return term.list().EntriesInPlace(posting);
  };
  uint32_t count = 0;
  const auto compare = [&] {
    kernels_.count_pairs(first.data(), second.data(), count, check_->Distance(0, 1), counts.data());
    for (uint32_t i = 0; i < count; ++i) {
      pair_counts_[docs[i]] = counts[i];
      if (counts[i] == 0) bits.words[docs[i] / 64] &= ~(uint64_t{1} << (docs[i] % 64));
    }
    count = 0;
  };
  bits.ForEach([&](uint32_t doc) {
    docs[count] = static_cast<uint16_t>(doc);
    first[count] = run_of(0, window * kWindowDocs + doc);
    second[count] = run_of(1, window * kWindowDocs + doc);
    if (++count == kChunk) compare();
    return true;
  });
  compare();
}

bool PhraseLeaf::HasPairCount(DocId doc) const {
  return pair_window_ == doc / kWindowDocs && pair_counts_[doc % kWindowDocs] != kManyPairs;
}

bool PhraseLeaf::FindAll(DocId doc) {
  for (size_t i = 0; i < terms_.size(); ++i) {
    postings_[i] = terms_[i].Find(doc);
    if (postings_[i] == PostingWindows::kNoPosting) return false;
  }
  return true;
}

// What the phrase's frequency cannot exceed, where FindAll found it.
float PhraseLeaf::GreatestFrequency() const {
  const auto freq = [this](size_t term) {
    return static_cast<float>(terms_[term].list().Freq(postings_[term]));
  };
  float greatest = freq(0);
  if (exact_) {
    for (size_t i = 1; i < terms_.size(); ++i) greatest = std::min(greatest, freq(i));
  } else {
    greatest = 0;
    for (const uint32_t term : of_slot_) greatest += freq(term);
  }
  return greatest;
}

// Damage is noted and taken for no occurrence.
float PhraseLeaf::Frequency(DocId doc) {
  if (HasPairCount(doc)) {
    const uint8_t pairs = pair_counts_[doc % kWindowDocs];
    if (pairs == 0 || of_slot_.size() == 2) return pairs;
  }
  const absl::StatusOr<float> frequency = check_->Frequency(doc, terms_, postings_);
  if (frequency.ok()) return *frequency;
  context_.ReportDamage(frequency.status());
  return 0;
}

void PhraseLeaf::ScoreDocs(std::span<const DocId> docs, const BatchLane& needed,
                           BatchLane& scores) {
  for (size_t i = 0; i < docs.size(); ++i) scores[i] = Score(docs[i], needed[i]);
}

float PhraseLeaf::Score(DocId doc, float needed) {
  std::fill(postings_.begin(), postings_.end(), PhraseCheck::kUnknown);
  if (HasPairCount(doc) && pair_counts_[doc % kWindowDocs] == 0) return kNoMatch;
  if (needed > 0) {
    if (!FindAll(doc)) return kNoMatch;
    const uint8_t code = terms_[0].list().codes[postings_[0]];
    if (scorer_.Score(GreatestFrequency(), code) < needed) return kTooLow;
  }
  const float frequency = Frequency(doc);
  if (frequency == 0) return kNoMatch;
  if (postings_[0] == PhraseCheck::kUnknown) postings_[0] = terms_[0].Find(doc);
  return scorer_.Score(frequency, terms_[0].list().codes[postings_[0]]);
}

}  // namespace pmdex
