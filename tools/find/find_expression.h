// The expression of `pmdex find` as a tree: what the words of a command line like that of find(1)
// mean. find_parser.h makes it, find_evaluator.h evaluates it. Plain values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "query/files/entry_reader.h"
#include "tools/find/glob.h"
#include "tools/find/mode_text.h"

namespace pmdex {

enum class FindTest : uint8_t {
  kAnd,
  kOr,
  kNot,  // of the one part
  kTrue,
  kFalse,
  kName,    // glob
  kPath,    // glob
  kNumber,  // attribute in range
  kUser,    // text is the name
  kGroup,
  kPerm,          // mode
  kType,          // text has the letter
  kHasNoEntries,  // of a directory
  kPrint,
  kPrint0,
  kLs,
};

// The numbers of [low, high]; none if low > high. Wide enough for the products of -size.
struct NumberRange {
  static constexpr __int128 kNoBound = __int128{1} << 100;
  __int128 low = 1;
  __int128 high = 0;

  bool Has(int64_t number) const { return low <= number && number <= high; }
};

struct FindNode {
  FindTest test = FindTest::kTrue;
  std::vector<std::unique_ptr<FindNode>> parts;  // of kAnd, kOr, kNot
  Glob glob;
  std::string text;
  FileAttribute attribute = FileAttribute::kSize;
  NumberRange range;
  ModeTest mode;
};

struct FindCommand {
  std::vector<std::string> starting_points;  // empty: the roots of the index
  std::unique_ptr<FindNode> expression;      // with an action in it
  std::optional<std::string> match;          // --match
  uint32_t least_depth = 0;
  uint32_t most_depth = UINT32_MAX;
  bool has_depth = false;  // one of these was given
};

}  // namespace pmdex
