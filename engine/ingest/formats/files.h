// Format `files`: each file is one document. Its id is the path; its fields are `path` and `body`.
#pragma once

#include <memory>

#include "engine/ingest/formats/document.h"

namespace pmdex {

std::unique_ptr<BlockParser> NewFilesParser();

}  // namespace pmdex
