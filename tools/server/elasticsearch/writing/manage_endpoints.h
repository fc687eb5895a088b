// PUT and DELETE of indexes, PUT of _mapping, _refresh, _flush and _forcemerge.
#pragma once

#include "tools/server/elasticsearch/api_call.h"

namespace pmdex {

ApiAnswerOr AnswerCreateIndex(const ApiCall& call);
// Takes names only, no patterns.
ApiAnswerOr AnswerDeleteIndex(const ApiCall& call);
ApiAnswerOr AnswerPutMapping(const ApiCall& call);
// Also of _flush: what was answered is durable already.
ApiAnswerOr AnswerRefresh(const ApiCall& call);
ApiAnswerOr AnswerForceMerge(const ApiCall& call);

}  // namespace pmdex
