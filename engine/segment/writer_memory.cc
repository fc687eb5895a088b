#include "engine/segment/writer_memory.h"

#include "engine/segment/dictionary/term_dictionary_writer.h"
#include "engine/segment/file/segment_file_writer.h"
#include "engine/segment/format.h"
#include "engine/segment/postings/posting_writer.h"

namespace pmdex {
namespace {

// An estimate of the size of the file, usually an upper bound.
uint64_t EstimateFileBytes(const WriterCounts& counts) {
  constexpr uint64_t kBytesPerPosting = sizeof(DocId) + 3;  // freq, code, and part of a group
  constexpr uint64_t kIdAndNormBytes = 64;                  // of one document
  constexpr uint64_t kFrequentTermBytes = 2 * sizeof(DictionaryEntry);
  constexpr uint64_t kRareTermBytes = 2 * sizeof(RareTermSlot) + kMaxLineRestBytes;
  return counts.Extents() * kFrequentTermBytes + counts.terms * kRareTermBytes + counts.term_bytes +
         counts.long_term_bytes + counts.postings * kBytesPerPosting +
         counts.docs * (kMinDocEntryBytes + kIdAndNormBytes) +
         (counts.has_positions ? counts.tokens * sizeof(uint16_t) : 0);
}

}  // namespace

WriterMemory EstimateWriterMemory(const WriterCounts& counts) {
  const TermDictionaryWriter::MemoryBytes dictionary = TermDictionaryWriter::EstimateMemory(counts);
  return {dictionary.laying_out, dictionary.writing + PostingWriter::EstimateMemory(counts) +
                                     SegmentFileWriter::EstimateMemory(EstimateFileBytes(counts))};
}

}  // namespace pmdex
