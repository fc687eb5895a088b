// Format `files`: one document a file, id its path, fields `path` and `body`.
#pragma once

#include <memory>

#include "engine/ingest/formats/document.h"

namespace pmdex {

std::unique_ptr<BlockParser> NewFilesParser();

}  // namespace pmdex
