#include "query/algorithm/leaf/phrase_prefix_docs.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "query/algorithm/phrase/phrase_prefix_window.h"
#include "query/algorithm/postings/posting_windows.h"
#include "query/cursor/exact_phrase.h"
#include "query/cursor/open_cursor.h"
#include "query/kernel/kernel_types.h"

namespace pmdex {
namespace {

// One of the last word's terms in one document.
struct LastTerm {
  DocId doc = 0;
  uint32_t term = 0;
  uint32_t posting = 0;
};

class PhrasePrefixSearch {
 public:
  PhrasePrefixSearch(const BoundQuery& query, const std::vector<PostingListView>& words,
                     const std::vector<PostingListView>& last, SegmentContext& context)
      : query_(query),
        context_(context.cursor),
        runs_(words.size()),
        positions_(words.size() + 1),
        exact_(query.offsets) {
    for (const PostingListView& list : words) words_.emplace_back(list, context.cursor);
    for (const PostingListView& list : last) last_.emplace_back(list, context.cursor);
    for (uint32_t i = 0; i < words.size(); ++i) {
      if (words[i].df < words[lead_].df) lead_ = i;
    }
    if (query.slop != 0) {
      sloppy_.emplace(SloppyMatcherOf(query));
    } else {
      exact_window_.emplace(query.offsets, context.kernels);
    }
  }

  PhrasePrefixDocs Find() {
    const uint64_t window_work = 256 + 16 * last_.size();
    const uint32_t windows = WindowCount(context_.doc_count);
    for (uint32_t window = words_[lead_].FirstWindowFrom(0); window < windows;
         window = words_[lead_].FirstWindowFrom(window + 1)) {
      if (context_.IsOver(window_work) || !context_.damage.ok()) break;
      FindInWindow(window);
    }
    return std::move(found_);
  }

 private:
  void FindInWindow(uint32_t window) {
    WindowBits candidates;
    words_[lead_].Fill(window, candidates);
    for (uint32_t i = 0; i < words_.size(); ++i) {
      WindowBits docs;
      if (i != lead_) words_[i].Fill(window, docs);
      if (i != lead_) candidates.And(docs);
    }
    if (candidates.Count() == 0) return;
    if (exact_window_.has_value()) return FindExact(window, candidates);
    FindLastTerms(window, candidates);
    for (size_t begin = 0; begin < in_docs_.size();) {
      constexpr uint64_t kDocWork = 64;
      size_t end = begin + 1;
      while (end < in_docs_.size() && in_docs_[end].doc == in_docs_[begin].doc) ++end;
      if (context_.IsOver(kDocWork + 2 * (end - begin))) return;
      AddIfMatches(std::span(in_docs_).subspan(begin, end - begin));
      begin = end;
    }
  }

  void FindExact(uint32_t window, const WindowBits& candidates) {
    constexpr uint64_t kDocWork = 4;
    if (context_.IsOver(kDocWork * candidates.Count())) return;
    for (const PhrasePrefixWindow::Found& found :
         exact_window_->Find(window, words_, last_, candidates)) {
      if (found.frequency != PhrasePrefixWindow::kUnknown) {
        Add(found.doc, static_cast<float>(found.frequency));
        continue;
      }
      const uint64_t work = kDocWork * (words_.size() + last_.size());
      if (context_.IsOver(work) || !context_.damage.ok()) return;
      FindLastTerms(found.doc);
      if (!in_docs_.empty()) AddIfMatches(in_docs_);
    }
  }

  // The terms of the last word in one document.
  void FindLastTerms(DocId doc) {
    in_docs_.clear();
    for (uint32_t term = 0; term < last_.size(); ++term) {
      const uint32_t posting = last_[term].Find(doc);
      if (posting != PostingWindows::kNoPosting) in_docs_.push_back({doc, term, posting});
    }
  }

  // The terms of the last word in the candidates, by document.
  void FindLastTerms(uint32_t window, const WindowBits& candidates) {
    in_docs_.clear();
    for (uint32_t term = 0; term < last_.size(); ++term) {
      if (last_[term].Postings(window).size() == 0) continue;
      WindowBits docs;
      last_[term].Fill(window, docs);
      docs.And(candidates);
      docs.ForEach([&](uint32_t in_window) {
        const DocId doc = window * kWindowDocs + in_window;
        in_docs_.push_back({doc, term, last_[term].Find(doc)});
        return true;
      });
    }
    std::sort(in_docs_.begin(), in_docs_.end(), [](const LastTerm& a, const LastTerm& b) {
      return a.doc != b.doc ? a.doc < b.doc : a.term < b.term;
    });
  }

  void AddIfMatches(std::span<const LastTerm> terms) {
    const DocId doc = terms[0].doc;
    absl::StatusOr<float> frequency = Frequency(doc, terms);
    if (!frequency.ok()) return context_.ReportDamage(frequency.status());
    if (*frequency > 0) Add(doc, *frequency);
  }

  void Add(DocId doc, float frequency) {
    const PostingListView& list = words_[lead_].list();
    const uint32_t posting = words_[lead_].Find(doc);
    if (posting == PostingWindows::kNoPosting) return;  // damage, which Find has reported
    list.Load(posting, posting + 1);
    found_.docs.push_back(doc);
    found_.scores.push_back(query_.scorer.Score(frequency, list.codes[posting]));
  }

  absl::StatusOr<float> Frequency(DocId doc, std::span<const LastTerm> terms) {
    PMDEX_RETURN_IF_ERROR(ReadLast(terms));
    bool in_place = query_.slop == 0;
    for (uint32_t i = 0; i < words_.size() && in_place; ++i) {
      const uint32_t posting = words_[i].Find(doc);
      if (posting == PostingWindows::kNoPosting) return 0.0f;
      runs_[i] = words_[i].list().PositionsInPlace(posting);
      in_place = !runs_[i].empty();
    }
    if (in_place) return CountInPlace();
    for (uint32_t i = 0; i < words_.size(); ++i) {
      const uint32_t posting = words_[i].Find(doc);
      if (posting == PostingWindows::kNoPosting) return 0.0f;
      PMDEX_RETURN_IF_ERROR(words_[i].list().ReadPositions(posting, positions_[i]));
    }
    return query_.slop == 0 ? exact_.Frequency(positions_) : sloppy_->Frequency(positions_);
  }

  // The positions of all terms of the last word in the document, ascending.
  absl::Status ReadLast(std::span<const LastTerm> terms) {
    std::vector<uint32_t>& last = positions_.back();
    last.clear();
    for (const LastTerm& term : terms) {
      if (term.posting == PostingWindows::kNoPosting) continue;
      const PostingListView& list = last_[term.term].list();
      const PositionRun run = list.PositionsInPlace(term.posting);
      last.insert(last.end(), run.begin(), run.end());
      if (!run.empty()) continue;
      PMDEX_RETURN_IF_ERROR(list.ReadPositions(term.posting, positions_[0]));
      last.insert(last.end(), positions_[0].begin(), positions_[0].end());
    }
    if (terms.size() > 1) std::sort(last.begin(), last.end());
    return absl::OkStatus();
  }

  // How many positions of the last word have the other words before them. Two terms may stand on
  // the same position. Like ExactPhraseMatcher, it counts such a position twice if the last word
  // has the fewest positions, else once.
  float CountInPlace() {
    const std::vector<uint32_t>& last = positions_.back();
    bool is_rarest = true;
    for (size_t i = 0; i < runs_.size(); ++i) {
      is_rarest = is_rarest && last.size() < runs_[i].size();
    }
    size_t count = 0;
    for (size_t n = 0; n < last.size(); ++n) {
      if (!is_rarest && n > 0 && last[n] == last[n - 1]) continue;
      const int64_t start = int64_t{last[n]} - query_.offsets.back();
      bool has_all = true;
      for (size_t i = 0; i < runs_.size() && has_all; ++i) {
        const int64_t wanted = start + query_.offsets[i];
        size_t passed = 0;  // mostly few, so that a search would cost more
        while (passed < runs_[i].size() && runs_[i][passed] < wanted) ++passed;
        runs_[i] = runs_[i].subspan(passed);
        has_all = !runs_[i].empty() && runs_[i][0] == wanted;
      }
      count += has_all ? 1 : 0;
    }
    return static_cast<float>(count);
  }

  const BoundQuery& query_;
  CursorContext& context_;
  std::vector<PostingWindows> words_;
  std::vector<PostingWindows> last_;
  uint32_t lead_ = 0;                               // the rarest word
  std::vector<LastTerm> in_docs_;                   // of the window
  std::vector<PositionRun> runs_;                   // of the words in the document
  std::vector<std::vector<uint32_t>> positions_;    // the same; the last word's come last
  std::optional<PhrasePrefixWindow> exact_window_;  // for a phrase without slop
  ExactPhraseMatcher exact_;
  std::optional<SloppyPhraseMatcher> sloppy_;
  PhrasePrefixDocs found_;
};

}  // namespace

PhrasePrefixDocs FindPhrasePrefix(const BoundQuery& query,
                                  const std::vector<PostingListView>& words,
                                  const std::vector<PostingListView>& last,
                                  SegmentContext& context) {
  return PhrasePrefixSearch(query, words, last, context).Find();
}

}  // namespace pmdex
