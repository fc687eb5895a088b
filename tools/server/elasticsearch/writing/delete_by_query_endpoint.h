// _delete_by_query: deletes the documents that a query finds.
#pragma once

#include "tools/server/elasticsearch/api_call.h"

namespace pmdex {

// A document that was written again since searches were refreshed is a conflict: it stays, and ends
// the request with a 409 unless conflicts=proceed.
ApiAnswerOr AnswerDeleteByQuery(const ApiCall& call);

}  // namespace pmdex
