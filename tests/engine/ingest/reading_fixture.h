// Reads files with any number of readers and keeps what reaches the indexers, block by block: the
// documents, and what of the input is done with them. With no reader threads one BlockReader reads
// the files by itself, in their order: what all others must agree with.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "engine/ingest/formats/files.h"
#include "engine/ingest/formats/jsonl.h"
#include "engine/ingest/formats/lines.h"
#include "engine/ingest/formats/trec.h"
#include "engine/ingest/ingest_options.h"
#include "engine/ingest/memory_plan.h"
#include "engine/ingest/reading/block_reader.h"
#include "engine/ingest/reading/file_reader.h"
#include "engine/ingest/reading/reader.h"
#include "tests/engine/ingest/ingest_fixture.h"
#include "tests/engine/ingest/parser_fixture.h"

namespace pmdex {

struct ReadPart {
  std::vector<std::string> documents;
  DoneWork done;
};

struct ReadingOptions {
  size_t block_bytes = 16384;
  size_t limit_bytes = 100000;
  int readers = 0;
  DirectIo direct_io = DirectIo::kAuto;
  bool larger_first = true;
};

struct ReadingResult {
  std::vector<ReadPart> parts;  // of blocks, in the order of the queue
  DoneWork rest;                // that no block came after
  uint64_t bytes_done = 0;

  DoneWork AllDone() const {
    DoneWork all = rest;
    for (const ReadPart& part : parts) all.Add(DoneWork(part.done));
    return all;
  }
  std::vector<std::string> SortedDocuments() const {
    std::vector<std::string> all;
    for (const ReadPart& part : parts) {
      all.insert(all.end(), part.documents.begin(), part.documents.end());
    }
    std::sort(all.begin(), all.end());
    return all;
  }
};

class ReadingFixture : public IngestFixture {
 protected:
  ReadingFixture() { UseMemoryFileSystem(); }

  static std::unique_ptr<BlockParser> NewParser(InputFormat format, ProblemLog& problems) {
    switch (format) {
      case InputFormat::kLines:
        return NewLinesParser();
      case InputFormat::kJsonl:
        return NewJsonlParser({}, problems);
      case InputFormat::kTrec:
        return NewTrecParser(problems);
      case InputFormat::kAuto:
      case InputFormat::kFiles:
        break;
    }
    return NewFilesParser();
  }

  InputFile NewFile(std::string_view name, InputFormat format, std::string_view text) {
    InputFile file;
    file.path = Write(name, text);
    file.format = format;
    file.size_bytes = text.size();
    return file;
  }

  // The ordinals of the files are their places.
  static ReadingResult ReadFiles(std::vector<InputFile> files, const ReadingOptions& options) {
    MemoryPlan plan;
    plan.block_bytes = options.block_bytes;
    plan.block_count = static_cast<size_t>(2 + 2 * std::max(options.readers, 1));
    plan.document_limit_bytes = plan.json_limit_bytes = options.limit_bytes;
    plan.decoders_bytes = size_t{16} << 20;
    IngestContext context({.memory = plan, .direct_io = options.direct_io});
    ReadingResult result;
    std::thread indexer([&] {
      while (const auto block = context.blocks.Pop()) result.parts.push_back(Parse(**block));
    });
    for (size_t i = 0; i < files.size(); ++i) files[i].ordinal = i;
    if (options.readers == 0) {
      ReadAlone(files, context, result.rest);
    } else {
      ReadTogether(std::move(files), options, context, result.rest);
    }
    context.blocks.Close();
    indexer.join();
    result.bytes_done = context.counters.bytes_done;
    return result;
  }

 private:
  static ReadPart Parse(Block& block) {
    ReadPart part;
    part.done = std::move(block.origin);
    ProblemLog problems;
    KeepingSink sink;
    EXPECT_TRUE(NewParser(block.format, problems)->Parse(block, sink).ok());
    for (const ParsedDocument& document : sink.documents) {
      std::string text = document.id + " at " + document.place;
      for (const auto& [name, value] : document.fields) text += "\n" + name + "=" + value;
      part.documents.push_back(std::move(text));
    }
    MergeProblems(problems.Take(), part.done.problems);
    return part;
  }

  static void ReadAlone(const std::vector<InputFile>& files, IngestContext& context,
                        DoneWork& rest) {
    ReaderWork work;
    for (const InputFile& file : files) {
      if (file.format == InputFormat::kFiles) {
        FileReader reader(context, work);
        EXPECT_TRUE(reader.Read(file) && reader.Finish());
      } else {
        EXPECT_TRUE(BlockReader(context, work).Read(file));
      }
    }
    rest = work.Take();
  }

  static void ReadTogether(std::vector<InputFile> files, const ReadingOptions& options,
                           IngestContext& context, DoneWork& rest) {
    FileSchedule schedule(files.size(), options.larger_first, context.pool);
    for (InputFile& file : files) EXPECT_TRUE(schedule.Push(std::move(file)));
    schedule.Close();
    std::deque<ReaderWork> works(static_cast<size_t>(options.readers));
    std::vector<std::thread> readers;
    for (ReaderWork& work : works) {
      readers.emplace_back([&] { EXPECT_TRUE(ReadScheduledFiles(context, schedule, work)); });
    }
    for (std::thread& reader : readers) reader.join();
    for (ReaderWork& work : works) rest.Add(work.Take());
  }
};

}  // namespace pmdex
