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
  kNot,  // of `left`
  kTrue,
  kFalse,
  kName,  // glob
  kPath,  // glob
  kSize,  // number, in units of unit_bytes
  kTime,  // comparison with time_ns, or the window behind it
  kNumber,
  kUser,
  kGroup,
  kPerm,
  kType,
  kEmpty,
  kPrint,
  kPrint0,
  kLs,
};

enum class Comparison : uint8_t { kLess, kEqual, kGreater };  // "-n", "n", "+n"

struct FindNode {
  FindTest test = FindTest::kTrue;
  std::unique_ptr<FindNode> left;
  std::unique_ptr<FindNode> right;
  Glob glob;
  std::string text;  // of kUser, kGroup: a name; of kType: letters
  FileAttribute attribute = FileAttribute::kSize;
  Comparison comparison = Comparison::kEqual;
  uint64_t number = 0;
  uint64_t unit_bytes = 1;
  int64_t time_ns = 0;
  int64_t window_ns = 0;  // kTime and kEqual: times in (time_ns, time_ns + window_ns]
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
