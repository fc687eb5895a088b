// Format `trec`: the SGML of the TREC collections. A document is <DOC> ... <DOCNO> id </DOCNO> ...
// </DOC>. Its field `body` is all text outside of tags and of DOCNO, with &amp; &lt; &gt; &quot;
// decoded. Tags may be in any case and may have attributes.
//
// A document that has no DOCNO, or that another <DOC> or the end of the file cuts short, is
// reported, and so is text between documents. Parsing goes on at the next <DOC>.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "engine/ingest/formats/document.h"
#include "engine/ingest/problem_log.h"

namespace pmdex {

// `problems` outlives the parser.
std::unique_ptr<BlockParser> NewTrecParser(ProblemLog& problems);

// The functions of RecordBorders. A border lies behind </DOC>, or before a <DOC> that is not at the
// beginning. They may overlook a tag of more than kLongestTagBytes if `from` lies in it. No block
// is smaller than twice that.
inline constexpr size_t kLongestTagBytes = 64;
size_t LastTrecBorder(std::string_view text);
size_t FirstTrecBorder(std::string_view text, size_t from);

}  // namespace pmdex
