#include "engine/ingest/formats/field_scan.h"

#include <thread>
#include <utility>
#include <vector>

#include "engine/ingest/formats/jsonl.h"
#include "engine/ingest/pipeline/ingest_context.h"
#include "engine/ingest/problem_log.h"
#include "engine/ingest/reading/file_schedule.h"
#include "engine/ingest/reading/input_file.h"
#include "engine/ingest/reading/reader.h"
#include "engine/ingest/reading/reader_work.h"
#include "engine/ingest/reading/tree_walk.h"
#include "pmem/exhaustion.h"
#include "pmem/thread.h"

namespace pmdex {
namespace {

bool IsStandardInput(const InputFile& file) {
  return file.path == kStandardInput && !file.walked;
}

// The walk and one reader in threads of their own; the parser in the thread that calls.
class FieldScan {
 public:
  FieldScan(const IngestOptions& options, const BuildParameters& parameters)
      : options_(options),
        context_(parameters, {}, options.stop),
        files_(context_.parameters.memory.waiting_files, /*larger_first=*/false, context_.pool) {}
  ~FieldScan() { End(); }

  absl::Status Run(FieldCollector& fields) {
    const absl::Status parsed = Parse(fields);
    End();
    if (fields.is_done()) return absl::OkStatus();  // what was cut short is not missed
    PMDEX_RETURN_IF_ERROR(parsed);
    PMDEX_RETURN_IF_ERROR(walked_);
    PMDEX_RETURN_IF_ERROR(read_);
    const bool cut_short = options_.stop != nullptr && options_.stop->IsSet();
    return cut_short ? absl::CancelledError("the build was told to stop") : absl::OkStatus();
  }

 private:
  absl::Status Start(absl::Status (FieldScan::*stage)(), absl::Status& result) {
    const auto run = [this, stage, &result] {
      result = CatchOutOfMemory([this, stage] { return (this->*stage)(); });
      if (stage == &FieldScan::Walk) return files_.Close();
      files_.Cancel();
      context_.blocks.Close();
    };
    PMDEX_ASSIGN_OR_RETURN(std::thread thread, StartThread(run));
    threads_.push_back(std::move(thread));
    return absl::OkStatus();
  }
  void End() {
    context_.stopped.Set();
    files_.Cancel();
    context_.blocks.Cancel();
    context_.pool.Cancel();
    context_.decoders.Cancel();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  absl::Status Parse(FieldCollector& fields) {
    PMDEX_RETURN_IF_ERROR(Start(&FieldScan::Walk, walked_));
    PMDEX_RETURN_IF_ERROR(Start(&FieldScan::Read, read_));
    ProblemLog problems;  // the build itself reports them
    const auto parser = NewJsonlParser(
        {options_.id_field, options_.fields, context_.parameters.memory.document_limit_bytes},
        problems);
    while (!fields.is_done()) {
      const auto block = context_.blocks.Pop();
      if (!block.has_value()) break;
      PMDEX_RETURN_IF_ERROR(parser->Parse(**block, fields));
    }
    return absl::OkStatus();
  }
  absl::Status Walk() {
    const auto visit = [this](InputFile file) {
      if (file.format != InputFormat::kJsonl || IsStandardInput(file)) {
        return !context_.stopped.IsSet();
      }
      return files_.Push(std::move(file));
    };
    return WalkInputs(options_, context_.walk_problems, visit,
                      context_.parameters.memory.names_bytes);
  }
  absl::Status Read() {
    ReaderWork work;
    if (ReadScheduledFiles(context_, files_, work)) return absl::OkStatus();
    if (!work.error.ok() || context_.stopped.IsSet()) return work.error;
    return Exhausted(Resource::kMemory, "no memory for a block of input");
  }

  const IngestOptions& options_;
  IngestContext context_;
  FileSchedule files_;
  std::vector<std::thread> threads_;
  absl::Status walked_;
  absl::Status read_;
};

}  // namespace

absl::Status ScanFields(const IngestOptions& options, const BuildParameters& parameters,
                        FieldCollector& collector) {
  if (collector.is_done()) return absl::OkStatus();
  return FieldScan(options, parameters).Run(collector);
}

}  // namespace pmdex
