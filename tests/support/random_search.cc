#include "tests/support/random_search.h"

#include <vector>

namespace pmdex {
namespace {

std::string RandomLeaf(SeededRandom& random) {
  const auto term = [&] { return "t" + std::to_string(random.Below(13)); };
  const std::string field = random.OneIn(4) ? "title:" : random.OneIn(6) ? "" : "body:";
  if (random.OneIn(5)) {
    std::string text = "body:\"" + term();
    for (size_t words = 1 + random.Below(3); words > 0; --words) text += " " + term();
    return text + (random.OneIn(3) ? "\"~2" : "\"");
  }
  if (random.OneIn(15)) return field + "t1*";
  if (random.OneIn(20)) return field + "t?";
  if (random.OneIn(20)) return "title:*";
  return field + term() + (random.OneIn(6) ? "^2" : "");
}

}  // namespace

SearchOptions RandomOptions(SeededRandom& random) {
  SearchOptions options;
  const size_t ks[] = {1, 10, 137, 3000};
  options.k = ks[random.Below(4)];
  options.similarity = random.OneIn(3) ? SimilarityKind::kTfidf : SimilarityKind::kBm25;
  options.exhaustive = random.OneIn(4);
  options.count = random.OneIn(3);
  if (random.OneIn(8)) options.min_score = 0.5f;
  if (random.OneIn(5)) {
    options.threads = 3;
    options.least_parallel_postings = 0;
  }
  const std::vector<SimdLevel> levels = UsableSimdLevels();
  options.kernels = &QueryKernelsOf(levels[random.Below(levels.size())]);
  return options;
}

std::string RandomWindowedQuery(SeededRandom& random, int depth) {
  std::string text;
  const size_t clauses = 1 + random.Below(4);
  for (size_t i = 0; i < clauses; ++i) {
    const char* occur[] = {"", "", "+", "+", "-"};
    text += (i ? " " : "") + std::string(occur[random.Below(5)]);
    text += depth > 0 && random.OneIn(3) ? "(" + RandomWindowedQuery(random, depth - 1) + ")"
                                         : RandomLeaf(random);
  }
  return text;
}

}  // namespace pmdex
