#include "tools/compare/query_sets.h"

#include <algorithm>
#include <filesystem>
#include <queue>
#include <random>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/segment/dictionary/term_iterator.h"
#include "engine/segment/segment.h"
#include "tools/profile/profile_queries.h"

namespace pmdex {
namespace {

constexpr uint64_t kSeed = 5;
constexpr double kFrequent = 0.04;
constexpr double kMedium = 0.004;
constexpr double kRare = 0.0004;
constexpr uint64_t kLeastRare = 5;
constexpr uint64_t kRareAnywhere = 20;
constexpr size_t kShortestWord = 2;
constexpr size_t kLongestWord = 32;
constexpr size_t kWordsOfKind = 1000;  // from which queries are drawn

bool IsWord(std::string_view term) {
  return term.size() >= kShortestWord && term.size() <= kLongestWord &&
         term.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") == std::string_view::npos;
}

// A uniform sample of a sequence of unknown length (reservoir sampling, Vitter's algorithm R).
class WordSample {
 public:
  void Add(std::string_view word, std::mt19937_64& random) {
    ++seen_;
    if (words_.size() < kWordsOfKind) {
      words_.emplace_back(word);
    } else if (const uint64_t place = random() % seen_; place < kWordsOfKind) {
      words_[place] = word;
    }
  }
  std::vector<std::string> words() && { return std::move(words_); }

 private:
  uint64_t seen_ = 0;
  std::vector<std::string> words_;
};

// The terms of a field over all segments, in order, each with its document frequency.
class MergedTerms {
 public:
  MergedTerms(const Snapshot& snapshot, std::string_view field) {
    for (const auto& segment : snapshot.segments()) {
      const auto id = segment->FindField(field);
      if (id.has_value()) {
        parts_.push_back({segment.get(), TermIterator(segment->dictionary(), *id)});
      }
    }
    for (size_t i = 0; i < parts_.size(); ++i) Advance(i);
  }

  // Moves to the next term. False at the end, and after an error.
  bool Next() {
    if (queue_.empty() || !status_.ok()) return false;
    term_ = queue_.top().first;
    df_ = 0;
    while (!queue_.empty() && queue_.top().first == term_) {
      const size_t part = queue_.top().second;
      queue_.pop();
      const auto entry = parts_[part].segment->Checked(parts_[part].terms.entry());
      if (!entry.ok()) status_ = entry.status();
      if (!status_.ok()) return false;
      df_ += entry->df;
      Advance(part);
    }
    return status_.ok();
  }

  const std::string& term() const { return term_; }
  uint64_t df() const { return df_; }
  const absl::Status& status() const { return status_; }

 private:
  struct Part {
    const Segment* segment;
    TermIterator terms;
  };
  using Head = std::pair<std::string, size_t>;

  void Advance(size_t part) {
    TermIterator& terms = parts_[part].terms;
    while (terms.Next()) {
      if (!IsWord(terms.term())) continue;
      queue_.emplace(std::string(terms.term()), part);
      return;
    }
    if (!terms.status().ok()) status_ = parts_[part].segment->Checked(terms.status());
  }

  std::vector<Part> parts_;
  std::priority_queue<Head, std::vector<Head>, std::greater<>> queue_;
  std::string term_;
  uint64_t df_ = 0;
  absl::Status status_;
};

struct WordKinds {
  std::vector<std::string> frequent;
  std::vector<std::string> medium;
  std::vector<std::string> rare;
};

// Only words that a query finds: the analyzer may make another term of an indexed term.
absl::StatusOr<std::vector<std::string>> OnlyFound(const std::vector<std::string>& words,
                                                   const Snapshot& snapshot) {
  PMDEX_ASSIGN_OR_RETURN(const DescribedQueries described,
                         DescribeQueries(words, snapshot, /*exhaustive=*/false));
  std::vector<std::string> found;
  for (const ProfileQuery& query : described.queries) {
    if (query.postings > 0) found.push_back(query.text);
  }
  return found;
}

std::string FieldWithMostPostings(const Snapshot& snapshot) {
  std::string most;
  uint64_t postings = 0;
  for (const std::string& name : snapshot.field_names()) {
    const uint64_t count = snapshot.field_statistics(name).posting_count;
    if (count <= postings) continue;
    postings = count;
    most = name;
  }
  return most;
}

absl::StatusOr<WordKinds> SampleWords(const Snapshot& snapshot, std::mt19937_64& random) {
  const auto documents = static_cast<double>(std::max<uint64_t>(snapshot.doc_count(), 1));
  WordSample frequent;
  WordSample medium;
  WordSample rare;
  MergedTerms terms(snapshot, FieldWithMostPostings(snapshot));
  while (terms.Next()) {
    const double share = static_cast<double>(terms.df()) / documents;
    if (terms.df() < kLeastRare) continue;
    if (share >= kFrequent) {
      frequent.Add(terms.term(), random);
    } else if (share > kMedium) {
      medium.Add(terms.term(), random);
    } else if (share <= kRare || terms.df() <= kRareAnywhere) {
      rare.Add(terms.term(), random);
    }
  }
  PMDEX_RETURN_IF_ERROR(terms.status());
  WordKinds kinds;
  PMDEX_ASSIGN_OR_RETURN(kinds.frequent, OnlyFound(std::move(frequent).words(), snapshot));
  PMDEX_ASSIGN_OR_RETURN(kinds.medium, OnlyFound(std::move(medium).words(), snapshot));
  PMDEX_ASSIGN_OR_RETURN(kinds.rare, OnlyFound(std::move(rare).words(), snapshot));
  return kinds;
}

// Draws queries for the sets.
class SetMaker {
 public:
  SetMaker(size_t count, std::mt19937_64& random, std::vector<QuerySet>& sets)
      : count_(count), random_(random), sets_(sets) {}

  void Single(const std::string& name, const std::vector<std::string>& words) {
    Add(name, words.empty(), [&] { return One(words); });
  }
  void Pairs(const std::string& name, const std::vector<std::string>& left,
             const std::vector<std::string>& right) {
    Add(name, left.empty() || right.empty(), [&] {
      const std::string& first = One(left);
      const std::string& second = One(right);
      return first == second ? std::string() : absl::StrCat(first, " AND ", second);
    });
  }

 private:
  const std::string& One(const std::vector<std::string>& words) {
    return words[random_() % words.size()];
  }
  template <typename MakeQuery>
  void Add(const std::string& name, bool impossible, const MakeQuery& make) {
    QuerySet set{name, {}};
    std::set<std::string> seen;
    for (size_t tries = 0; !impossible && tries < 20 * count_ && seen.size() < count_; ++tries) {
      std::string query = make();
      if (!query.empty() && seen.insert(query).second) set.queries.push_back(std::move(query));
    }
    if (!set.queries.empty()) sets_.push_back(std::move(set));
  }

  const size_t count_;
  std::mt19937_64& random_;
  std::vector<QuerySet>& sets_;
};

}  // namespace

absl::StatusOr<std::vector<QuerySet>> ReadQuerySets(const std::vector<std::string>& files) {
  std::vector<QuerySet> sets;
  std::set<std::string> names;
  for (const std::string& file : files) {
    QuerySet set;
    const std::string stem = std::filesystem::path(file).stem().string();
    set.name = stem;
    for (size_t i = 2; !names.insert(set.name).second; ++i) set.name = absl::StrCat(stem, "-", i);
    PMDEX_ASSIGN_OR_RETURN(set.queries, ReadQueryLines(file));
    sets.push_back(std::move(set));
  }
  return sets;
}

absl::StatusOr<std::vector<QuerySet>> MakeQuerySets(const Snapshot& snapshot, size_t count) {
  std::mt19937_64 random(kSeed);
  PMDEX_ASSIGN_OR_RETURN(const WordKinds kinds, SampleWords(snapshot, random));
  std::vector<QuerySet> sets;
  SetMaker maker(count, random, sets);
  maker.Single("single-frequent", kinds.frequent);
  maker.Single("single-medium", kinds.medium);
  maker.Single("single-rare", kinds.rare);
  maker.Pairs("and-two-frequent", kinds.frequent, kinds.frequent);
  maker.Pairs("and-frequent-medium", kinds.frequent, kinds.medium);
  maker.Pairs("and-frequent-rare", kinds.frequent, kinds.rare);
  maker.Pairs("and-two-medium", kinds.medium, kinds.medium);
  maker.Pairs("and-medium-rare", kinds.medium, kinds.rare);
  maker.Pairs("and-two-rare", kinds.rare, kinds.rare);
  if (sets.empty()) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition,
                      "the index has too few words to make queries from (hint: --queries names "
                      "files with queries)");
  }
  return sets;
}

}  // namespace pmdex
