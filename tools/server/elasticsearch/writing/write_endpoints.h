// PUT, POST and DELETE of _doc, _create and _update: one document each. Durable when answered.
#pragma once

#include "tools/server/elasticsearch/api_call.h"

namespace pmdex {

// Of _doc, and of _create: only if there is no document with the id.
ApiAnswerOr AnswerIndexDocument(const ApiCall& call);
ApiAnswerOr AnswerUpdateDocument(const ApiCall& call);
ApiAnswerOr AnswerDeleteDocument(const ApiCall& call);

}  // namespace pmdex
