#include "engine/ingest/pipeline/field_resolver.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

#include "engine/columns/value_parser.h"
#include "engine/ingest/fields/seen_values.h"
#include "engine/memtable/field_names.h"
#include "pmem/equal_bytes.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

// Names that have no field are remembered too. They may be any number, so all are forgotten then.
constexpr size_t kMostEntries = 4 * kMaxFields;
constexpr size_t kShownBytes = 40;

JsonScalar ScalarOf(const DocumentField& field) {
  using Kind = JsonScalar::Kind;
  const Kind kind = field.kind == InputValueKind::kNumber ? Kind::kNumber
                    : field.kind == InputValueKind::kBool ? Kind::kBool
                                                          : Kind::kString;
  return {kind, field.text};
}

// The beginning of a value, cut between two characters.
std::string Shown(std::string_view text) {
  if (text.size() <= kShownBytes) return std::string(text);
  size_t end = kShownBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

ResolvedValue Bad(std::string_view name, std::string_view what, FieldType type) {
  ResolvedValue bad;
  bad.kind = ResolvedValue::Kind::kBad;
  bad.why = absl::StrCat("field ", ToAbsl(name), ": ", ToAbsl(what), " is no value of type ",
                         ToAbsl(ToString(type)));
  return bad;
}

bool IsWhole(FieldType type) {
  return type == FieldType::kI64 || type == FieldType::kU64;
}

ResolvedValue Of(ResolvedValue::Kind kind) {
  ResolvedValue resolved;
  resolved.kind = kind;
  return resolved;
}

ResolvedValue OfColumn(const FieldValue& value) {
  ResolvedValue resolved = Of(ResolvedValue::Kind::kColumn);
  resolved.value = value;
  return resolved;
}

}  // namespace

void FieldResolver::BeginBlock(std::optional<uint64_t> turn, uint64_t ordinal) {
  turn_ = turn;
  position_ = {ordinal, 0};
  ++block_;
  if (entries_.size() > kMostEntries) {
    entries_.clear();
    last_ = nullptr;
  }
}

void FieldResolver::BeginDocument(uint64_t line) {
  position_.line = line;
  ++document_;
}

void FieldResolver::Ask(const DocumentField& field, Entry& entry) {
  entry.block = block_;
  if (field.name == kOtherField || field.name.size() > kMaxFieldNameBytes) return;
  FieldSighting sighting;
  SeenValues seen;
  seen.Add(field);
  sighting.spec = seen.Infer();
  sighting.position = position_;
  sighting.turn = turn_;
  const auto known = registry_->Admit(field.name, sighting);
  entry.spec = known.has_value() ? known->spec : std::nullopt;
  entry.is_late = known.has_value() && known->is_late;
}

FieldResolver::Entry& FieldResolver::Find(const DocumentField& field) {
  Entries::value_type* const before = last_;
  const bool goes_on = field.array != 0 && before != nullptr && AreEqual(before->first, field.name);
  if (!goes_on) {
    last_ = before == nullptr ? nullptr : before->second.follower;
    if (last_ == nullptr || !AreEqual(last_->first, field.name)) {
      auto found = entries_.find(field.name);
      if (found == entries_.end()) {
        found = entries_.emplace(std::string(field.name), Entry{}).first;
      }
      last_ = &*found;
      if (before != nullptr) before->second.follower = last_;
    }
  }
  Entry& entry = last_->second;
  if (entry.block == 0 || (entry.is_late && entry.block != block_)) Ask(field, entry);
  if (entry.document != document_) {
    entry.document = document_;
    entry.has_value = false;
    entry.bad_array = 0;
  }
  return entry;
}

std::optional<ResolvedValue> FieldResolver::CheckMultiplicity(const DocumentField& field,
                                                              Entry& entry) {
  entry.has_value = true;
  if (entry.spec->values == Multiplicity::kMany) return std::nullopt;
  if (entry.spec->values == Multiplicity::kOpen) {
    registry_->TakeArrays(field.name);
    entry.spec->values = Multiplicity::kMany;
    return std::nullopt;
  }
  if (field.array != 0 && field.array == entry.bad_array) {
    return Of(ResolvedValue::Kind::kNothing);
  }
  entry.bad_array = field.array;
  ResolvedValue bad;
  bad.kind = ResolvedValue::Kind::kBad;
  bad.why = absl::StrCat("field ", ToAbsl(field.name), ": ",
                         field.array != 0 ? "an array" : "a second value",
                         ", and the field takes one value");
  return bad;
}

// Where an index has the field with another type, a keyword is taken like text of the input. A
// number has no text and no place there.
ResolvedValue FieldResolver::ResolveTyped(const DocumentField& field, const FieldSpec& spec) {
  const FieldValue& value = *field.value;
  if (spec.type == FieldType::kText) {
    return Of(value.type == FieldType::kKeyword ? ResolvedValue::Kind::kText
                                                : ResolvedValue::Kind::kNothing);
  }
  if (value.type == spec.type) {
    const bool fits = value.type != FieldType::kKeyword || value.keyword.size() <= kMaxKeywordBytes;
    return fits ? OfColumn(value) : Bad(field.name, Shown(field.text), spec.type);
  }
  if (IsWhole(value.type) && IsWhole(spec.type) && value.i64() >= 0) {
    FieldValue converted = value;
    converted.type = spec.type;
    return OfColumn(converted);
  }
  return Bad(field.name, absl::StrCat("a value of type ", ToAbsl(ToString(value.type))), spec.type);
}

ResolvedValue FieldResolver::Resolve(const DocumentField& field) {
  if (registry_ == nullptr) {
    return Of(field.kind == InputValueKind::kString && field.value == nullptr
                  ? ResolvedValue::Kind::kText
                  : ResolvedValue::Kind::kNothing);
  }
  if (field.kind == InputValueKind::kObject) {
    // Whether a field that comes later is known by now depends on the other threads.
    const auto early = registry_->FindEarly(field.name);
    if (early.has_value()) return Bad(field.name, "an object", early->type);
    return Of(ResolvedValue::Kind::kNothing);
  }
  Entry& entry = Find(field);
  if (!entry.spec.has_value()) return Of(ResolvedValue::Kind::kNoField);
  if (field.array == 0 && !entry.has_value) {
    entry.has_value = true;
  } else if (auto refused = CheckMultiplicity(field, entry)) {
    return *std::move(refused);
  }
  if (field.value != nullptr) return ResolveTyped(field, *entry.spec);
  if (entry.spec->type == FieldType::kText) return Of(ResolvedValue::Kind::kText);
  const auto value = ParseFieldValue(entry.spec->type, ScalarOf(field));
  if (!value.has_value()) return Bad(field.name, Shown(field.text), entry.spec->type);
  return OfColumn(*value);
}

}  // namespace pmdex
