#include "query/algorithm/phrase_leaf.h"

#include <algorithm>
#include <array>
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
    : postings_(lists.size()),
      check_(query, RarestFirst(lists), context.kernels),
      scorer_(query.scorer),
      kernels_(context.kernels),
      context_(context.cursor),
      exact_(query.slop == 0) {
  terms_.reserve(lists.size());
  for (const uint32_t slot : RarestFirst(lists)) terms_.emplace_back(lists[slot], context.cursor);
}

uint32_t PhraseLeaf::Cost(uint32_t window) {
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
  WindowBits kept;
  bits.ForEach([&](uint32_t doc) {
    if (FindAll(window * kWindowDocs + doc) && Frequency() > 0) kept.Set(doc);
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

float PhraseLeaf::UnorderedBound() const {
  float freq = 0;
  for (const PostingWindows& term : terms_) freq += GreatestFreq(term.list());
  float bound = 0;
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
  bits.Or(docs);
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
  float least = 0;
  float sum = 0;
  for (size_t i = 0; i < terms_.size(); ++i) {
    const auto freq = static_cast<float>(terms_[i].list().Freq(postings_[i]));
    least = i == 0 ? freq : std::min(least, freq);
    sum += freq;
  }
  return exact_ ? least : sum;
}

// Damage is noted and taken for no occurrence.
float PhraseLeaf::Frequency() {
  constexpr size_t kFew = 16;
  std::array<PhraseCheck::Term, kFew> few;
  std::vector<PhraseCheck::Term> many(terms_.size() > kFew ? terms_.size() : 0);
  const std::span<PhraseCheck::Term> terms =
      many.empty() ? std::span(few).first(terms_.size()) : std::span(many);
  for (size_t i = 0; i < terms.size(); ++i) terms[i] = {&terms_[i].list(), postings_[i]};
  absl::StatusOr<float> frequency = check_.Frequency(terms);
  if (frequency.ok()) return *frequency;
  context_.ReportDamage(frequency.status());
  return 0;
}

float PhraseLeaf::Score(DocId doc, float needed) {
  if (!FindAll(doc)) return kNoMatch;
  const uint8_t code = terms_[0].list().codes[postings_[0]];
  if (scorer_.Score(GreatestFrequency(), code) < needed) return kTooLow;
  const float frequency = Frequency();
  return frequency > 0 ? scorer_.Score(frequency, code) : kNoMatch;
}

}  // namespace pmdex
