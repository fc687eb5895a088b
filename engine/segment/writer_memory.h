// Estimates how much memory it will take to write a segment, from a few counts of its input. A
// memtable reserves this memory while it grows. Each class that holds memory of the writer has a
// static function that says how much it holds; this module adds up what is held at the same time. A
// test compares the estimate with what operator new gives out.
//
// Pure; thread-safe.
#pragma once

#include <cstdint>

#include "engine/segment/dictionary/byte_chunks.h"
#include "engine/segment/file/section_stream.h"
#include "engine/segment/writer_counts.h"

namespace pmdex {

// The most bytes that WriteSegment holds at a time. Neither kWriterBufferBytes nor the positions of
// one block of postings nor the memory of the input is part of them.
struct WriterMemory {
  uint64_t laying_out = 0;  // while PlanSegment reads all terms and the dictionary is laid out
  uint64_t writing = 0;     // while the sections are written
};

// The memory that WriteSegment takes for any input: the staging buffers of the two sections that
// are open at a time, the last chunks of two ByteChunks, and small parts. Only what is written
// into these buffers becomes resident.
inline constexpr uint64_t kWriterBufferBytes =
    2 * SectionStream::kMaxStagingBytes + 2 * ByteChunks::kChunkBytes + (64 << 10);

WriterMemory EstimateWriterMemory(const WriterCounts& counts);

}  // namespace pmdex
