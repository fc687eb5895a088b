#include "query/language/required_characters.h"

#include <algorithm>
#include <iterator>

namespace pmdex {
namespace {

using Characters = std::vector<uint32_t>;  // ascending

Characters InEither(const Characters& a, const Characters& b) {
  Characters both;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

Characters InBoth(const Characters& a, const Characters& b) {
  Characters both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

// What one of the alternatives requires may be missing in another one. One that matches nothing
// counts, too, which only weakens the result.
Characters OfUnion(const RegexpTree& tree) {
  Characters required = RequiredCharacters(tree.parts[0]);
  for (size_t i = 1; i < tree.parts.size() && !required.empty(); ++i) {
    required = InBoth(required, RequiredCharacters(tree.parts[i]));
  }
  return required;
}

}  // namespace

std::vector<uint32_t> RequiredCharacters(const RegexpTree& tree) {
  Characters required;
  switch (tree.kind) {
    case RegexpKind::kCharacter:
      if (tree.ranges.size() == 1 && tree.ranges[0].first == tree.ranges[0].last) {
        required.push_back(tree.ranges[0].first);
      }
      return required;
    case RegexpKind::kConcatenation:
    case RegexpKind::kIntersection:
      for (const RegexpTree& part : tree.parts) {
        required = InEither(required, RequiredCharacters(part));
      }
      return required;
    case RegexpKind::kUnion:
      return tree.parts.empty() ? required : OfUnion(tree);
    case RegexpKind::kRepetition:
      return tree.least > 0 ? RequiredCharacters(tree.parts[0]) : required;
    default:
      return required;
  }
}

}  // namespace pmdex
