// Keeps analyzers from one query to the next, because making one costs more than most queries. The
// pool grows to the number of queries that were analyzed at the same time. Thread-safe.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "engine/analysis/analyzer.h"
#include "pmem/mutex.h"

namespace pmdex {

class AnalyzerPool {
 public:
  explicit AnalyzerPool(AnalyzerKind kind) : kind_(kind) {}

  // Holds one analyzer and returns it to the pool when destroyed. For one thread. The pool must
  // outlive it.
  class Borrowed {
   public:
    Borrowed(AnalyzerPool& pool, std::unique_ptr<Analyzer> analyzer)
        : pool_(pool), analyzer_(std::move(analyzer)) {}
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    ~Borrowed() { pool_.Return(std::move(analyzer_)); }
    Analyzer& operator*() const { return *analyzer_; }

   private:
    AnalyzerPool& pool_;
    std::unique_ptr<Analyzer> analyzer_;
  };

  Borrowed Borrow() {
    std::unique_ptr<Analyzer> analyzer = Take();
    return Borrowed(*this, analyzer != nullptr ? std::move(analyzer) : NewAnalyzer(kind_));
  }

 private:
  std::unique_ptr<Analyzer> Take() {
    MutexLock lock(&mutex_);
    if (idle_.empty()) return nullptr;
    std::unique_ptr<Analyzer> analyzer = std::move(idle_.back());
    idle_.pop_back();
    return analyzer;
  }
  void Return(std::unique_ptr<Analyzer> analyzer) {
    MutexLock lock(&mutex_);
    idle_.push_back(std::move(analyzer));
  }

  AnalyzerKind kind_;
  Mutex mutex_;
  std::vector<std::unique_ptr<Analyzer>> idle_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmdex
