#include "tests/support/random_columns.h"

#include <bit>
#include <functional>
#include <limits>
#include <utility>

#include "tests/support/random_corpus.h"

namespace pmdex {
namespace {

using Values = std::vector<ColumnValue>;
using MakeValues = std::function<Values(SeededRandom&, uint32_t doc)>;

ColumnValue I64(int64_t value) {
  return {std::bit_cast<uint64_t>(value), {}};
}
ColumnValue F64(double value) {
  return {std::bit_cast<uint64_t>(value), {}};
}
ColumnValue Keyword(std::string text) {
  return {0, std::move(text)};
}

int64_t AnyI64(SeededRandom& random) {
  constexpr int64_t kEnds[] = {std::numeric_limits<int64_t>::min(),
                               std::numeric_limits<int64_t>::max(), 0, -1, 1};
  if (random.OneIn(20)) return kEnds[random.Below(std::size(kEnds))];
  return std::bit_cast<int64_t>(random.Next());
}

double AnyF64(SeededRandom& random) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kSpecial[] = {0.0, -0.0, kInfinity, -kInfinity, 1e308, -5e-324};
  if (random.OneIn(5)) return kSpecial[random.Below(std::size(kSpecial))];
  return (static_cast<double>(random.Below(2000)) - 1000) / 8;
}

Values Several(SeededRandom& random, const std::function<ColumnValue(SeededRandom&)>& make) {
  Values values;
  for (size_t left = random.Below(4); left > 0; --left) values.push_back(make(random));
  return values;
}

std::string Level(SeededRandom& random) {
  constexpr const char* kLevels[] = {"error", "info", "info", "info", "warn", "Warn", "debug"};
  return kLevels[random.Below(std::size(kLevels))];
}

RandomColumn Make(std::string name, FieldType type, SeededRandom& random, uint32_t doc_count,
                  const MakeValues& make) {
  RandomColumn column{std::move(name), type, {}};
  for (uint32_t doc = 0; doc < doc_count; ++doc) column.values.push_back(make(random, doc));
  return column;
}

}  // namespace

std::vector<RandomColumn> MakeRandomColumns(uint64_t seed, uint32_t doc_count) {
  SeededRandom random(seed);
  std::vector<RandomColumn> columns;
  const auto add = [&](std::string name, FieldType type, const MakeValues& make) {
    columns.push_back(Make(std::move(name), type, random, doc_count, make));
  };
  add("n", FieldType::kI64, [](SeededRandom& r, uint32_t) {
    return Values{I64(static_cast<int64_t>(r.Below(200)) - 100)};
  });
  add("big", FieldType::kI64, [](SeededRandom& r, uint32_t) { return Values{I64(AnyI64(r))}; });
  add("id", FieldType::kU64, [](SeededRandom&, uint32_t doc) {
    return Values{{(uint64_t{1} << 63) + doc * 3, {}}};
  });
  add("f", FieldType::kF64,
      [](SeededRandom& r, uint32_t) { return r.OneIn(3) ? Values{} : Values{F64(AnyF64(r))}; });
  add("flag", FieldType::kBool, [](SeededRandom& r, uint32_t) { return Values{{r.Below(2), {}}}; });
  add("time", FieldType::kDate, [](SeededRandom& r, uint32_t doc) {
    constexpr int64_t kHour = 3'600'000'000'000;
    return r.OneIn(10) ? Values{} : Values{I64(1'700'000'000'000'000'000 + doc * kHour)};
  });
  add("level", FieldType::kKeyword,
      [](SeededRandom& r, uint32_t) { return Values{Keyword(Level(r))}; });
  add("name", FieldType::kKeyword, [](SeededRandom& r, uint32_t) {
    return r.OneIn(2) ? Values{} : Values{Keyword("n" + std::to_string(r.Below(5000)))};
  });
  add("tags", FieldType::kKeyword, [](SeededRandom& r, uint32_t) {
    return Several(r, [](SeededRandom& from) { return Keyword(Level(from)); });
  });
  add("nums", FieldType::kI64, [](SeededRandom& r, uint32_t) {
    return Several(
        r, [](SeededRandom& from) { return I64(static_cast<int64_t>(from.Below(70'000))); });
  });
  add("rare", FieldType::kI64,
      [](SeededRandom& r, uint32_t) { return r.OneIn(90) ? Values{I64(AnyI64(r))} : Values{}; });
  add("one", FieldType::kI64, [](SeededRandom&, uint32_t) { return Values{I64(7)}; });
  add("four", FieldType::kU64, [](SeededRandom& r, uint32_t) {
    return Values{{r.Below(uint64_t{1} << 32), {}}};
  });
  return columns;
}

void AddColumns(const std::vector<RandomColumn>& columns, uint32_t first_doc,
                VectorSegmentInput& input) {
  for (const RandomColumn& column : columns) {
    for (DocId doc = 0; doc < input.doc_count(); ++doc) {
      for (const ColumnValue& value : column.values.at(first_doc + doc)) {
        input.AddValue(doc, column.name, column.ValueOf(value));
      }
    }
  }
}

}  // namespace pmdex
