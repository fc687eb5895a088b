#include "engine/ingest/formats/field_scan.h"

#include <set>
#include <thread>
#include <utility>

#include "engine/ingest/formats/document.h"
#include "engine/ingest/formats/jsonl.h"
#include "engine/ingest/pipeline/ingest_context.h"
#include "engine/ingest/problem_log.h"
#include "engine/ingest/reading/file_schedule.h"
#include "engine/ingest/reading/input_file.h"
#include "engine/ingest/reading/reader.h"
#include "engine/ingest/reading/reader_work.h"
#include "engine/ingest/reading/tree_walk.h"
#include "engine/memtable/field_names.h"
#include "pmem/exhaustion.h"
#include "pmem/thread.h"

namespace pmdex {
namespace {

// Keeps the names of documents, in their order.
class NameCollector final : public DocumentSink {
 public:
  NameCollector(std::vector<std::string> names, size_t limit)
      : names_(std::move(names)), known_(names_.begin(), names_.end()), limit_(limit) {}

  bool is_full() const { return names_.size() >= limit_; }
  std::vector<std::string> Take() { return std::move(names_); }

  // An error once there are enough.
  absl::Status Add(const Document& document) override {
    for (const DocumentField& field : document.fields) {
      if (is_full()) return absl::CancelledError("enough names");
      if (NeedsNoPlace(field.name)) continue;
      if (known_.emplace(field.name).second) names_.emplace_back(field.name);
    }
    return absl::OkStatus();
  }

 private:
  static bool NeedsNoPlace(std::string_view name) {
    return name == kOtherField || IsFixedField(name) || name.size() > kMaxFieldNameBytes;
  }

  std::vector<std::string> names_;
  std::set<std::string, std::less<>> known_;
  const size_t limit_;
};

bool IsStandardInput(const InputFile& file) {
  return file.path == kStandardInput && !file.walked;
}

// The walk and one reader in threads of their own; the parser in the thread that calls.
class NameScan {
 public:
  NameScan(const IngestOptions& options, const BuildParameters& parameters)
      : options_(options),
        context_(parameters, {}, options.stop),
        files_(context_.parameters.memory.waiting_files, /*larger_first=*/false, context_.pool) {}
  ~NameScan() { End(); }

  absl::Status Run(NameCollector& names) {
    const absl::Status parsed = Parse(names);
    End();
    if (names.is_full()) return absl::OkStatus();  // what was cut short is not missed
    PMDEX_RETURN_IF_ERROR(parsed);
    PMDEX_RETURN_IF_ERROR(walked_);
    PMDEX_RETURN_IF_ERROR(read_);
    const bool cut_short = options_.stop != nullptr && options_.stop->IsSet();
    return cut_short ? absl::CancelledError("the build was told to stop") : absl::OkStatus();
  }

 private:
  absl::Status Start(absl::Status (NameScan::*stage)(), absl::Status& result) {
    const auto run = [this, stage, &result] {
      result = CatchOutOfMemory([this, stage] { return (this->*stage)(); });
      if (stage == &NameScan::Walk) return files_.Close();
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

  absl::Status Parse(NameCollector& names) {
    PMDEX_RETURN_IF_ERROR(Start(&NameScan::Walk, walked_));
    PMDEX_RETURN_IF_ERROR(Start(&NameScan::Read, read_));
    ProblemLog problems;  // the build itself reports them
    const auto parser = NewJsonlParser(
        {options_.id_field, options_.fields, context_.parameters.memory.document_limit_bytes},
        problems);
    while (!names.is_full()) {
      const auto block = context_.blocks.Pop();
      if (!block.has_value()) break;
      PMDEX_RETURN_IF_ERROR(parser->Parse(**block, names));
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

absl::StatusOr<std::vector<std::string>> ScanFieldNames(const IngestOptions& options,
                                                        const BuildParameters& parameters,
                                                        std::vector<std::string> names,
                                                        size_t limit) {
  NameCollector collector(std::move(names), limit);
  PMDEX_RETURN_IF_ERROR(NameScan(options, parameters).Run(collector));
  return collector.Take();
}

}  // namespace pmdex
