#include "tests/support/random_tree.h"

#include <utility>

namespace pmdex {
namespace {

class TreeMaker {
 public:
  TreeMaker(SeededRandom& random, const std::function<QueryPointer()>& leaf,
            const std::function<std::string()>& id)
      : random_(random), leaf_(leaf), id_(id) {}

  QueryPointer Make(int depth) {
    QueryPointer query = MakeUnboosted(depth);
    constexpr float kBoosts[] = {0, 0.3f, 2, 3};
    if (random_.OneIn(5)) query->boost *= kBoosts[random_.Below(4)];
    return query;
  }

 private:
  QueryPointer MakeUnboosted(int depth) {
    if (depth == 0) return random_.OneIn(8) ? Ids() : leaf_();
    switch (random_.Below(6)) {
      case 0:
        return ConstantScore(depth);
      case 1:
        return DisjunctionMax(depth);
      case 2:
        return leaf_();
      default:
        return Boolean(depth);
    }
  }

  static QueryPointer OfKind(QueryKind kind) {
    auto query = std::make_unique<Query>();
    query->kind = kind;
    return query;
  }

  QueryPointer Ids() {
    QueryPointer query = OfKind(QueryKind::kIds);
    for (size_t n = random_.Below(6); n > 0; --n) query->terms.push_back(id_());
    return query;
  }

  QueryPointer ConstantScore(int depth) {
    QueryPointer query = OfKind(QueryKind::kConstantScore);
    query->clauses.push_back({Occur::kFilter, Make(depth - 1)});
    return query;
  }

  QueryPointer DisjunctionMax(int depth) {
    constexpr float kTieBreakers[] = {0, 0, 0.3f, 0.99f, 1};
    QueryPointer query = OfKind(QueryKind::kDisjunctionMax);
    query->tie_breaker = kTieBreakers[random_.Below(5)];
    for (size_t n = random_.Below(5); n > 0; --n) {
      query->clauses.push_back({Occur::kShould, Make(depth - 1)});
    }
    return query;
  }

  QueryPointer Boolean(int depth) {
    constexpr Occur kOccurs[] = {Occur::kShould, Occur::kShould, Occur::kShould,
                                 Occur::kMust,   Occur::kFilter, Occur::kMustNot};
    QueryPointer query = OfKind(QueryKind::kBoolean);
    // Some have one kind of clause only, which is rare by chance.
    const bool uniform = random_.OneIn(3);
    const Occur all = kOccurs[random_.Below(6)];
    for (size_t n = random_.Below(6); n > 0; --n) {
      const Occur occur = uniform ? all : kOccurs[random_.Below(6)];
      query->clauses.push_back({occur, Make(depth - 1)});
    }
    if (random_.OneIn(3)) query->minimum_should_match = static_cast<uint32_t>(random_.Below(5));
    return query;
  }

  SeededRandom& random_;
  const std::function<QueryPointer()>& leaf_;
  const std::function<std::string()>& id_;
};

}  // namespace

QueryPointer RandomTree(SeededRandom& random, int depth, const std::function<QueryPointer()>& leaf,
                        const std::function<std::string()>& id) {
  return TreeMaker(random, leaf, id).Make(depth);
}

QueryPointer ToPhrasePrefix(SeededRandom& random, QueryPointer query) {
  if (query->kind == QueryKind::kTerm) {
    query->terms = {query->text};
    query->offsets = {0};
  } else if (query->kind != QueryKind::kPhrase) {
    return nullptr;
  }
  constexpr uint32_t kMost[] = {0, 1, 2, 5, 50};
  query->kind = QueryKind::kPhrasePrefix;
  query->text.clear();
  query->max_expansions = kMost[random.Below(5)];
  std::string& last = query->terms.back();
  last.resize(random.Below(last.size() + 1));
  return query;
}

}  // namespace pmdex
