#include "tools/server/elasticsearch/api_call.h"

namespace pmdex {

absl::StatusOr<SelectedIndexes> SelectedBy(const ApiCall& call) {
  PMDEX_ASSIGN_OR_RETURN(const SelectionOptions options, ReadSelectionOptions(call.parameters));
  return SelectIndexes(call.index, call.indexes, options);
}

}  // namespace pmdex
