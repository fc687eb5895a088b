#include "engine/ingest/pipeline/pipeline.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "engine/ingest/formats/document.h"
#include "engine/ingest/formats/files.h"
#include "engine/ingest/formats/jsonl.h"
#include "engine/ingest/formats/lines.h"
#include "engine/ingest/formats/trec.h"
#include "engine/ingest/memory_plan.h"
#include "engine/ingest/pipeline/block_pool.h"
#include "engine/ingest/pipeline/flusher.h"
#include "engine/ingest/pipeline/indexer.h"
#include "engine/ingest/pipeline/queue_meter.h"
#include "engine/ingest/pipeline/stage_observer.h"
#include "engine/ingest/pipeline/stop_flag.h"
#include "engine/ingest/problem_log.h"
#include "engine/ingest/reading/decompressor.h"
#include "engine/ingest/reading/file_schedule.h"
#include "engine/ingest/reading/input_file.h"
#include "engine/ingest/reading/reader.h"
#include "engine/ingest/reading/reader_work.h"
#include "engine/ingest/reading/tree_walk.h"
#include "engine/ingest/reading/walk_filter.h"
#include "engine/ingest/resume/watermark.h"
#include "engine/memtable/chunk_preparer.h"
#include "engine/store/index_writer.h"
#include "pmem/exhaustion.h"
#include "pmem/mutex.h"
#include "pmem/thread.h"

namespace pmdex {
namespace {

constexpr std::chrono::milliseconds kTickInterval{100};
constexpr std::chrono::milliseconds kIdleWait{60'000};

double ThreadCpuSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

uint64_t BytesToRead(const InputFile& file) {
  const std::vector<Gap> gaps = GapsBetween(file.done);
  // What is done of a compressed file is counted in its text: it is read again from its beginning.
  if (CompressionOfName(file.path) != Compression::kNone) return gaps.empty() ? 0 : file.size_bytes;
  uint64_t bytes = 0;
  for (const Gap& gap : gaps) {
    bytes += std::min(gap.end, file.size_bytes) - std::min(gap.begin, file.size_bytes);
  }
  return bytes;
}

// The parsers of one indexer thread.
class Parsers {
 public:
  Parsers(const IngestOptions& options, const IngestContext& context, ProblemLog& problems)
      : files_(NewFilesParser()),
        lines_(NewLinesParser(context.log_clock)),
        jsonl_(NewJsonlParser(
            {options.id_field, options.fields, context.parameters.memory.document_limit_bytes},
            problems)),
        trec_(NewTrecParser(problems)) {}

  absl::Status Parse(const Block& block, DocumentSink& sink) {
    switch (block.format) {
      case InputFormat::kLines:
        return lines_->Parse(block, sink);
      case InputFormat::kJsonl:
        return jsonl_->Parse(block, sink);
      case InputFormat::kTrec:
        return trec_->Parse(block, sink);
      case InputFormat::kAuto:
      case InputFormat::kFiles:
        break;
    }
    return files_->Parse(block, sink);
  }

 private:
  const std::unique_ptr<BlockParser> files_;
  const std::unique_ptr<BlockParser> lines_;
  const std::unique_ptr<BlockParser> jsonl_;
  const std::unique_ptr<BlockParser> trec_;
};

class Pipeline {
 public:
  Pipeline(const IngestOptions& options, IngestContext& context, Checkpointer& checkpointer,
           IndexWriter& writer)
      : options_(options),
        context_(context),
        checkpointer_(checkpointer),
        files_(context.parameters.memory.waiting_files, context.indexer_groups.size() > 1,
               context.pool),
        flusher_(context.parameters.memory.memtables_bytes, context.indexer_groups.size(),
                 checkpointer, writer) {}

  absl::StatusOr<PipelineReport> Run(const PipelineTick& tick);

 private:
  void Walk();
  void ReadFiles();
  void IndexBlocks();
  absl::Status IndexAll();
  void WriteSegments();
  void Fail(const absl::Status& status) ABSL_LOCKS_EXCLUDED(mutex_);
  // Wakes the walk and the readers, which then see that the run is to end early. What they have
  // handed over is still indexed and written.
  void EndInput() { files_.Cancel(); }

  // The threads of a stage: what they run, where they count, and the group of each.
  struct Stage {
    void (Pipeline::*run)();
    StageReport PipelineReport::*report;
    std::vector<size_t> groups;
    void (Pipeline::*end)();  // for a thread that is not started, as for one that has ended
    PipelineStage name;
  };
  absl::Status Start(const Stage& stage, size_t number) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status StartAll() ABSL_LOCKS_EXCLUDED(mutex_);
  void MakeStages() ABSL_LOCKS_EXCLUDED(mutex_);
  // Runs the stage in the thread that calls, and counts its time.
  void RunThread(const Stage& stage, size_t group) ABSL_LOCKS_EXCLUDED(mutex_);
  void EndReader() ABSL_LOCKS_EXCLUDED(mutex_);
  void EndIndexer() ABSL_LOCKS_EXCLUDED(mutex_);
  void EndOther() {}
  ChunkPreparer::Options PreparedChunks();
  PipelineReport Report(double seconds) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool AllEnded() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return running_ == 0; }

  const IngestOptions& options_;
  IngestContext& context_;
  Checkpointer& checkpointer_;
  FileSchedule files_;
  Flusher flusher_;
  std::vector<Stage> stages_;
  std::vector<std::thread> threads_;
  Mutex mutex_;
  StopFlag failed_;  // nothing is indexed or written any more
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
  bool cut_short_ ABSL_GUARDED_BY(mutex_) = false;  // the walk or a reader ended before its input
  PipelineReport report_ ABSL_GUARDED_BY(mutex_);   // of the threads that have ended
  int running_ ABSL_GUARDED_BY(mutex_) = 0;
  int readers_ ABSL_GUARDED_BY(mutex_) = 0;
  int indexers_ ABSL_GUARDED_BY(mutex_) = 0;
};

void Pipeline::Fail(const absl::Status& status) {
  {
    MutexLock lock(&mutex_);
    status_.Update(status);
  }
  failed_.Set();
  context_.stopped.Set();
  files_.Cancel();
  context_.blocks.Cancel();
  context_.pool.Cancel();
  context_.decoders.Cancel();
  if (context_.fields != nullptr) context_.fields->Cancel();
  flusher_.Cancel();
}

void Pipeline::Walk() {
  WalkFilter filter(checkpointer_.progress().watermark, context_.walk_problems,
                    [this](uint64_t ordinal) { checkpointer_.Pass(ordinal); });
  uint64_t files = 0;
  bool complete = true;
  const auto visit = [&](InputFile file) {
    ++files;
    if (!filter.Admit(file)) return complete = !context_.stopped.IsSet();
    if (file.path == kStandardInput && !file.walked) context_.counters.size_unknown = true;
    context_.counters.bytes_walked += BytesToRead(file);
    return complete = files_.Push(std::move(file));
  };
  const absl::Status walked =
      WalkInputs(options_, context_.walk_problems, visit, context_.parameters.memory.names_bytes);
  if (!walked.ok()) return Fail(walked);
  context_.counters.walk_done = true;
  files_.Close();
  MutexLock lock(&mutex_);
  cut_short_ = cut_short_ || !complete;
  report_.walk.items = files;
}

void Pipeline::ReadFiles() {
  ReaderWork work;
  const bool finished = ReadScheduledFiles(context_, files_, work);
  if (finished) {
    checkpointer_.Keep(work.Take());  // files that no block came after
  } else if (!work.error.ok()) {
    Fail(work.error);
  } else if (!context_.stopped.IsSet()) {
    Fail(Exhausted(Resource::kMemory, "no memory for a block of input"));
  }
  if (!finished) {
    MutexLock lock(&mutex_);
    cut_short_ = true;
  }
  EndReader();
}

void Pipeline::EndReader() {
  MutexLock lock(&mutex_);
  if (--readers_ == 0) context_.blocks.Close();
}

absl::Status Pipeline::IndexAll() {
  Indexer indexer(CheckpointLimitsOf(options_), context_, checkpointer_, flusher_);
  Parsers parsers(options_, context_, indexer.problems());
  uint64_t bytes = 0;
  uint64_t blocks = 0;
  for (;;) {
    // What lies in memory must not wait for input that comes slowly.
    const auto wait = indexer.has_documents() ? indexer.TimeToCheckpoint() : kIdleWait;
    const auto popped = context_.blocks.PopFor(wait);
    if (popped.ended) break;
    if (popped.value.has_value()) {
      Block& block = **popped.value;
      bytes += block.origin.bytes_in;
      ++blocks;
      indexer.BeginBlock(block);
      PMDEX_RETURN_IF_ERROR(parsers.Parse(block, indexer));
      PMDEX_RETURN_IF_ERROR(indexer.EndBlock(std::move(block.origin)));
    } else if (indexer.has_documents()) {
      PMDEX_RETURN_IF_ERROR(indexer.Checkpoint());
    }
  }
  if (failed_.IsSet()) return absl::OkStatus();
  {
    MutexLock lock(&mutex_);
    report_.read.bytes += bytes;
    report_.read.items += blocks;
  }
  return indexer.Finish();
}

void Pipeline::IndexBlocks() {
  if (const absl::Status status = IndexAll(); !status.ok()) Fail(status);
  EndIndexer();
}

void Pipeline::EndIndexer() {
  MutexLock lock(&mutex_);
  if (--indexers_ == 0) flusher_.Close();
}

void Pipeline::WriteSegments() {
  if (const absl::Status status = flusher_.Run(); !status.ok()) Fail(status);
}

void Pipeline::RunThread(const Stage& stage, size_t group) {
  const StageClock::time_point start = StageClock::now();
  const absl::Status status = CatchOutOfMemory([&] {
    // Where the CPUs have gone meanwhile, the thread runs on those that are left.
    context_.groups.Enter(group).IgnoreError();
    const ObservedThread observed(options_.observer, stage.name);
    (this->*stage.run)();
    return absl::OkStatus();
  });
  if (!status.ok()) Fail(status);
  const double seconds = SecondsSince(start);
  MutexLock lock(&mutex_);
  StageReport& totals = report_.*stage.report;
  ++totals.threads;
  totals.lifetime_seconds += seconds;
  totals.cpu_seconds += ThreadCpuSeconds();
  --running_;
}

absl::Status Pipeline::Start(const Stage& stage, size_t number) {
  std::function<void()> body = [this, &stage, number] { RunThread(stage, stage.groups[number]); };
  {
    MutexLock lock(&mutex_);
    ++running_;
  }
  auto thread = StartThread(std::move(body));
  if (thread.ok()) {
    threads_.push_back(*std::move(thread));
    return absl::OkStatus();
  }
  {
    MutexLock lock(&mutex_);
    --running_;
    ++report_.threads_not_started;
  }
  (this->*stage.end)();
  return thread.status();
}

// The first of each stage, without which nothing would go on; then the others as far as possible.
absl::Status Pipeline::StartAll() {
  size_t most = 0;
  for (const Stage& stage : stages_) {
    PMDEX_RETURN_IF_ERROR(Start(stage, 0));
    most = std::max(most, stage.groups.size());
  }
  for (size_t number = 1; number < most; ++number) {
    for (const Stage& stage : stages_) {
      if (number < stage.groups.size()) Start(stage, number).IgnoreError();
    }
  }
  return absl::OkStatus();
}

// What the threads counted, and what the queues between them know.
PipelineReport Pipeline::Report(double seconds) {
  PipelineReport report = report_;
  report.seconds = seconds;
  report.files = files_.report();
  report.blocks = context_.blocks.report();
  report.memtables = flusher_.queue_report();
  report.walk.output_wait_seconds = report.files.push_wait_seconds;
  report.read.input_wait_seconds = report.files.pop_wait_seconds;
  report.read.output_wait_seconds = report.blocks.push_wait_seconds + context_.pool.wait_seconds();
  report.index.bytes = report.read.bytes;
  report.index.items = context_.counters.documents;
  report.index.input_wait_seconds = report.blocks.pop_wait_seconds;
  report.index.output_wait_seconds =
      report.memtables.push_wait_seconds + flusher_.memory_wait_seconds();
  const Flusher::Totals written = flusher_.totals();
  report.write.bytes = written.bytes;
  report.write.items = written.segments;
  report.write.input_wait_seconds = report.memtables.pop_wait_seconds;
  report.write.output_wait_seconds = written.commit_seconds;
  return report;
}

void Pipeline::MakeStages() {
  stages_ = {
      {&Pipeline::WriteSegments, &PipelineReport::write,
       context_.groups.DealTo(context_.medium_node, context_.parameters.writer_threads),
       &Pipeline::EndOther, PipelineStage::kWrite},
      {&Pipeline::IndexBlocks, &PipelineReport::index, context_.indexer_groups,
       &Pipeline::EndIndexer, PipelineStage::kIndex},
      {&Pipeline::ReadFiles, &PipelineReport::read, context_.reader_groups, &Pipeline::EndReader,
       PipelineStage::kRead},
      {&Pipeline::Walk, &PipelineReport::walk, {0}, &Pipeline::EndOther, PipelineStage::kWalk}};
  size_t threads = 0;
  for (const Stage& stage : stages_) threads += stage.groups.size();
  threads_.reserve(threads);  // then a thread that runs is always joined
  MutexLock lock(&mutex_);
  readers_ = static_cast<int>(context_.reader_groups.size());
  indexers_ = static_cast<int>(context_.indexer_groups.size());
}

ChunkPreparer::Options Pipeline::PreparedChunks() {
  std::vector<size_t> chunks(context_.groups.count(), 1);  // and one for each indexer
  for (const size_t group : context_.indexer_groups) ++chunks[group];
  return {std::move(chunks), [this] { return flusher_.free_bytes(); },
          [this](size_t group) { context_.groups.Enter(group).IgnoreError(); }};
}

absl::StatusOr<PipelineReport> Pipeline::Run(const PipelineTick& tick) {
  const StageClock::time_point start = StageClock::now();
  OutOfMemory().IgnoreError();  // makes it while there is memory
  MakeStages();
  ChunkPreparer::Options prepared = PreparedChunks();  // while no thread runs: memory may run out
  absl::Status status = CatchOutOfMemory([this] { return StartAll(); });
  if (!status.ok()) Fail(status);
  const ChunkPreparer preparer(flusher_.chunks(), std::move(prepared));  // can be done without
  for (bool ended = false; !ended;) {
    {
      MutexLock lock(&mutex_);
      ended = mutex_.AwaitFor(kTickInterval, this, &Pipeline::AllEnded);
    }
    if (context_.stopped.IsSet()) EndInput();
    context_.counters.written_documents = flusher_.totals().documents;
    status = CatchOutOfMemory([&tick] {
      tick();
      return absl::OkStatus();
    });
    if (!status.ok()) Fail(status);
  }
  for (std::thread& thread : threads_) thread.join();
  MutexLock lock(&mutex_);
  PMDEX_RETURN_IF_ERROR(status_);
  if (cut_short_) return absl::CancelledError("the build was told to stop");
  return Report(SecondsSince(start));
}

}  // namespace

absl::StatusOr<PipelineReport> RunPipeline(const IngestOptions& options, IngestContext& context,
                                           Checkpointer& checkpointer, IndexWriter& writer,
                                           const PipelineTick& tick) {
  return Pipeline(options, context, checkpointer, writer).Run(tick);
}

}  // namespace pmdex
