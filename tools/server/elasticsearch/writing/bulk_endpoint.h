// _bulk: many operations in one request, each with an answer of its own. Durable when answered.
#pragma once

#include "tools/server/elasticsearch/api_call.h"

namespace pmdex {

ApiAnswerOr AnswerBulk(const ApiCall& call);

}  // namespace pmdex
