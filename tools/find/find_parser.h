// Parses the words of `pmdex find` behind its own flags, by the grammar of find(1): starting points
// up to the first word that begins with `-`, or is `!` or `(`, then the expression. -maxdepth,
// -mindepth and --match hold for the whole command, wherever they stand.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "pmem/status.h"
#include "tools/find/find_expression.h"

namespace pmdex {

struct FindParserContext {
  int64_t now_ns = 0;  // for -mtime and -mmin
  // The time of change of the entry at a path, for -newer; an error if there is none.
  std::function<absl::StatusOr<int64_t>(const std::string&)> time_of;
  // An error if -user or -group (kUser, kGroup) cannot have this name.
  std::function<absl::Status(FileAttribute attribute, const std::string& name)> check_account;
};

// kInvalidArgument for words that find has not, or that pmdex does not know.
absl::StatusOr<FindCommand> ParseFind(std::span<const std::string> words,
                                      const FindParserContext& context);

}  // namespace pmdex
