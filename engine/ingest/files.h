// Format `files`: one document a file, id its path, fields `path` and `body`.
#pragma once

#include <memory>

#include "engine/ingest/document.h"

namespace pmdex {

inline constexpr std::string_view kPathField = "path";

std::unique_ptr<BlockParser> NewFilesParser();

}  // namespace pmdex
