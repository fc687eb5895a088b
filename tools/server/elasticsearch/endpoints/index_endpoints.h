// GET NAME, _mapping, _settings, _field_caps and _stats: what indexes hold.
#pragma once

#include "tools/server/elasticsearch/api_call.h"

namespace pmdex {

ApiAnswerOr AnswerIndex(const ApiCall& call);
ApiAnswerOr AnswerMapping(const ApiCall& call);
ApiAnswerOr AnswerFieldMapping(const ApiCall& call);
ApiAnswerOr AnswerSettings(const ApiCall& call);
ApiAnswerOr AnswerFieldCapabilities(const ApiCall& call);
ApiAnswerOr AnswerStats(const ApiCall& call);

}  // namespace pmdex
