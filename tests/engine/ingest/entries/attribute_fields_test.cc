#include "engine/ingest/entries/attribute_fields.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <map>
#include <string>

#include "engine/ingest/entries/attribute_names.h"

namespace pmdex {
namespace attribute_fields_test {

struct Described {
  std::map<std::string, FieldValue> values;
  std::map<std::string, std::string> keywords;
};

Described Describe(AttributeFields& fields, std::string_view path, const EntryView& entry,
                   bool has_text = true) {
  Described described;
  for (const DocumentField& field : fields.Describe(path, entry, has_text)) {
    EXPECT_TRUE(described.values.emplace(field.name, *field.value).second) << field.name;
    EXPECT_EQ(field.text, field.value->keyword);
    described.keywords.emplace(field.name, field.text);
  }
  return described;
}

TEST(AttributeFields, EveryAttributeHasTheTypeThatIsSaid) {
  EntryView entry;
  entry.facts.size_bytes = 5;
  entry.facts.mtime_ns = -1;
  entry.facts.special_device = 3;
  entry.facts.mode = S_IFREG | 04755;
  entry.facts.inode = ~uint64_t{0};
  entry.acl = "user::rw-";
  entry.target = "t";
  entry.parents = "0:0:0755";
  AttributeFields fields;
  const Described all = Describe(fields, "/x/y.C", entry);
  EXPECT_EQ(all.values.size(), AttributeSpecs().size());
  for (const auto& [name, spec] : AttributeSpecs()) {
    ASSERT_TRUE(all.values.contains(name)) << name;
    EXPECT_EQ(all.values.at(name).type, spec.type) << name;
  }
  EXPECT_EQ(all.keywords.at("path"), "/x/y.C");
  EXPECT_EQ(all.keywords.at("name"), "y.C");
  EXPECT_EQ(all.keywords.at("dir"), "/x");
  EXPECT_EQ(all.keywords.at("ext"), "c");
  EXPECT_EQ(all.keywords.at("type"), "f");
  EXPECT_EQ(all.keywords.at("mode"), "4755");
  EXPECT_EQ(all.keywords.at("user"), "root");
  EXPECT_EQ(all.keywords.at("mime"), "text/x-csrc");
  EXPECT_EQ(all.keywords.at("access"), "0:0:4755:user::rw-|0:0:0755");
  EXPECT_EQ(all.values.at("size"), FieldValue::I64(5));
  EXPECT_EQ(all.values.at("mtime"), FieldValue::Date(-1));
  EXPECT_EQ(all.values.at("inode"), FieldValue::U64(~uint64_t{0}));
}

TEST(AttributeFields, WhatAnEntryLacksIsNoField) {
  EntryView entry;
  entry.facts.mode = S_IFREG | 0600;
  entry.facts.uid = 3'999'999'999;
  AttributeFields fields;
  const Described plain = Describe(fields, ".bashrc", entry, false);
  for (const char* name : {"ext", "target", "acl", "rdev", "user"}) {
    EXPECT_FALSE(plain.values.contains(name)) << name;
  }
  EXPECT_EQ(plain.keywords.at("mime"), "application/octet-stream");
  EXPECT_EQ(plain.keywords.at("dir"), ".");
  EXPECT_EQ(plain.keywords.at("access"), "3999999999:0:0600");
}

TEST(AttributeFields, TypesAreThoseOfFind) {
  const std::map<uint32_t, std::string> types = {{S_IFREG, "f"}, {S_IFDIR, "d"},  {S_IFLNK, "l"},
                                                 {S_IFIFO, "p"}, {S_IFSOCK, "s"}, {S_IFBLK, "b"},
                                                 {S_IFCHR, "c"}};
  AttributeFields fields;
  for (const auto& [mode, type] : types) {
    EXPECT_EQ(TypeOfMode(mode | 0644), type);
    EntryView entry;
    entry.facts.mode = mode;
    const Described described = Describe(fields, "a.dir", entry);
    EXPECT_EQ(described.keywords.at("type"), type);
    EXPECT_EQ(described.values.contains("ext"), type != "d");
    EXPECT_EQ(described.keywords.at("mime").starts_with("inode/"), type != "f");
  }
}

}  // namespace attribute_fields_test
}  // namespace pmdex
