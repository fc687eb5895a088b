// _doc, _source, _mget and _explain: documents by their ids. Where an id repeats in an index, they
// answer with the latest document.
#pragma once

#include "tools/server/elasticsearch/api_call.h"

namespace pmdex {

ApiAnswerOr AnswerDocument(const ApiCall& call);
ApiAnswerOr AnswerSource(const ApiCall& call);
ApiAnswerOr AnswerMultiGet(const ApiCall& call);
ApiAnswerOr AnswerExplain(const ApiCall& call);

}  // namespace pmdex
