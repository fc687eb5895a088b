// _cat/indices, _cat/health and _cat/count: facts in tables for people and scripts.
#pragma once

#include "tools/server/elasticsearch/api_call.h"

namespace pmdex {

ApiAnswerOr AnswerCatIndices(const ApiCall& call);
ApiAnswerOr AnswerCatHealth(const ApiCall& call);
ApiAnswerOr AnswerCatCount(const ApiCall& call);

}  // namespace pmdex
