#include "engine/ingest/entries/attribute_names.h"

#include <initializer_list>
#include <string>

namespace pmdex {

const FieldSpecs& AttributeSpecs() {
  static const auto* const specs = [] {
    auto* const made = new FieldSpecs;
    const auto add = [made](FieldType type, std::initializer_list<std::string_view> names) {
      for (const std::string_view name : names) {
        made->emplace(std::string(name), FieldSpec{type, Multiplicity::kOne});
      }
    };
    using namespace attribute;  // NOLINT(google-build-using-namespace): all of them, once each
    add(FieldType::kKeyword,
        {kPath, kName, kDir, kExt, kType, kUser, kGroup, kMode, kMime, kTarget, kAcl, kAccess});
    add(FieldType::kI64, {kSize, kUid, kGid, kLinks, kBlocks});
    add(FieldType::kU64, {kInode, kDevice, kSpecialDevice});
    add(FieldType::kDate, {kMtime, kAtime, kCtime});
    return made;
  }();
  return *specs;
}

}  // namespace pmdex
