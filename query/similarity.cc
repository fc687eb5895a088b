#include "query/similarity.h"

#include <array>
#include <bit>
#include <cstdint>
#include <string>

#include "engine/segment/documents/norms.h"

namespace pmdex {

absl::StatusOr<SimilarityKind> ParseSimilarityKind(std::string_view name) {
  if (name == "bm25") return SimilarityKind::kBm25;
  if (name == "tfidf") return SimilarityKind::kTfidf;
  return InvalidArgument("unknown similarity '" + std::string(name) + "': bm25 or tfidf");
}

std::string_view ToString(SimilarityKind kind) {
  switch (kind) {
    case SimilarityKind::kBm25:
      return "bm25";
    case SimilarityKind::kTfidf:
      return "tfidf";
    case SimilarityKind::kCustom:
      break;
  }
  return "custom";
}

float InverseDocumentFrequency(SimilarityChoice similarity, uint64_t df, uint64_t field_doc_count) {
  if (similarity.kind == SimilarityKind::kCustom) {
    return similarity.formulas->TermWeight(df, field_doc_count);
  }
  const auto n = static_cast<double>(field_doc_count);
  const auto d = static_cast<double>(df);
  if (similarity.kind == SimilarityKind::kBm25) {
    return static_cast<float>(std::log(1.0 + (n - d + 0.5) / (d + 0.5)));
  }
  return static_cast<float>(std::log((n + 1.0) / (d + 1.0)) + 1.0);
}

float AverageLength(const FieldStatistics& field) {
  return field.token_count == 0 ? 1.0f : static_cast<float>(field.AverageLength());
}

namespace {

constexpr std::array<float, 256> DecodeLengths() {
  std::array<float, 256> lengths{};
  for (size_t code = 0; code < lengths.size(); ++code) {
    lengths[code] = static_cast<float>(DecodeLength(static_cast<uint8_t>(code)));
  }
  return lengths;
}
constexpr std::array<float, 256> kLengths = DecodeLengths();

LengthTable MakeTfidfTable() {
  LengthTable table{};
  for (size_t code = 0; code < table.size(); ++code) {
    table[code] = static_cast<float>(1.0 / std::sqrt(static_cast<double>(kLengths[code])));
  }
  // No document with the field has length 0; Lucene gives that code this value.
  table[0] = 1.0f / table[255];
  return table;
}

// The table depends on the average length alone. Each thread keeps a few tables: a short query
// would otherwise spend much of its time on making one. The result is valid until the thread's next
// call.
const LengthTable& Bm25Table(float average) {
  constexpr uint32_t kKept = 4;  // a power of two
  struct Made {
    float average = 0;  // 0, which is no average length: not made yet
    LengthTable table;
  };
  thread_local std::array<Made, kKept> all_made;
  const uint32_t hash = std::bit_cast<uint32_t>(average) * 0x9e3779b1u;
  Made& made = all_made[hash >> 30];
  if (made.average == average) return made.table;
  for (size_t code = 0; code < made.table.size(); ++code) {
    made.table[code] = 1.0f / (kBm25K1 * ((1.0f - kBm25B) + kBm25B * kLengths[code] / average));
  }
  made.average = average;
  return made.table;
}

}  // namespace

LengthTable MakeLengthTable(SimilarityChoice similarity, const FieldStatistics& field) {
  if (similarity.kind == SimilarityKind::kTfidf) {
    static const LengthTable table = MakeTfidfTable();  // the same for every field
    return table;
  }
  const float average = AverageLength(field);
  if (similarity.kind == SimilarityKind::kCustom) {
    LengthTable table;
    for (size_t code = 0; code < table.size(); ++code) {
      table[code] = similarity.formulas->LengthFactor(kLengths[code], average);
    }
    return table;
  }
  return Bm25Table(average);
}

}  // namespace pmdex
