// `/`, _cluster/health and _resolve/index: what the server is and which indexes it has.
#pragma once

#include "tools/server/elasticsearch/api_call.h"

namespace pmdex {

// The version of Elasticsearch that the answers look like.
inline constexpr std::string_view kElasticsearchVersion = "9.2.0";

ApiAnswerOr AnswerRoot(const ApiCall& call);
ApiAnswerOr AnswerClusterHealth(const ApiCall& call);
ApiAnswerOr AnswerResolveIndex(const ApiCall& call);

}  // namespace pmdex
