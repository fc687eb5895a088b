// The value of a field as error messages of Elasticsearch show it: an object as {a=1}. Pure.
#pragma once

#include <string>
#include <string_view>

namespace pmdex {

// source: the JSON of a document. path: of a value in it, with dots for objects; the value itself
// if there is one, else what is found first. Empty if there is nothing. Long values are cut off.
std::string PreviewOf(std::string_view source, std::string_view path);
// The text, cut off if it is long.
std::string CutPreview(std::string_view text);

}  // namespace pmdex
