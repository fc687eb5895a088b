// Format `trec`: the SGML of the TREC collections. A document is <DOC> ... <DOCNO> id </DOCNO> ...
// </DOC>; its field `body` is all text outside of tags and of DOCNO, with &amp; &lt; &gt; &quot;
// decoded. Tags in any case, and with attributes.
//
// A document that another <DOC> or the end of the file cuts short, or that has no DOCNO, is
// reported, and parsing goes on at the next <DOC>. So is text between documents.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "engine/ingest/formats/document.h"
#include "engine/ingest/problem_log.h"

namespace pmdex {

// `problems` outlives the parser.
std::unique_ptr<BlockParser> NewTrecParser(ProblemLog& problems);

// Where a block may be cut: behind </DOC>, or before a <DOC> that is not at the beginning. See
// RecordBorders. A tag of more than kLongestTagBytes may be overlooked when `from` is in it. No
// block is smaller than twice that.
inline constexpr size_t kLongestTagBytes = 64;
size_t LastTrecBorder(std::string_view text);
size_t FirstTrecBorder(std::string_view text, size_t from);

}  // namespace pmdex
