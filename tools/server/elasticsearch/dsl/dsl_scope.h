// What the readers of the kinds of queries share: the index that the query is for, its analyzer,
// the count of leaves, and reading a clause inside another. A scope reads one query. For one
// thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/analyzer.h"
#include "pmem/status.h"
#include "query/analyzer_pool.h"
#include "query/language/column_leaf_builder.h"
#include "query/language/query_field_reader.h"
#include "tools/server/elasticsearch/dsl/query_tree.h"
#include "tools/server/elasticsearch/json_text.h"
#include "tools/server/mapping/mapped_fields.h"

namespace pmdex {

// Analyzers of every kind, kept from one request to the next. Thread-safe.
class AnalyzerPools {
 public:
  AnalyzerPool::Borrowed Borrow(AnalyzerKind kind) {
    return pools_[static_cast<size_t>(kind)].Borrow(BestSimdLevel());
  }

 private:
  std::array<AnalyzerPool, 4> pools_ = {
      AnalyzerPool(AnalyzerKind::kStandard), AnalyzerPool(AnalyzerKind::kWhitespace),
      AnalyzerPool(AnalyzerKind::kEnglish), AnalyzerPool(AnalyzerKind::kLog)};
};

// The index that a query is read for. A plain view.
struct DslIndex {
  std::string_view name;
  AnalyzerKind analyzer = AnalyzerKind::kStandard;
  std::span<const std::string> fields;         // of text, sorted
  std::vector<std::string> column_names = {};  // of the other fields, sorted
  ColumnKnowledge columns = {};
  const MappedFields* mapped = nullptr;  // of an index that the server writes

  // As the mapping of the index declares the field; nullptr if it does not.
  const MappedField* MappedOf(std::string_view field) const {
    return mapped == nullptr ? nullptr : mapped->Find(field);
  }
};

struct DslToken {
  std::string term;
  uint32_t position = 0;
};

class DslScope {
 public:
  // Both must outlive the scope.
  DslScope(const DslIndex& index, AnalyzerPools& analyzers, size_t max_clauses)
      : index_(index), analyzers_(analyzers), max_clauses_(max_clauses) {}
  virtual ~DslScope() = default;

  // Reads a clause: an object whose only key is a kind of query.
  virtual QueryOr Clause(const Json& clause) = 0;

  const DslIndex& index() const { return index_; }
  // The type of a field that is not text; nullopt for text, and for a field that is not there.
  std::optional<FieldType> ColumnTypeOf(std::string_view field) const;
  // analyzer: a name; none stands for that of the index.
  absl::StatusOr<AnalyzerKind> KindOf(const std::optional<std::string>& analyzer,
                                      std::string_view query) const;
  AnalyzerPool::Borrowed Borrow(AnalyzerKind kind) { return analyzers_.Borrow(kind); }
  std::vector<DslToken> Analyze(std::string_view text, AnalyzerKind kind);
  // All documents if one of the patterns fits the name of the index, else none.
  QueryPtr OfIndexes(const std::vector<std::string>& patterns) const;
  // Counts leaves of the query against the limit.
  absl::Status Count(size_t leaves);

 private:
  const DslIndex& index_;
  AnalyzerPools& analyzers_;
  const size_t max_clauses_;
  size_t leaves_ = 0;
};

// The fields of the index, of any type, whose names match the pattern.
std::vector<WeightedField> FieldsLike(const DslIndex& index, std::string_view pattern);

// Names with patterns and boosts (`ti*^3`) as fields of the index, each once. A pattern stands for
// fields of any type. A name without a star stays even if the index does not have it.
absl::StatusOr<std::vector<WeightedField>> ExpandFields(const DslIndex& index,
                                                        const std::vector<std::string>& names);

// The value of a key `fields`. An empty list stands for all fields.
absl::StatusOr<std::vector<std::string>> FieldsOrAll(const Json& value);
// True if one of the names is `*`, perhaps with a boost.
bool NamesAllFields(const std::vector<std::string>& names);

}  // namespace pmdex
