#include "query/algorithm/leaf/phrase_leaf.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "query/algorithm/postings/list_bounds.h"

namespace pmdex {
namespace {

// What reading the positions of one window and of one document costs, in the units of
// CursorContext::IsOver.
constexpr uint64_t kWindowWork = 2048;
constexpr uint64_t kDocWork = 128;

// The numbers of the words by ascending value of of_list for their lists.
template <typename F>
std::vector<uint32_t> WordsBy(const std::vector<PostingListView>& lists, F of_list) {
  std::vector<uint32_t> words(lists.size());
  std::iota(words.begin(), words.end(), 0);
  std::stable_sort(words.begin(), words.end(),
                   [&](uint32_t a, uint32_t b) { return of_list(lists[a]) < of_list(lists[b]); });
  return words;
}

uint8_t CodeOf(const PostingListView& list, uint32_t posting) {
  list.Load(posting, posting + 1);
  return list.codes[posting];
}

float GreatestFreq(const PostingListView& list) {
  uint32_t freq = 0;
  for (const uint8_t tf : list.bounds.tf) freq = std::max<uint32_t>(freq, tf);
  for (const OverflowEntry& entry : list.overflow) freq = std::max(freq, entry.freq);
  return static_cast<float>(freq);
}

}  // namespace

PhraseLeaf::PhraseLeaf(std::vector<PostingListView> lists, const BoundQuery& phrase,
                       SegmentContext& context)
    : scorer_(phrase.scorer),
      kernels_(context.kernels),
      context_(context.cursor),
      exact_(phrase.slop == 0) {
  terms_.reserve(lists.size());
  std::vector<uint32_t> term_of(lists.size());
  for (const uint32_t word : WordsBy(lists, [](const PostingListView& list) { return list.df; })) {
    const PostingListView& list = lists[word];
    const auto same = std::find_if(terms_.begin(), terms_.end(), [&](const PostingWindows& term) {
      return term.list().codes == list.codes;
    });
    term_of[word] = static_cast<uint32_t>(same - terms_.begin());
    if (same == terms_.end()) terms_.emplace_back(list, context.cursor);
  }
  postings_.resize(terms_.size());
  for (const uint32_t word : WordsBy(lists, [](const PostingListView& list) { return list.cf; })) {
    words_.push_back({word, term_of[word], phrase.offsets[word]});
  }
  check_.emplace(phrase, words_, kernels_);
  if (words_.size() == 1) return;
  if (exact_) {
    exact_window_.emplace(words_, kernels_);
  } else if (check_->FrequencyBound(1).has_value()) {
    sloppy_window_.emplace(words_, phrase.offsets, phrase.slop, kernels_);
  }
}

uint32_t PhraseLeaf::WindowEstimate(uint32_t window) {
  uint32_t least = kWindowDocs;
  for (PostingWindows& term : terms_) least = std::min(least, term.Postings(window).size());
  return least;
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
  } else if (sloppy_window_.has_value()) {
    if (!without_.empty()) bits.AndNot(without_[window]);
    sloppy_window_->Retain(window, terms_, nullptr, bits);
    open = bits;
  }
  open.ForEach([&](uint32_t doc) {
    std::fill(postings_.begin(), postings_.end(), PhraseCheck::kUnknown);
    if (!Matches(window * kWindowDocs + doc)) bits.words[doc / 64] &= ~(uint64_t{1} << (doc % 64));
    return context_.damage.ok() && !context_.timed_out;
  });
}

// An exact phrase occurs no more often than any of its terms. With slop it may occur once for every
// occurrence of any term (sloppy_phrase.h), so that only the sum of all frequencies bounds it.
void PhraseLeaf::PrepareBounds() {
  bounds_.assign(WindowCount(context_.doc_count), 0.0f);
  const float sloppy_bound = exact_ ? 0.0f : SloppyBound();
  for (size_t i = 0; i < terms_.size(); ++i) {
    const std::vector<float> bounds =
        WindowBounds(terms_[i].list(), scorer_, context_.doc_count, kernels_);
    for (size_t window = 0; window < bounds.size(); ++window) {
      const float bound = exact_ || bounds[window] == 0 ? bounds[window] : sloppy_bound;
      bounds_[window] = i == 0 ? bound : std::min(bounds_[window], bound);
    }
  }
}

float PhraseLeaf::SegmentBound() const {
  if (!exact_) return SloppyBound();
  float least = std::numeric_limits<float>::infinity();
  for (const PostingWindows& term : terms_) {
    least = std::min(least, ListBound(term.list(), scorer_, kernels_));
  }
  return least;
}

float PhraseLeaf::SloppyBound() const {
  float freq = 0;
  for (const PhraseWord& word : words_) freq += GreatestFreq(terms_[word.term].list());
  float bound = std::numeric_limits<float>::min();
  for (int code = 0; code < 256; ++code) {
    bound = std::max(bound, scorer_.Score(freq, static_cast<uint8_t>(code)));
  }
  return bound;
}

// True if frequencies decide which documents reach min_score; table_ is made for it then.
bool PhraseLeaf::PrepareTable(float min_score) {
  if (!check_->FrequencyBound(1).has_value() || min_score <= 0) return false;
  // A table is used again for a minimum score up to 1 / kReuse times its own. It lets a few more
  // documents pass, which costs less than to make a new table.
  constexpr float kReuse = 0.98f;
  if (table_min_score_ > min_score || table_min_score_ < min_score * kReuse) {
    table_min_score_ = min_score * (1 + kReuse) / 2;
    kernels_.least_freqs(scorer_, table_min_score_, table_);
    if (!exact_) LowerTable();
  }
  return true;
}

// Makes the table one for the frequencies of terms. With slop, a phrase may occur more often than
// each of its terms. Its frequency need not be whole, so that one just above least - 1 may do.
void PhraseLeaf::LowerTable() {
  uint32_t term = 0;
  std::array<uint8_t, 256> term_of{};  // by phrase frequency: the least of a term with this bound
  for (uint32_t phrase = 0; phrase < term_of.size(); ++phrase) {
    const auto least = static_cast<float>(phrase) - 1;
    while (*check_->FrequencyBound(static_cast<float>(term)) < least) ++term;
    term_of[phrase] = static_cast<uint8_t>(term);
  }
  for (uint8_t& least : table_.least) least = term_of[least];
}

void PhraseLeaf::FillCompetitive(uint32_t window, float min_score, WindowBits& bits) {
  if (context_.IsOver(kWindowWork)) return;
  const bool filters = PrepareTable(min_score);
  WindowBits docs;
  for (size_t i = 0; i < terms_.size(); ++i) {
    WindowBits competitive;
    if (!filters) {
      terms_[i].Fill(window, competitive);
    } else if (!terms_[i].FillFiltered(window, table_, TableOrder::kAscending, kernels_,
                                       competitive)) {
      return;
    }
    if (i == 0) {
      docs = competitive;
    } else {
      docs.And(competitive);
    }
  }
  if (exact_window_.has_value()) {
    exact_window_->Retain(window, terms_, filters ? &table_ : nullptr, docs);
  } else if (sloppy_window_.has_value()) {
    sloppy_window_->Retain(window, terms_, filters ? &table_ : nullptr, docs);
    if (without_.empty()) without_.resize(WindowCount(context_.doc_count));
    without_[window].Or(sloppy_window_->without());
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

// The upper bound of the phrase's frequency. Requires that FindAll returned true.
float PhraseLeaf::FrequencyBound() const {
  float least = std::numeric_limits<float>::infinity();
  float sum = 0;
  for (const PhraseWord& word : words_) {
    const auto freq = static_cast<float>(terms_[word.term].list().Freq(postings_[word.term]));
    least = std::min(least, freq);
    sum += freq;
  }
  return std::min(sum, check_->FrequencyBound(least).value_or(sum));
}

// 0 if positions are damaged, which it reports.
float PhraseLeaf::Frequency(DocId doc) {
  if (exact_window_.has_value()) {
    const uint16_t known = exact_window_->Frequency(doc);
    if (known != PhraseWindow::kUnknown) return known;
  }
  if (context_.IsOver(kDocWork)) return 0;
  const absl::StatusOr<float> frequency = check_->Frequency(doc, terms_, postings_);
  if (frequency.ok()) return *frequency;
  context_.ReportDamage(frequency.status());
  return 0;
}

bool PhraseLeaf::Matches(DocId doc) {
  if (exact_) return Frequency(doc) > 0;
  if (context_.IsOver(kDocWork)) return false;
  if (sloppy_window_.has_value()) {
    const uint32_t place = sloppy_window_->Find(doc);
    if (place != SloppyWindow::kUnknown) return sloppy_window_->Matches(place);
  }
  const absl::StatusOr<bool> matches = check_->Matches(doc, terms_, postings_);
  if (!matches.ok()) context_.ReportDamage(matches.status());
  return matches.ok() && *matches;
}

void PhraseLeaf::ScoreDocs(std::span<const DocId> docs, const ScoreArray& min_scores,
                           ScoreArray& scores) {
  for (size_t i = 0; i < docs.size(); ++i) scores[i] = Score(docs[i], min_scores[i]);
}

// The score of a document of sloppy_window_.
float PhraseLeaf::ScoreAt(uint32_t place, float min_score) {
  const uint8_t code = sloppy_window_->LengthCode(place);
  if (scorer_.Score(sloppy_window_->FrequencyBound(place), code) < min_score) return kTooLow;
  if (context_.IsOver(kDocWork)) return kNoMatch;
  const float frequency = sloppy_window_->Frequency(place);
  return frequency == 0 ? kNoMatch : scorer_.Score(frequency, code);
}

float PhraseLeaf::Score(DocId doc, float min_score) {
  if (exact_window_.has_value()) {
    const uint16_t known = exact_window_->Frequency(doc);
    if (known == 0) return kNoMatch;
    if (known != PhraseWindow::kUnknown) {
      return scorer_.Score(known, exact_window_->LengthCode(doc));
    }
  }
  if (sloppy_window_.has_value()) {
    const uint32_t place = sloppy_window_->Find(doc);
    if (place != SloppyWindow::kUnknown) return ScoreAt(place, min_score);
  }
  std::fill(postings_.begin(), postings_.end(), PhraseCheck::kUnknown);
  if (min_score > 0) {
    if (!FindAll(doc)) return kNoMatch;
    const uint8_t code = CodeOf(terms_[0].list(), postings_[0]);
    if (scorer_.Score(FrequencyBound(), code) < min_score) return kTooLow;
  }
  const float frequency = Frequency(doc);
  if (frequency == 0) return kNoMatch;
  if (postings_[0] == PhraseCheck::kUnknown) postings_[0] = terms_[0].Find(doc);
  return scorer_.Score(frequency, CodeOf(terms_[0].list(), postings_[0]));
}

}  // namespace pmdex
