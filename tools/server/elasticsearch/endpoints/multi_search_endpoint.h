// _msearch: searches as lines of JSON, a header line and a body line each.
#pragma once

#include "tools/server/elasticsearch/api_call.h"

namespace pmdex {

// A search that is wrong in itself refuses all of them; one that its index refuses is an error of
// its own.
ApiAnswerOr AnswerMultiSearch(const ApiCall& call);

}  // namespace pmdex
