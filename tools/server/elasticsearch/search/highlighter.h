// Makes the `highlight` of a hit from the stored text of its fields. For one thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/analyzer.h"
#include "query/language/query.h"
#include "tools/server/elasticsearch/json_text.h"
#include "tools/server/elasticsearch/search/highlight_request.h"
#include "tools/server/elasticsearch/search/highlight_words.h"

namespace pmdex {

// The stored values of a document by field.
using FieldTexts = std::map<std::string, std::vector<std::string>, std::less<>>;

class Highlighter {
 public:
  // All must outlive the highlighter.
  Highlighter(const Query& query, const std::vector<HighlightField>& fields, Analyzer& analyzer)
      : words_(query), fields_(fields), analyzer_(analyzer) {}

  // {"field": ["fragment", ...]}; null if nothing of the document is to be shown. Matches stand
  // between the tags; fragments are in the order of the text.
  Json Highlight(const FieldTexts& document);

 private:
  std::vector<std::string> Fragments(const std::string& field,
                                     const std::vector<std::string>& values,
                                     const HighlightField& options);

  const HighlightWords words_;
  const std::vector<HighlightField>& fields_;
  Analyzer& analyzer_;
};

}  // namespace pmdex
