// _search, _count and _search/scroll.
#pragma once

#include "tools/server/elasticsearch/api_call.h"

namespace pmdex {

ApiAnswerOr AnswerSearch(const ApiCall& call);
ApiAnswerOr AnswerCount(const ApiCall& call);
ApiAnswerOr AnswerScroll(const ApiCall& call);

}  // namespace pmdex
