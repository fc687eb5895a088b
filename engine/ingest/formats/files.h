// Format `files`: each file is one document. Its id is the path. Its text is the field `body`, and
// its attributes are fields of their own (attribute_names.h). Standard input has no attributes.
#pragma once

#include <memory>

#include "engine/ingest/formats/document.h"

namespace pmdex {

std::unique_ptr<BlockParser> NewFilesParser();

}  // namespace pmdex
