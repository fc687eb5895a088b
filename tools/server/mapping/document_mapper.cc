#include "tools/server/mapping/document_mapper.h"

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/columns/value_parser.h"
#include "pmem/text.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/mapping/value_preview.h"
#include "tools/server/mapping/value_reader.h"

namespace pmdex {
namespace {

constexpr std::string_view kSlashDates = "yyyy/MM/dd HH:mm:ss||yyyy/MM/dd||epoch_millis";
constexpr size_t kShortestDate = 4;

JsonScalar ScalarOf(const SourceValue& value) {
  const auto kind = value.kind == InputValueKind::kNumber ? JsonScalar::Kind::kNumber
                    : value.kind == InputValueKind::kBool ? JsonScalar::Kind::kBool
                                                          : JsonScalar::Kind::kString;
  return {kind, value.text};
}

const DateFormat& SlashDates() {
  static const DateFormat kFormat = *DateFormat::Parse(kSlashDates);
  return kFormat;
}

// Numbers in strings are no dates.
std::optional<MappedField> DateFieldOf(std::string_view text) {
  const bool may_be = text.size() >= kShortestDate && text[0] >= '0' && text[0] <= '9' &&
                      text.find_first_of("-/") != text.npos;
  if (!may_be) return std::nullopt;
  if (DateFormat().Read(text).has_value()) return PlainField(MappedType::kDate);
  if (!SlashDates().Read(text).has_value()) return std::nullopt;
  MappedField field = PlainField(MappedType::kDate);
  field.format = std::make_shared<const DateFormat>(SlashDates());
  field.definition["format"] = kSlashDates;
  return field;
}

class DocumentMapper {
 public:
  DocumentMapper(SourceDocument source, const MappedFields& fields)
      : source_(std::move(source)), fields_(fields) {}

  absl::StatusOr<MappedDocument> Map() {
    for (const SourceValue& value : source_.values) PMDEX_RETURN_IF_ERROR(MapValue(value));
    mapped_.document.id = std::move(source_.id);
    mapped_.document.record = std::move(source_.record);
    return std::move(mapped_);
  }

 private:
  const MappedFields& fields() const { return mapped_.changed ? *mapped_.changed : fields_; }
  MappedFields& Change() {
    if (!mapped_.changed.has_value()) mapped_.changed = fields_;
    return *mapped_.changed;
  }

  absl::Status MapValue(const SourceValue& value);
  absl::Status MapNewValue(const SourceValue& value);
  absl::Status MapObject(const SourceValue& value);
  absl::Status AddTo(const std::string& path, const MappedField& field, const SourceValue& value);
  absl::Status AddScalar(const std::string& path, const MappedField& field, JsonScalar scalar);
  absl::Status CheckPath(const std::string& path) const;
  absl::Status Refused(const std::string& path) const;
  absl::Status BadValue(const std::string& path, const MappedField& field, std::string_view preview,
                        const absl::Status& cause) const;

  SourceDocument source_;
  const MappedFields& fields_;
  MappedDocument mapped_;
  std::set<std::string> new_fields_;  // that this document brings
  // A bad object that its field ignores: what is in it is no field either.
  std::string ignored_;
};

absl::Status DocumentMapper::CheckPath(const std::string& path) const {
  if (!path.empty() && path.front() != '.' && path.back() != '.' && path.find("..") == path.npos) {
    return absl::OkStatus();
  }
  const std::string why = path.empty()
                              ? "field name cannot be an empty string"
                              : absl::StrCat(
                                    "object field starting or ending with a [.] makes object "
                                    "resolution ambiguous: [",
                                    path, "]");
  return ApiError(400, "document_parsing_exception", "failed to parse",
                  {{"caused_by", {{"type", "illegal_argument_exception"}, {"reason", why}}}});
}

absl::Status DocumentMapper::Refused(const std::string& path) const {
  const size_t dot = path.rfind('.');
  const std::string parent = dot == path.npos ? "_doc" : path.substr(0, dot);
  return ApiError(400, "strict_dynamic_mapping_exception",
                  absl::StrCat("mapping set to strict, dynamic introduction of [",
                               path.substr(dot + 1), "] within [", parent, "] is not allowed"));
}

absl::Status DocumentMapper::BadValue(const std::string& path, const MappedField& field,
                                      std::string_view preview, const absl::Status& cause) const {
  Json why = ErrorJson(cause);
  why.erase("root_cause");
  return ApiError(400, "document_parsing_exception",
                  absl::StrCat("failed to parse field [", path, "] of type [",
                               ToAbsl(NameOf(field.type)), "] in document with id '", source_.id,
                               "'. Preview of field's value: '", ToAbsl(preview), "'"),
                  {{"caused_by", std::move(why)}});
}

absl::Status DocumentMapper::AddScalar(const std::string& path, const MappedField& field,
                                       JsonScalar scalar) {
  const absl::StatusOr<ScalarValue> read = ReadScalar(field, scalar);
  if (!read.ok()) {
    if (field.ignores_malformed) return absl::OkStatus();
    return BadValue(path, field, CutPreview(scalar.text), read.status());
  }
  if (!read->is_there) return absl::OkStatus();
  mapped_.document.values.push_back(
      {path, StoredTypeOf(field.type), read->bits, std::string(read->keyword)});
  return absl::OkStatus();
}

absl::Status DocumentMapper::AddTo(const std::string& path, const MappedField& field,
                                   const SourceValue& value) {
  const bool is_null = value.kind == InputValueKind::kNull;
  for (const std::string& inner : field.multi_fields) {
    PMDEX_RETURN_IF_ERROR(AddTo(inner, *fields().Find(inner), value));
  }
  if (is_null && !field.null_text.has_value()) return absl::OkStatus();
  if (field.type != MappedType::kText) {
    return AddScalar(path, field,
                     is_null ? JsonScalar{field.null_kind, *field.null_text} : ScalarOf(value));
  }
  if (!field.is_indexed) return absl::OkStatus();
  mapped_.document.fields.emplace_back(path, value.text);
  return absl::OkStatus();
}

absl::Status DocumentMapper::MapObject(const SourceValue& value) {
  if (const MappedField* const field = fields().Find(value.path)) {
    if (!field->ignores_malformed) {
      return BadValue(value.path, *field, PreviewOf(source_.record, value.path),
                      ApiError(400, "illegal_state_exception", "Can't get text on a START_OBJECT"));
    }
    ignored_ = value.path + ".";
    return absl::OkStatus();
  }
  if (fields().IsObject(value.path)) return absl::OkStatus();
  const DynamicFields dynamic = fields().DynamicOf(value.path);
  if (dynamic == DynamicFields::kRefused) return Refused(value.path);
  if (dynamic == DynamicFields::kIgnored) return absl::OkStatus();
  return Change().AddObject(value.path);
}

absl::Status DocumentMapper::MapNewValue(const SourceValue& value) {
  const std::string& path = value.path;
  const DynamicFields dynamic = fields().DynamicOf(path);
  for (size_t dot = path.find('.'); dot != path.npos; dot = path.find('.', dot + 1)) {
    const std::string parent = path.substr(0, dot);
    const MappedField* const field = fields().Find(parent);
    if (field == nullptr) continue;
    return ApiError(
        400, "document_parsing_exception",
        absl::StrCat("Could not dynamically add mapping for field [", path,
                     "]. Existing mapping for [", parent, "] must be of type object but found [",
                     ToAbsl(NameOf(field->type)), "]."));
  }
  if (dynamic == DynamicFields::kRefused) return Refused(path);
  if (dynamic == DynamicFields::kIgnored || value.kind == InputValueKind::kNull) {
    return absl::OkStatus();
  }
  new_fields_.insert(path);
  PMDEX_RETURN_IF_ERROR(Change().AddDynamic(path, DynamicField(value)));
  return AddTo(path, *fields().Find(path), value);
}

absl::Status DocumentMapper::MapValue(const SourceValue& value) {
  PMDEX_RETURN_IF_ERROR(CheckPath(value.path));
  if (!ignored_.empty() && value.path.starts_with(ignored_)) return absl::OkStatus();
  if (value.kind == InputValueKind::kObject) return MapObject(value);
  const MappedField* const field = fields().Find(value.path);
  if (field != nullptr && !field->is_multi_field) {
    // The values of a new field are to be of one type.
    if (new_fields_.contains(value.path) && value.kind != InputValueKind::kNull) {
      const MappedType type = DynamicField(value).type;
      if (type != field->type) {
        return BadArgument(absl::StrCat("mapper [", value.path, "] cannot be changed from type [",
                                        ToAbsl(NameOf(field->type)), "] to [", ToAbsl(NameOf(type)),
                                        "]"));
      }
    }
    return AddTo(value.path, *field, value);
  }
  if (!fields().IsObject(value.path)) return MapNewValue(value);
  if (value.kind == InputValueKind::kNull) return absl::OkStatus();
  return ApiError(400, "document_parsing_exception",
                  absl::StrCat("object mapping for [", value.path, "] tried to parse field [",
                               value.path.substr(value.path.rfind('.') + 1),
                               "] as object, but found a concrete value"));
}

}  // namespace

MappedField DynamicField(const SourceValue& value) {
  if (value.kind == InputValueKind::kBool) return PlainField(MappedType::kBoolean);
  if (value.kind == InputValueKind::kNumber) {
    const bool is_whole = value.text.find_first_of(".eE") == value.text.npos;
    return PlainField(is_whole ? MappedType::kLong : MappedType::kFloat);
  }
  if (auto date = DateFieldOf(value.text)) return *std::move(date);
  return PlainField(MappedType::kText);
}

absl::StatusOr<MappedDocument> MapDocument(SourceDocument source, const MappedFields& fields) {
  return DocumentMapper(std::move(source), fields).Map();
}

}  // namespace pmdex
