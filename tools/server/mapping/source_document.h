// A document as a client sent it: a JSON object, read but not yet mapped to fields. A plain value.
#pragma once

#include <string>
#include <vector>

#include "engine/ingest/formats/document.h"

namespace pmdex {

struct SourceValue {
  std::string path;  // dots join the names of objects
  std::string text;  // as DocumentField::text
  InputValueKind kind = InputValueKind::kString;
};

struct SourceDocument {
  std::string id;
  std::vector<SourceValue> values;  // in the order of the source
  std::string record;               // the source: one JSON object, valid UTF-8
};

}  // namespace pmdex
