// _analyze: the tokens that an analyzer makes of a text.
#pragma once

#include "tools/server/elasticsearch/api_call.h"

namespace pmdex {

// Offsets count UTF-16 code units, as in Elasticsearch.
ApiAnswerOr AnswerAnalyze(const ApiCall& call);

}  // namespace pmdex
