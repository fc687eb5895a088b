#include "query/algorithm/leaf/phrase_leaf.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "query/algorithm/leaf/term_leaf.h"

namespace pmdex {
namespace {

// Of the positions of a window's documents, in the units of CursorContext::IsOver.
constexpr uint64_t kWindowWork = 2048;

// The places of the phrase by what `of_list` says of their lists, ascending.
template <typename F>
std::vector<uint32_t> SlotsBy(const std::vector<PostingListView>& lists, F of_list) {
  std::vector<uint32_t> slots(lists.size());
  std::iota(slots.begin(), slots.end(), 0);
  std::stable_sort(slots.begin(), slots.end(),
                   [&](uint32_t a, uint32_t b) { return of_list(lists[a]) < of_list(lists[b]); });
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
  std::vector<uint32_t> term_of(lists.size());
  for (const uint32_t slot : SlotsBy(lists, [](const PostingListView& list) { return list.df; })) {
    const PostingListView& list = lists[slot];
    const auto same = std::find_if(terms_.begin(), terms_.end(), [&](const PostingWindows& term) {
      return term.list().freqs == list.freqs;
    });
    term_of[slot] = static_cast<uint32_t>(same - terms_.begin());
    if (same == terms_.end()) terms_.emplace_back(list, context.cursor);
  }
  postings_.resize(terms_.size());
  for (const uint32_t slot : SlotsBy(lists, [](const PostingListView& list) { return list.cf; })) {
    slots_.push_back({slot, term_of[slot], query.offsets[slot]});
  }
  check_.emplace(query, slots_, kernels_);
  if (exact_ && slots_.size() > 1) exact_window_.emplace(slots_, kernels_);
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
  if (context_.IsOver(kWindowWork)) return;
  RetainCandidates(window, bits);
  WindowBits open = bits;
  if (exact_window_.has_value()) {
    exact_window_->Retain(window, terms_, nullptr, bits);
    open = exact_window_->unknown();
  }
  open.ForEach([&](uint32_t doc) {
    std::fill(postings_.begin(), postings_.end(), PhraseCheck::kUnknown);
    const bool matches = Frequency(window * kWindowDocs + doc) > 0;
    if (!matches) bits.words[doc / 64] &= ~(uint64_t{1} << (doc % 64));
    return context_.damage.ok() && !context_.timed_out;
  });
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
  for (const PhraseSlot& slot : slots_) freq += GreatestFreq(terms_[slot.term].list());
  float bound = std::numeric_limits<float>::min();
  for (int code = 0; code < 256; ++code) {
    bound = std::max(bound, scorer_.Score(freq, static_cast<uint8_t>(code)));
  }
  return bound;
}

// Whether frequencies decide who reaches `needed`; then table_ says how.
bool PhraseLeaf::PrepareTable(float needed) {
  if (!exact_ || needed <= 0) return false;
  // A table for a little less will do, and lets a few more pass.
  constexpr float kSlack = 0.98f;
  if (table_needed_ > needed || table_needed_ < needed * kSlack) {
    table_needed_ = needed * (1 + kSlack) / 2;
    kernels_.least_freqs(scorer_, table_needed_, table_);
  }
  return true;
}

void PhraseLeaf::FillPassing(uint32_t window, float needed, WindowBits& bits) {
  if (context_.IsOver(kWindowWork)) return;
  const bool filters = PrepareTable(needed);
  WindowBits docs;
  for (size_t i = 0; i < terms_.size(); ++i) {
    WindowBits passing;
    if (!filters) {
      terms_[i].Fill(window, passing);
    } else if (!terms_[i].FillPassing(window, table_, TableOrder::kAscending, kernels_, passing)) {
      return;
    }
    if (i == 0) {
      docs = passing;
    } else {
      docs.And(passing);
    }
  }
  if (exact_window_.has_value()) {
    exact_window_->Retain(window, terms_, filters ? &table_ : nullptr, docs);
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
  const auto freq = [this](size_t term) {
    return static_cast<float>(terms_[term].list().Freq(postings_[term]));
  };
  float greatest = freq(0);
  if (exact_) {
    for (size_t i = 1; i < terms_.size(); ++i) greatest = std::min(greatest, freq(i));
  } else {
    greatest = 0;
    for (const PhraseSlot& slot : slots_) greatest += freq(slot.term);
  }
  return greatest;
}

// Damage is noted and taken for no occurrence.
float PhraseLeaf::Frequency(DocId doc) {
  if (exact_window_.has_value()) {
    const uint16_t known = exact_window_->Frequency(doc);
    if (known != PhraseWindow::kUnknown) return known;
  }
  // A document by itself costs a microsecond and more. What is said once time is over means
  // nothing.
  constexpr uint64_t kDocWork = 128;
  if (context_.IsOver(kDocWork)) return 0;
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
  if (exact_window_.has_value()) {
    const uint16_t known = exact_window_->Frequency(doc);
    if (known == 0) return kNoMatch;
    if (known != PhraseWindow::kUnknown) {
      return scorer_.Score(known, exact_window_->LengthCode(doc));
    }
  }
  std::fill(postings_.begin(), postings_.end(), PhraseCheck::kUnknown);
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
