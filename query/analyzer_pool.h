// Keeps analyzers from one query to the next, because making one costs more than most queries. The
// pool grows to the number of queries that were analyzed at the same time. Thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "engine/analysis/analyzer.h"
#include "pmem/cpu_features.h"
#include "pmem/mutex.h"

namespace pmdex {

class AnalyzerPool {
 public:
  // make_custom: makes the analyzers of kind kCustom; needed for that kind.
  explicit AnalyzerPool(AnalyzerKind kind, AnalyzerFactory make_custom = nullptr)
      : kind_(kind), make_custom_(std::move(make_custom)) {}

  // Holds one analyzer and returns it to the pool when destroyed. For one thread. The pool must
  // outlive it.
  class Borrowed {
   public:
    Borrowed(AnalyzerPool& pool, SimdLevel level, std::unique_ptr<Analyzer> analyzer)
        : pool_(pool), level_(level), analyzer_(std::move(analyzer)) {}
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    ~Borrowed() { pool_.Return(level_, std::move(analyzer_)); }
    Analyzer& operator*() const { return *analyzer_; }

   private:
    AnalyzerPool& pool_;
    const SimdLevel level_;
    std::unique_ptr<Analyzer> analyzer_;
  };

  // `level` is that of the analyzer's kernels. Requires IsUsable(level).
  Borrowed Borrow(SimdLevel level) {
    std::unique_ptr<Analyzer> analyzer = Take(level);
    if (analyzer == nullptr) {
      analyzer = kind_ == AnalyzerKind::kCustom ? make_custom_() : NewAnalyzer(kind_, level);
    }
    return Borrowed(*this, level, std::move(analyzer));
  }

 private:
  using Analyzers = std::vector<std::unique_ptr<Analyzer>>;

  std::unique_ptr<Analyzer> Take(SimdLevel level) {
    MutexLock lock(&mutex_);
    Analyzers& idle = idle_[static_cast<size_t>(level)];
    if (idle.empty()) return nullptr;
    std::unique_ptr<Analyzer> analyzer = std::move(idle.back());
    idle.pop_back();
    return analyzer;
  }
  void Return(SimdLevel level, std::unique_ptr<Analyzer> analyzer) {
    MutexLock lock(&mutex_);
    idle_[static_cast<size_t>(level)].push_back(std::move(analyzer));
  }

  const AnalyzerKind kind_;
  const AnalyzerFactory make_custom_;
  Mutex mutex_;
  std::array<Analyzers, kSimdLevels.size()> idle_ ABSL_GUARDED_BY(mutex_);  // by level
};

}  // namespace pmdex
