// What a program may say in place of QueryParser about the fields of a query: that a name stands
// for several fields, such as a pattern, or that words are not to be read one by one. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pmem/status.h"
#include "query/language/query.h"

namespace pmdex {

// A field that a query names, with its own boost.
struct WeightedField {
  std::string name;
  float boost = 1;
};

class QueryFieldReader {
 public:
  enum class TextKind {
    kWords,   // a word, or several words with nothing but spaces between them
    kPhrase,  // what stands in quotes
    kStar,    // `*`
  };
  struct Text {
    TextKind kind = TextKind::kWords;
    std::string text;   // without escapes
    uint32_t slop = 0;  // of a phrase
  };

  virtual ~QueryFieldReader() = default;

  // In all functions, an empty `name` stands for a place where the query names no field, and any
  // other name has no escapes.

  // True if Read makes the query of such texts; if not, they are read as in the fields of FieldsOf.
  virtual bool Reads(std::string_view name, TextKind kind) = 0;
  // Returns nullptr if the text has no words; its clause is then dropped.
  virtual absl::StatusOr<std::unique_ptr<Query>> Read(std::string_view name, const Text& text) = 0;
  // The fields in which everything else is searched: a match in any of them suffices, and the best
  // score counts. The reference stays valid as long as the reader.
  virtual const std::vector<WeightedField>& FieldsOf(std::string_view name) = 0;
  // True if a value that does not fit the type of a field only finds nothing there, and so does a
  // regular expression that cannot be read. Either is an error otherwise.
  virtual bool IsLenient() const = 0;
};

}  // namespace pmdex
